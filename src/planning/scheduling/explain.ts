/** Why a pod found no place: for every pool the first constraint that fails, and by how much. */
import { NO_LABELS } from '../../domain/labels.js';
import { firstUntolerated } from '../../domain/taint.js';
import type { PoolReason } from '../plan.js';
import type { Reason } from '../reason.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import { Admission } from './admission.js';
import type { Ask } from './ask.js';
import { NEW_HOST } from './domains.js';
import { fittingTypes, lastingReason, rowsOfPool, type Offered } from './lasting-reason.js';
import { compileLaunchables } from './launchables.js';
import { REPELLING } from './node-constraint.js';
import type { Packing } from './packing.js';
import type { PodClass } from './pod-class.js';
import type { Problem } from './problem.js';
import { howManyFitNew, rowOf } from './room.js';

/** One reason per pool, in the order of the pools. */
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
  const taint = firstUntolerated(offer.pool.template.taints, ask.constraint.tolerations, REPELLING);
  if (taint !== undefined) return { code: 'UntoleratedTaint', taint };
  const { problem } = packing;
  const rows = rowsOfPool(problem, pool);
  const lasting = lastingReason(problem, pods, ask, pool);
  if (lasting === undefined) return dynamicReason(packing, pods, rows);
  const isAllThere = offer.instanceTypes.every(({ offerings }) =>
    offerings.every(({ available }) => available),
  );
  if (isAllThere) return lasting;
  // What is out of stock for a while says nothing about what the pool is for.
  const stocked = stockedOf(problem);
  return (
    lastingReason(stocked, pods, ask, pool) ?? {
      code: 'OutOfStock',
      types: fittingTypes(stocked, pods, pool),
    }
  );
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
  const everyColumn = { labels: NO_LABELS, first: 0, end: views.length };
  const stocked = {
    snapshot,
    launchables,
    admission: new Admission(problem.nodeViews, views, [everyColumn]),
  };
  STOCKED.set(problem, stocked);
  return stocked;
}

/** What stands in the way now although a type would fit: limits, topology or minValues. The nearest is told. */
function dynamicReason(packing: Packing, pods: PodClass, rows: readonly number[]): Reason {
  const { launchables, snapshot, admission } = packing.problem;
  const width = snapshot.resources.length;
  const ask = pods.asks.at(-1);
  let found: Reason | undefined;
  for (const row of rows) {
    const free = rowOf(launchables.net, width, row);
    if (ask === undefined || howManyFitNew(pods.requests, free, 1) === 0) continue;
    const admitted = admission.columns(ask.constraint);
    for (const column of (launchables.rowColumns[row] ?? []).filter((each) => admitted[each] === 1)) {
      const reason = obstacle(packing, pods, ask, column);
      if (reason !== undefined && (found === undefined || isNearer(reason, found))) found = reason;
    }
  }
  return found ?? { code: 'NoOffering', wanted: 'room for all pods that must share its node' };
}

function obstacle(packing: Packing, pods: PodClass, ask: Ask, column: number): Reason | undefined {
  return (
    packing.takenFrom(pods, packing.problem.daemonPorts.at(column)) ??
    packing.limitReached(packing.problem.launchables.columnRow[column] ?? 0) ??
    packing.counts.violated(pods, ask, { target: NEW_HOST, column }) ??
    packing.flexibility.tooFew({ column, requests: pods.requests, asks: new Set([ask]), classes: [pods] })
  );
}

/** Of two limits the one that needs less is nearer. */
function isNearer(reason: Reason, than: Reason): boolean {
  if (reason.code !== 'LimitReached' || than.code !== 'LimitReached')
    return reason.code !== 'LimitReached' && than.code === 'LimitReached';
  return reason.inUse + reason.needed - reason.limit < than.inUse + than.needed - than.limit;
}
