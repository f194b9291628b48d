/** What stands in the way of one pod in one pool, as they are or as they would be after changes; the first that fails. */
import { NO_DEVICES } from '../../domain/devices/device.js';
import { describeNodeClass } from '../../domain/policies/node-class.js';
import { hostPortsConflict, type HostPort } from '../../domain/pods/pod.js';
import { tolerates } from '../../domain/values/taint.js';
import { lackOf } from '../devices/device-lack.js';
import type { LimitReached, Reason } from '../reason.js';
import { shortfall } from './nearest-first.js';
import { allTypesOffered, type PoolOffer } from '../snapshot/cluster-input.js';
import { columnsOfPool, labelFixes, rowsOfPool } from './labels.js';
import { deviceFix } from './devices.js';
import { admittedRows, holdsOne, limitReason, roomFix } from './room.js';
import { TrialPlaces, topologyFixes } from './topology.js';
import { rowCapacity } from '../model/launch/launchables.js';
import { REPELLING } from '../model/constraints/node-constraint.js';
import { NODES } from '../model/pool-usage.js';
import type { Packing } from '../rules/packing.js';
import {
  constrained,
  type Fix,
  type Offered,
  offering,
  tolerating,
  type Trial,
  type TrialOffers,
} from './trial.js';

/** Nothing stands in the way of a node of these columns; or what does, with the changes that could be made. */
export type Look = { readonly columns: readonly number[] } | { readonly fixes: readonly Fix[] };

/** What stands in the way; the packing must be complete. */
export function look(packing: Packing, offers: TrialOffers, trial: Trial): Look {
  const offer = packing.problem.snapshot.pools[trial.pool];
  const early = poolFix(offer, trial);
  if (early !== undefined) return { fixes: [early] };
  const offered = offers.of(trial);
  const lasting = offer === undefined ? [] : (taintFixes(offer, trial) ?? lastingFixes(offered, trial));
  if (lasting === undefined) return dynamicLook(packing, offered, trial, offers.isOwn(trial));
  if (lasting[0]?.reason.code === 'UntoleratedTaint') return { fixes: lasting };
  if (trial.offers.stocked || isAllThere(offer)) return { fixes: withExcluded(offers, trial, lasting) };
  // What is out of stock for a while says nothing about what the pool is for.
  const asStocked = stocked(trial);
  const full = offers.of(asStocked);
  const fixes = lastingFixes(full, asStocked);
  if (fixes !== undefined) return { fixes: withExcluded(offers, asStocked, fixes) };
  const reason: Reason = { code: 'OutOfStock', types: fittingTypes(full, trial) };
  return { fixes: [{ reason, change: stocked }] };
}

/** First of all the types that the node class excludes, where some of them would do. */
function withExcluded(offers: TrialOffers, trial: Trial, fixes: readonly Fix[]): readonly Fix[] {
  const { pools } = offers.of(trial).snapshot;
  const offer = pools[trial.pool];
  const excluded = new Map(
    (offer === undefined ? [] : allTypesOffered(offer)).flatMap((type) =>
      type.excluded ? [[type.name, type.excluded] as const] : [],
    ),
  );
  if (offer === undefined || excluded.size === 0) return fixes;
  const all = included(trial);
  const offered = offers.of(all);
  if (lastingFixes(offered, all) !== undefined) return fixes;
  const types = fittingTypes(offered, all).filter((name) => excluded.has(name));
  const { setting = '', lacks = '' } = excluded.get(types[0] ?? '') ?? {};
  const nodeClass = describeNodeClass(offer.pool.template.nodeClassRef);
  return [
    { reason: { code: 'ExcludedTypes', nodeClass, setting, lacks, types }, change: included },
    ...fixes,
  ];
}

function included(trial: Trial): Trial {
  return offering(trial, { included: true });
}

function stocked(trial: Trial): Trial {
  return offering(trial, { stocked: true });
}

function isAllThere(offer: PoolOffer | undefined): boolean {
  return (offer === undefined ? [] : allTypesOffered(offer)).every(({ offerings }) =>
    offerings.every(({ available }) => available),
  );
}

/** What keeps the pool from launching anything for pods. */
function poolFix(offer: PoolOffer | undefined, { pods, offers }: Trial): Fix | undefined {
  if (pods.blocked !== undefined) return { reason: pods.blocked, change: unblocked };
  if (offer?.frozen === true && !offers.thawed) {
    const change = (trial: Trial): Trial => offering(trial, { thawed: true });
    return { reason: { code: 'PoolFrozen', nodePool: offer.pool.name }, change };
  }
  const nodeClass = offer === undefined ? '' : describeNodeClass(offer.pool.template.nodeClassRef);
  if (offer?.instanceTypes === undefined) {
    const problem = offer?.nodeClassProblem;
    return problem === undefined
      ? { reason: { code: 'NodeClassNotFound', nodeClass } }
      : { reason: { code: 'NodeClassNotReady', nodeClass, problem } };
  }
  return offer.pool.replicas === undefined ? undefined : { reason: { code: 'StaticPool' } };
}

