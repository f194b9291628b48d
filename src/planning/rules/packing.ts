/** The state of a plan being made: targets, what is left of every class, counters; and the moves that change them. */
import { type HostPort, takenPort } from '../../domain/pods/pod.js';
import type { Ask, SpreadRule } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { HeldByPod } from '../model/held-by-pods.js';
import { rowCapacity } from '../model/launch/launchables.js';
import { howManyFit, howManyFitNew, rowOf } from '../model/launch/room.js';
import { PoolUsage } from '../model/pool-usage.js';
import type { Problem } from '../model/problem.js';
import type { Reason } from '../reason.js';
import { slotsOn } from '../snapshot/volume-slots.js';
import { DeviceRooms } from './device-rooms.js';
import { Flexibility } from './flexibility.js';
import { Target } from './targets.js';
import { TopologyCounts } from './topology-counts.js';

/** Up to so many pods it is recorded in which order they came. */
const MOST_RECORDED = 1_000;
/** Steps of asking all rules of one pod and a place. */
const RULES_STEPS = 4;
/** Steps of looking for devices. */
const DEVICE_STEPS = 12;

/** What a packing leaves to the order of binding, which is proved once it is whole. */
interface PackingWays {
  /** Whether pods keep to spread constraints that only other pods have; they do by default. */
  readonly isCourteous?: boolean | undefined;
  /** Whether pods that must share a node come only to one that has room for all of them; they do by default. */
  readonly keepsBundles?: boolean | undefined;
  /** Whether a pod may be placed where it must be bound before others that are placed already; it may not by default. */
  readonly mayComeBefore?: boolean | undefined;
  /** Whether the first pod of an affinity to itself may be bound after pods with spread that count it. */
  readonly mayStartLate?: boolean | undefined;
}

export class Packing {
  readonly problem: Problem;
  readonly #keepsBundles: boolean;
  /** Existing nodes first (index = node index), then claims in the order they were opened. */
  readonly targets: Target[];
  /** Class → pods not placed yet. */
  readonly remaining: Int32Array;
  readonly counts: TopologyCounts;
  readonly usage: PoolUsage;
  readonly flexibility: Flexibility;
  /** undefined where no pod claims devices. */
  readonly devices: DeviceRooms | undefined;
  /** Steps of work so far, about equal in length: questions about a pod and a place, offerings looked at. */
  steps = 0;
  /** Times that pods were put on a target; undefined where these are not recorded. */
  #arrivals: number | undefined;
  /** ReadWriteOncePod claims in use. */
  readonly #exclusive = new Set<string>();
  /** Spread rules by which pods were placed as a last resort: new domains must not break them. */
  readonly #relied = new Set<SpreadRule>();
  /** Those that were taken back still count: at worst another packing is preferred. */
  #reliedOnOrder = 0;
  readonly #bundleDemand: ReadonlyMap<number, Float64Array>;
  /** CSI driver → where its slots are on the axis. */
  readonly #slots: ReadonlyMap<string, number>;
  /** Claims that were let go of. */
  readonly #dropped = new Set<Target>();

