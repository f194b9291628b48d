/** Why a pod found no place: for every pool the first constraint that fails, and by how much. */
import { hostPortsConflict } from '../../domain/pod.js';
import { tolerates } from '../../domain/taint.js';
import type { PoolReason } from '../plan.js';
import type { Reason } from '../reason.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import { Admission } from './admission.js';
import type { Ask } from './ask.js';
import { NEW_HOST } from './domains.js';
import { rowsOfPool } from './explain-labels.js';
import { limitReason, shortfall } from './explain-limits.js';
import { admittedRows, holdsOne, type Offered } from './explain-room.js';
import { withDomains, type Obstruction } from './explain-topology.js';
import { fittingTypes, lastingReason } from './lasting-reason.js';
import { compileLaunchables } from './launchables.js';
import { REPELLING } from './node-constraint.js';
import type { Packing } from './packing.js';
import type { PodClass } from './pod-class.js';
import type { Problem } from './problem.js';

/** One reason per pool, in the order of the pools. The packing must be complete. */
export function explain(packing: Packing, pods: PodClass): readonly PoolReason[] {
  const { pools } = packing.problem.snapshot;
  if (pools.length === 0) return [{ nodePool: '', reason: pods.blocked ?? { code: 'NoNodePools' } }];
  return pools.map(({ pool }, index) => ({ nodePool: pool.name, reason: reasonOf(packing, pods, index) }));
}

function withoutTypes(offer: PoolOffer | undefined): Reason {
  const nodeClass = offer?.pool.template.nodeClassRef.name ?? '';
  const problem = offer?.nodeClassProblem;
  return problem === undefined
    ? { code: 'NodeClassNotFound', nodeClass }
    : { code: 'NodeClassNotReady', nodeClass, problem };
}

function reasonOf(packing: Packing, pods: PodClass, pool: number): Reason {
  if (pods.blocked !== undefined) return pods.blocked;
  const offer = packing.problem.snapshot.pools[pool];
  if (offer?.instanceTypes === undefined) return withoutTypes(offer);
  if (offer.pool.replicas !== undefined) return { code: 'StaticPool' };
  const ask = pods.asks.at(-1);
  if (ask === undefined) return { code: 'NoOffering', wanted: 'what the pod asks for' };
  const { problem } = packing;
  const lasting = taintReason(offer, ask) ?? lastingReason(problem, pods, ask, pool);
  if (lasting === undefined) return dynamicReason(packing, pods, ask, pool);
  const isAllThere = offer.instanceTypes.every(({ offerings }) =>
    offerings.every(({ available }) => available),
  );
  if (isAllThere || lasting.code === 'UntoleratedTaint') return lasting;
  // What is out of stock for a while says nothing about what the pool is for.
  const stocked = stockedOf(problem);
  return (
    lastingReason(stocked, pods, ask, pool) ?? {
      code: 'OutOfStock',
      types: fittingTypes(stocked, pods, pool),
    }
  );
}

/** All taints of the pool that repel the pod: it takes a toleration for each. */
function taintReason({ pool }: PoolOffer, { constraint: { tolerations } }: Ask): Reason | undefined {
  const [taint, ...others] = pool.template.taints.filter(
    (each) =>
      REPELLING.includes(each.effect) && !tolerations.some((toleration) => tolerates(toleration, each)),
  );
  if (taint === undefined) return undefined;
  return others.length === 0
    ? { code: 'UntoleratedTaint', taint }
    : { code: 'UntoleratedTaint', taint, others };
}

const STOCKED = new WeakMap<Problem, Offered>();

/** The same offers as if nothing were out of stock; compiled once per problem, and only when somebody asks. */
function stockedOf(problem: Problem): Offered {
  const known = STOCKED.get(problem);
  if (known !== undefined) return known;
  const pools = problem.snapshot.pools.map((offer) => ({
    ...offer,
    instanceTypes: offer.instanceTypes?.map((type) => ({
      ...type,
      offerings: type.offerings.map((offering) => ({ ...offering, available: true })),
    })),
  }));
  const snapshot = { ...problem.snapshot, pools };
  const launchables = compileLaunchables(snapshot);
  const { views } = launchables;
  const stocked = {
    snapshot,
    launchables,
    admission: new Admission(problem.nodeViews, views),
  };
  STOCKED.set(problem, stocked);
  return stocked;
}

/** What stands in the way now although a type would fit: limits, topology or minValues. The nearest is told. */
function dynamicReason(packing: Packing, pods: PodClass, ask: Ask, pool: number): Reason {
  const { problem } = packing;
  const admitted = problem.admission.columns(ask.constraint);
  const rows = admittedRows(problem, pods, rowsOfPool(problem, pool));
  const columns = rows
    .filter((row) => holdsOne(problem, pods, row))
    .flatMap((row) => problem.launchables.rowColumns[row] ?? [])
    .filter((column) => admitted[column] === 1);
  const found = new Map<Reason, number[]>();
  for (const column of columns) {
    const reason = obstacle(packing, pods, ask, column);
    if (reason === undefined) continue;
    const behind = found.get(reason);
    if (behind === undefined) found.set(reason, [column]);
    else behind.push(column);
  }
  const obstructions = [...found].map(([reason, behind]): Obstruction => ({ reason, columns: behind }));
  const [first, ...others] = obstructions;
  if (first === undefined)
    return { code: 'NoOffering', wanted: 'room for all pods that must share its node' };
  const nearest = others.reduce((best, each) => (isNearer(each.reason, best.reason) ? each : best), first);
  return withDomains(packing, ask, nearest);
}

function obstacle(packing: Packing, pods: PodClass, ask: Ask, column: number): Reason | undefined {
  const { problem } = packing;
  return (
    taken(packing, pods, column) ??
    limitReason(packing, problem.launchables.columnRow[column] ?? 0) ??
    packing.counts.violated(pods, ask, { target: NEW_HOST, column }) ??
    packing.flexibility.tooFew({ column, requests: pods.requests, asks: new Set([ask]), classes: [pods] })
  );
}

/** A volume that is in use, or a port that a DaemonSet has. */
function taken(packing: Packing, pods: PodClass, column: number): Reason | undefined {
  const { daemonPorts, snapshot } = packing.problem;
  const reason = packing.takenFrom(pods, daemonPorts.at(column));
  if (reason?.code !== 'HostPortConflict') return reason;
  const holder = snapshot.daemonSets.find(({ spec }) =>
    spec.hostPorts.some((held) => pods.hostPorts.some((port) => hostPortsConflict(held, port))),
  );
  return holder === undefined ? reason : { ...reason, daemonSet: `${holder.namespace}/${holder.name}` };
}

/** Of two limits the one that lacks less is nearer, of two minValues the one with more values; limits come last. */
function isNearer(reason: Reason, than: Reason): boolean {
  if (reason.code === 'MinValues' && than.code === 'MinValues')
    return reason.key === than.key && reason.available > than.available;
  if (reason.code !== 'LimitReached' || than.code !== 'LimitReached')
    return reason.code !== 'LimitReached' && than.code === 'LimitReached';
  return shortfall(reason) < shortfall(than);
}