function unblocked(trial: Trial): Trial {
  return { ...trial, pods: { ...trial.pods, blocked: undefined } };
}

/** All taints of the pool that repel the pod: it takes a toleration for each. */
function taintFixes({ pool }: PoolOffer, { ask }: Trial): readonly Fix[] | undefined {
  const { tolerations } = ask.constraint;
  const repelling = pool.template.taints.filter(
    (each) =>
      REPELLING.includes(each.effect) && !tolerations.some((toleration) => tolerates(toleration, each)),
  );
  const [taint, ...others] = repelling;
  if (taint === undefined) return undefined;
  const reason: Reason = { code: 'UntoleratedTaint', taint, ...(others.length === 0 ? {} : { others }) };
  return [{ reason, change: (from) => constrained(from, tolerating(from.ask.constraint, repelling)) }];
}

/** What rules the pool out whatever else there is in the cluster: labels, types, and the room that types have. */
function lastingFixes(offered: Offered, trial: Trial): readonly Fix[] | undefined {
  const labels = labelFixes(offered, trial);
  if (labels !== undefined) return labels;
  const rows = rowsOfPool(offered, trial.pool);
  const fix = deviceFix(offered, trial.pods, rows) ?? roomFix(offered, trial.pods, rows);
  return fix && [fix];
}

/** Names of the types that could hold the pod, each once. */
function fittingTypes(offered: Offered, { pods, pool }: Trial): readonly string[] {
  const rows = admittedRows(offered, pods, rowsOfPool(offered, pool));
  const fitting = rows.filter((row) => holdsOne(offered, pods, row));
  return [...new Set(fitting.flatMap((row) => offered.launchables.rowType[row]?.name ?? []))];
}

/** What stands in the way now although a type would fit: limits, topology or minValues. The nearest is reported. */
function dynamicLook(packing: Packing, offered: Offered, trial: Trial, isOwn: boolean): Look {
  const { launchables } = offered;
  const admitted = offered.admission.columns(trial.ask.constraint);
  const holds = new Map<number, boolean>();
  const hasRoom = (row: number): boolean => {
    const known = holds.get(row) ?? holdsOne(offered, trial.pods, row);
    holds.set(row, known);
    return known;
  };
  const offer = offered.snapshot.pools[trial.pool];
  const obstacles = new Obstacles(packing, offered, trial, isOwn);
  const found = new Map<Reason, number[]>();
  const open: number[] = [];
  for (const column of columnsOfPool(offered, trial.pool)) {
    if (admitted[column] !== 1 || !hasRoom(launchables.columnRow[column] ?? 0)) continue;
    const reason = obstacles.at(column);
    if (reason === undefined) open.push(column);
    else found.set(reason, [...(found.get(reason) ?? []), column].slice(0, MOST_COLUMNS));
  }
  const few = isOwn ? undefined : fewValues(offered, trial, open);
  if (few !== undefined)
    return { fixes: dynamicFixes(packing, trial, obstacles.places, { reason: few, columns: open, offer }) };
  if (open.length > 0) return { columns: open };
  const [first, ...others] = found.keys();
  if (first === undefined) return { fixes: [{ reason: { code: 'LeftOut' } }] };
  const nearest = others.reduce((best, each) => (isNearer(each, best) ? each : best), first);
  return {
    fixes: dynamicFixes(packing, trial, obstacles.places, {
      reason: nearest,
      columns: found.get(nearest) ?? [],
      offer,
    }),
  };
}

/** The minValues that offers which the plan does not have would not reach either. */
function fewValues(
  { launchables, snapshot }: Offered,
  { pool, minValues }: Trial,
  open: readonly number[],
): Reason | undefined {
  for (const { key, minValues: given } of snapshot.pools[pool]?.pool.template.requirements ?? []) {
    const wanted = minValues.get(key) ?? given;
    if (wanted === 0 || open.length === 0) continue;
    const values = new Set(open.flatMap((column) => launchables.views[column]?.labels.get(key) ?? []));
    if (values.size < wanted) return { code: 'MinValues', key, wanted, available: values.size };
  }
  return undefined;
}

/** So many columns behind one reason are looked at for what it says. */
const MOST_COLUMNS = 512;

/** What keeps a node of a column from being launched for the pod. */
class Obstacles {
  readonly places: TrialPlaces;
  readonly #packing: Packing;
  readonly #offered: Offered;
  readonly #trial: Trial;
  readonly #isOwn: boolean;
  readonly #limits = new Map<number, LimitReached | undefined>();

  constructor(packing: Packing, offered: Offered, trial: Trial, isOwn: boolean) {
    this.places = new TrialPlaces(packing, offered, trial, isOwn);
    this.#packing = packing;
    this.#offered = offered;
    this.#trial = trial;
    this.#isOwn = isOwn;
  }