  constructor(problem: Problem, ways: PackingWays = {}) {
    this.problem = problem;
    this.#keepsBundles = ways.keepsBundles ?? true;
    const { snapshot, nodeFree, topology, domains, admission, classes } = problem;
    const width = snapshot.resources.length;
    this.#slots = slotsOn(snapshot.resources);
    this.counts = new TopologyCounts({
      groups: topology.groups,
      domains,
      admission,
      isCourteous: ways.isCourteous,
      mayComeBefore: ways.mayComeBefore,
      mayStartLate: ways.mayStartLate,
    });
    this.usage = new PoolUsage(snapshot);
    this.remaining = Int32Array.from(classes, ({ pods, blocked }) =>
      blocked === undefined ? pods.length : 0,
    );
    this.#arrivals = this.remaining.reduce((sum, n) => sum + n, 0) <= MOST_RECORDED ? 0 : undefined;
    this.flexibility = new Flexibility(problem, this.usage);
    this.devices = DeviceRooms.of(problem);
    const room = nodeFree.slice();
    this.targets = snapshot.nodes.map(
      (_, row) => new Target({ target: row, column: -1, room, row, width, slots: this.#slots }),
    );
    for (const target of this.targets) this.counts.addHost(target);
    enterBoundPods(problem, {
      targets: this.targets,
      counts: this.counts,
      exclusive: this.#exclusive,
      devices: this.devices,
    });
    this.#bundleDemand = this.#bundles();
  }

  #bundles(): ReadonlyMap<number, Float64Array> {
    const { classes, bundleOf, snapshot } = this.problem;
    const result = new Map<number, Float64Array>();
    classes.forEach(({ requests, pods }, index) => {
      const bundle = bundleOf[index] ?? -1;
      if (bundle < 0) return;
      const demand = result.get(bundle) ?? new Float64Array(snapshot.resources.length);
      requests.forEach(
        (request, resource) => (demand[resource] = (demand[resource] ?? 0) + request * pods.length),
      );
      result.set(bundle, demand);
    });
    return new Map([...result].filter(([, demand]) => this.#fitsSomewhere(demand)));
  }

  /** A bundle too big for every node is not held together: as much of it as one node takes may still be placed. */
  #fitsSomewhere(demand: Float64Array): boolean {
    const { launchables, snapshot, nodeFree } = this.problem;
    const width = snapshot.resources.length;
    return (
      launchables.rowType.some(
        (_, row) => howManyFitNew(demand, rowOf(launchables.net, width, row), 1) === 1,
      ) || snapshot.nodes.some((_, node) => howManyFit(demand, rowOf(nodeFree, width, node), 1) === 1)
    );
  }

  /**
   * Room a target needs before the first pod of the class may go there: all of its bundle, while none is placed; as a
   * last resort that of one pod, and as many of the bundle follow as can.
   */
  roomNeeded(pods: PodClass, ask: Ask): Float64Array {
    const bundle = this.problem.bundleOf[pods.index] ?? -1;
    const demand =
      bundle >= 0 && this.#keepsBundles && ask.strictness !== 'last resort' && this.counts.total(bundle) === 0
        ? this.#bundleDemand.get(bundle)
        : undefined;
    return demand ?? this.devices?.roomForSharing(pods) ?? pods.requests;
  }

  /** Whether some node holds all pods of a bundle. */
  holdsBundle(bundle: number): boolean {
    return this.#bundleDemand.has(bundle);
  }

  /** Whether a node that exists, or one that can be launched, holds one pod of each class. */
  fitTogether(one: PodClass, other: PodClass): boolean {
    const { launchables, snapshot, admission, nodeFree } = this.problem;
    const [first, second] = [one.asks.at(-1)?.constraint, other.asks.at(-1)?.constraint];
    if (first === undefined || second === undefined) return false;
    const requests = one.requests.map((amount, axis) => amount + (other.requests[axis] ?? 0));
    const width = snapshot.resources.length;
    const [ones, others] = [admission.columns(first), admission.columns(second)];
    const isOpen = (column: number): boolean => ones[column] === 1 && others[column] === 1;
    return (
      launchables.rowColumns.some(
        (columns, row) =>
          howManyFitNew(requests, rowOf(launchables.net, width, row), 1) === 1 && columns.some(isOpen),
      ) ||
      snapshot.nodes.some(
        (_, node) =>
          howManyFit(requests, rowOf(nodeFree, width, node), 1) === 1 &&
          admission.node(first, node) &&
          admission.node(second, node),
      )
    );
  }

  /** Whether its pool's limits leave room for one more node of the row. */
  isWithinLimits(row: number): boolean {
    const { launchables } = this.problem;
    return this.usage.hasRoom(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
  }

  /** Whether the target could ever take a pod of the class: node constraints and room, which only shrinks. */
  mayHost(pods: PodClass, ask: Ask, target: Target): boolean {
    this.steps++;
    return target.hasRoom(pods.requests) && this.problem.admission.at(ask.constraint, target);
  }

  /** What forbids one more pod of the class on a target that `mayHost` it; undefined when nothing does. */
  forbids(pods: PodClass, ask: Ask, target: Target): Reason | undefined {
    this.steps += RULES_STEPS + (pods.devices.length > 0 ? DEVICE_STEPS : 0);
    return (
      this.takenFrom(pods, target.hostPorts) ??
      (target.volumesFit(pods.volumes)
        ? undefined
        : { code: 'VolumeLimit', claim: pods.volumes[0]?.claim ?? '' }) ??
      this.devices?.lacks(pods, target) ??
      this.counts.violated(pods, ask, target) ??
      this.flexibility.lost(pods, ask, target)
    );
  }

  /** Whether one more pod of the class may be put on the target now. */
  mayPut(pods: PodClass, ask: Ask, target: Target): boolean {
    return this.mayHost(pods, ask, target) && this.forbids(pods, ask, target) === undefined;
  }

  /** What the class must have to itself and others hold: a volume anywhere, a port among those in use on a node. */
  takenFrom(pods: PodClass, portsInUse: readonly HostPort[]): Reason | undefined {
    const exclusive = pods.volumes.find(
      ({ claim, readWriteOncePod }) => readWriteOncePod && this.#exclusive.has(claim),
    );
    if (exclusive !== undefined) return { code: 'VolumeClaimInUse', claim: exclusive.claim };
    const port = takenPort(pods.hostPorts, portsInUse);
    return port && { code: 'HostPortConflict', port: port.port };
  }

  /** Places `n` pods of the class. */
  put(pods: PodClass, ask: Ask, target: Target, n: number): void {
    if (this.counts.reliesOnOrder(ask, target)) this.#reliedOnOrder += n;
    target.occupy(pods, ask, n, this.#arrivals);
    if (this.#arrivals !== undefined) this.#arrivals++;
    this.devices?.put(pods, target, n);
    if (ask.affinity.length > 0) this.counts.start(pods, ask, target);
    this.counts.add(pods, target, n);
    if (ask.strictness === 'last resort') for (const rule of ask.spread) this.#relied.add(rule);
    for (const { claim, readWriteOncePod } of pods.volumes) if (readWriteOncePod) this.#exclusive.add(claim);
    this.remaining[pods.index] = (this.remaining[pods.index] ?? 0) - n;
  }

  /** Keeps `n` pods of the class from being placed; a negative number lets so many be placed again. */
  reserve({ index }: PodClass, n: number): void {
    this.remaining[index] = (this.remaining[index] ?? 0) - n;
  }

  /** Takes back the `n` pods of the class that were put there last; what they hold alone (ReadWriteOncePod) is free again. */
  takeBack(pods: PodClass, target: Target, n: number): void {
    target.vacate(pods, n);
    this.devices?.takeBack(pods, target, n);
    this.counts.add(pods, target, -n);
    if (!target.content.has(pods.index)) this.counts.forgetFirst(pods, target);
    for (const { claim, readWriteOncePod } of pods.volumes)
      if (readWriteOncePod) this.#exclusive.delete(claim);
    this.remaining[pods.index] = (this.remaining[pods.index] ?? 0) + n;
  }

  /** Places as many pods as the target takes now; returns how many. */
  putAllThatFit(pods: PodClass, ask: Ask, target: Target): number {
    const fit = howManyFit(pods.requests, target.free, this.remaining[pods.index] ?? 0);
    if (fit === 0 || !this.mayHost(pods, ask, target)) return 0;
    if (this.isFree(pods, ask) && this.flexibility.isIrrelevant(target)) {
      this.put(pods, ask, target, fit);
      return fit;
    }
    let placed = 0;
    if (howManyFit(this.roomNeeded(pods, ask), target.free, 1) === 0) return 0;
    while (placed < fit && this.forbids(pods, ask, target) === undefined) {
      this.put(pods, ask, target, 1);
      placed++;
    }
    return placed;
  }

  /** Whether nothing but room and the node itself decides: no rule of topology, ports, volumes or devices concerns the class. */
  isFree(pods: PodClass, ask: Ask): boolean {
    const rules = ask.spread.length + ask.affinity.length + ask.antiAffinity.length + pods.repelledBy.length;
    const claims = pods.volumes.length + pods.devices.length;
    return rules + pods.courtesies.length + pods.hostPorts.length + claims === 0;
  }

  /** Pods placed where their spread holds over the domains that there are, and perhaps not over all that could be launched. */
  get reliedOnOrder(): number {
    return this.#reliedOnOrder;
  }

  /** Whether any pod was placed as a last resort under a spread rule. */
  get isAnyRelied(): boolean {
    return this.#relied.size > 0;
  }

  /** The spread of pods placed as a last resort that a new node for the class, without a pod that they count, would break. */
  brokenByOpening({ memberOf }: PodClass, column: number): Reason | undefined {
    for (const rule of this.#relied) {
      if (memberOf.includes(rule.group.index)) continue;
      if (this.counts.breaksByNewDomain(rule, column)) return rule.reason;
    }
    return undefined;
  }

  /** Opens a claim of this column; its room is what DaemonSets leave. */
  open(column: number): Target {
    const { launchables, snapshot, daemonPorts } = this.problem;
    const row = launchables.columnRow[column] ?? 0;
    const width = snapshot.resources.length;
    const room = rowOf(launchables.net, width, row).slice();
    const target = new Target({
      ...{ target: this.targets.length, column, room, row: 0, width },
      slots: this.#slots,
    });
    target.bind(daemonPorts.at(column));
    this.targets.push(target);
    this.counts.addHost(target);
    this.usage.take(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
    return target;
  }

  /** Makes a claim one of another column of its template; whether its pods may be there is for the caller to ask. */
  retype(target: Target, column: number): void {
    const { launchables, classes, snapshot } = this.problem;
    const width = snapshot.resources.length;
    const from = launchables.columnRow[target.column] ?? 0;
    const to = launchables.columnRow[column] ?? 0;
    const count = (sign: number): void => {
      for (const [index, n] of target.content) {
        const pods = classes[index];
        if (pods !== undefined) this.counts.add(pods, target, sign * n);
      }
    };
    this.counts.expectFirst(target, -1);
    count(-1);
    this.usage.release(launchables.rowPool[from] ?? 0, rowCapacity(launchables, from));
    this.usage.take(launchables.rowPool[to] ?? 0, rowCapacity(launchables, to));
    const before = rowOf(launchables.net, width, from);
    target.become(
      column,
      rowOf(launchables.net, width, to).map((amount, axis) => amount - (before[axis] ?? 0)),
    );
    this.devices?.retype(target);
    count(1);
    this.counts.expectFirst(target, 1);
  }

  /** Lets go of claims that nothing is left on: they take no more of any limit, and no pod goes there again. */
  dropEmpty(): void {
    const { launchables } = this.problem;
    for (const target of this.targets) {
      const { column, content, free } = target;
      if (column < 0 || content.size > 0 || this.#dropped.has(target)) continue;
      this.#dropped.add(target);
      const row = launchables.columnRow[column] ?? 0;
      this.usage.release(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
      free.fill(-1);
    }
  }

  /** Takes back a claim just opened that nothing was put on. */
  close(target: Target): void {
    const { launchables } = this.problem;
    this.devices?.forget(target);
    const row = launchables.columnRow[target.column] ?? 0;
    this.targets.pop();
    this.counts.removeHost();
    this.usage.release(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
  }
}

/** Where the bound pods are entered. */
interface BoundInto {
  /** Node index → target. */
  readonly targets: readonly Target[];
  readonly counts: TopologyCounts;
  /** ReadWriteOncePod claims in use. */
  readonly exclusive: Set<string>;
  readonly devices: DeviceRooms | undefined;
}

/** Enters every bound pod; its room is taken off `Problem.nodeFree` already. */
function enterBoundPods(problem: Problem, into: BoundInto): void {
  for (const each of problem.held) enter(each, into);
  into.counts.settleMoves();
  for (const { daemonSet, node } of problem.coming)
    into.targets[node]?.bind(problem.snapshot.daemonSets[daemonSet]?.spec.hostPorts ?? []);
}

function enter(
  { node, hold, isTerminating, move }: HeldByPod,
  { targets, counts, exclusive, devices }: BoundInto,
): void {
  const target = targets[node];
  if (target === undefined) return;
  const memberOf = isTerminating ? hold.memberStill : hold.memberOf;
  counts.addBound({ memberOf, repels: hold.repels }, target, move);
  target.bind(hold.hostPorts);
  if (hold.devices.length > 0) devices?.enterPlanned(hold.devices, target);
  for (const volume of hold.volumes) {
    if (volume.readWriteOncePod) exclusive.add(volume.claim);
    target.attach(volume);
  }
}