  at(column: number): Reason | undefined {
    const { pods, ask, minValues } = this.#trial;
    return (
      this.#taken(column) ??
      this.#lack(column) ??
      this.#limit(this.#offered.launchables.columnRow[column] ?? 0) ??
      this.places.violated(column) ??
      (this.#isOwn
        ? this.#packing.flexibility.tooFew({
            ...{ column, requests: pods.requests, asks: new Set([ask]), classes: [pods] },
            lowered: minValues,
          })
        : undefined)
    );
  }

  /** A volume that is in use, or a port that a DaemonSet has. */
  #taken(column: number): Reason | undefined {
    const { pods } = this.#trial;
    if (pods.hostPorts.length + pods.volumes.length === 0) return undefined;
    const { daemonPorts, snapshot } = this.#offered;
    const reason = this.#packing.takenFrom(pods, daemonPorts.at(column));
    if (reason?.code !== 'HostPortConflict') return reason;
    const holder = snapshot.daemonSets.find(({ spec }) =>
      spec.hostPorts.some((held) => pods.hostPorts.some((port) => hostPortsConflict(held, port))),
    );
    return holder === undefined ? reason : { ...reason, daemonSet: `${holder.namespace}/${holder.name}` };
  }

  /** Devices that the type lacks, or that another pod has on another node. */
  #lack(column: number): Reason | undefined {
    const { devices } = this.#trial.pods;
    if (devices.length === 0) return undefined;
    if (this.#isOwn) return this.#packing.devices?.lacksOn(this.#trial.pods, column);
    const type = this.#offered.launchables.rowType[this.#offered.launchables.columnRow[column] ?? 0];
    return lackOf(type?.devices ?? NO_DEVICES, devices, type?.name ?? '');
  }

  #limit(row: number): LimitReached | undefined {
    if (!this.#limits.has(row)) {
      const { pool, limits } = this.#trial;
      this.#limits.set(
        row,
        limitReason(this.#packing, pool, rowCapacity(this.#offered.launchables, row), limits),
      );
    }
    return this.#limits.get(row);
  }
}

/** Of two limits the one that lacks less is nearer, of two minValues the one with more values; limits come last. */
function isNearer(reason: Reason, than: Reason): boolean {
  if (reason.code === 'MinValues' && than.code === 'MinValues')
    return reason.key === than.key && reason.available > than.available;
  if (reason.code !== 'LimitReached' || than.code !== 'LimitReached')
    return reason.code !== 'LimitReached' && than.code === 'LimitReached';
  return shortfall(reason) < shortfall(than);
}

/** A reason with the columns that it keeps from the pod. */
interface Obstacle {
  readonly reason: Reason;
  readonly columns: readonly number[];
  readonly offer: PoolOffer | undefined;
}

/** A limit of nodes may be that of the pool's placement group. */
function ofGroup(offer: PoolOffer | undefined, reason: LimitReached): Reason {
  const problem = offer?.placementGroup?.full;
  if (offer === undefined || problem === undefined || reason.resource !== NODES) return reason;
  const nodeClass = describeNodeClass(offer.pool.template.nodeClassRef);
  return { code: 'NodeClassNotReady', nodeClass, problem };
}

function dynamicFixes(packing: Packing, trial: Trial, places: TrialPlaces, found: Obstacle): readonly Fix[] {
  const { reason } = found;
  if (reason.code === 'LimitReached')
    return [{ reason: ofGroup(found.offer, reason), change: raising(reason) }];
  if (reason.code === 'MinValues') {
    const lowered = [reason.key, reason.available] as const;
    return [{ reason, change: (from) => ({ ...from, minValues: new Map([...from.minValues, lowered]) }) }];
  }
  if (reason.code === 'HostPortConflict') return [{ reason, change: withoutPort(reason.port) }];
  if (reason.code === 'VolumeClaimInUse') return [{ reason, change: shared(reason.claim) }];
  return topologyFixes(packing, trial, places, found);
}

function raising({ others = [], ...first }: LimitReached): (trial: Trial) => Trial {
  const raised = [first, ...others].map(({ resource, inUse, needed }) => [resource, inUse + needed] as const);
  return (trial) => ({ ...trial, limits: new Map([...trial.limits, ...raised]) });
}

function withoutPort(port: number): (trial: Trial) => Trial {
  const isOther = (each: HostPort): boolean => each.port !== port;
  return (trial) => ({ ...trial, pods: { ...trial.pods, hostPorts: trial.pods.hostPorts.filter(isOther) } });
}

function shared(claim: string): (trial: Trial) => Trial {
  return (trial) => ({
    ...trial,
    pods: {
      ...trial.pods,
      volumes: trial.pods.volumes.map((each) =>
        each.claim === claim ? { ...each, readWriteOncePod: false } : each,
      ),
    },
  });
}
