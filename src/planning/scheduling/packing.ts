/** The state of a plan being made: targets, what is left of every class, counters; and the moves that change them. */
import { NO_RESOURCES } from '../../domain/resources.js';
import type { LimitReached, Reason } from '../reason.js';
import type { Ask } from './ask.js';
import type { Place } from './domains.js';
import { daemonPorts } from './daemon-overhead.js';
import { Flexibility } from './flexibility.js';
import type { PodClass } from './pod-class.js';
import { PoolUsage } from './pool-usage.js';
import type { Problem } from './problem.js';
import { howManyFit, newTarget, occupy, portsAreFree, volumesFit, type Target } from './targets.js';
import { TopologyCounts } from './topology-counts.js';

export class Packing {
  readonly problem: Problem;
  /** Existing nodes first (index = node index), then claims in the order they were opened. */
  readonly targets: Target[];
  /** Class → pods not placed yet. */
  readonly remaining: Int32Array;
  readonly counts: TopologyCounts;
  readonly usage: PoolUsage;
  readonly flexibility: Flexibility;
  /** ReadWriteOncePod claims in use. */
  readonly #exclusive = new Set<string>();
  readonly #bundleDemand: ReadonlyMap<number, Float64Array>;

  constructor(problem: Problem) {
    this.problem = problem;
    const { snapshot, nodeFree, topology, domains, admission, classes } = problem;
    const width = snapshot.resources.length;
    this.counts = new TopologyCounts(topology.groups, domains, admission);
    this.usage = new PoolUsage(snapshot);
    this.remaining = Int32Array.from(classes, ({ pods, blocked }) =>
      blocked === undefined ? pods.length : 0,
    );
    this.flexibility = new Flexibility(problem);
    this.targets = snapshot.nodes.map((node, index) => {
      const free = nodeFree.slice(index * width, (index + 1) * width);
      return newTarget({ target: index, column: -1 }, free, node.volumeLimits);
    });
    for (const target of this.targets) this.counts.addHost(target);
    this.#countBoundPods();
    this.#bundleDemand = this.#bundles();
  }

  /** Pods that run already hold topology, ports and volumes; their room is taken off `nodeFree`. */
  #countBoundPods(): void {
    const { snapshot, topology } = this.problem;
    const { pods } = snapshot;
    pods.node.forEach((node, pod) => {
      const target = this.targets[node];
      const spec = pods.spec[pod] ?? 0;
      const relations = topology.ofSpec[spec];
      if (target === undefined || relations === undefined) return;
      const repels = relations.antiAffinity.filter(({ weight }) => weight === 0).map(({ group }) => group);
      this.counts.add({ memberOf: relations.memberOf, repels, spreads: [] }, target, 1);
      for (const port of snapshot.specs[spec]?.hostPorts ?? []) target.hostPorts.push(port);
      for (const use of snapshot.specs[spec]?.volumes ?? []) this.#holdVolume(use.claim, target);
    });
  }

  #holdVolume(name: string, target: Target): void {
    const { claims, volumes } = this.problem.snapshot.volumes;
    const claim = claims.get(name);
    if (claim?.readWriteOncePod) this.#exclusive.add(name);
    const driver = volumes.get(claim?.volumeName ?? '')?.driver;
    if (driver === undefined || target.attached.has(name)) return;
    target.attached.add(name);
    target.attachments.set(driver, (target.attachments.get(driver) ?? 0) + 1);
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
    return result;
  }

  /** Room a target needs before the first pod of the class may go there: all of its bundle, while none is placed. */
  roomNeeded(pods: PodClass): Float64Array {
    const bundle = this.problem.bundleOf[pods.index] ?? -1;
    const demand =
      bundle >= 0 && this.counts.total(bundle) === 0 ? this.#bundleDemand.get(bundle) : undefined;
    return demand ?? pods.requests;
  }

  /** A bundle too big for every node yet to come is not held back: some of it may still be placed. */
  #fitsSomewhere(room: Float64Array): boolean {
    const { launchables, snapshot } = this.problem;
    const width = snapshot.resources.length;
    return launchables.rowType.some(
      (_, row) => howManyFit(room, launchables.net.subarray(row * width, (row + 1) * width), 1) === 1,
    );
  }

  /** The limit of the row's pool that one more node of its type would break. */
  limitReached(row: number): LimitReached | undefined {
    const { rowPool, rowType } = this.problem.launchables;
    return this.usage.exceeded(rowPool[row] ?? 0, rowType[row]?.capacity ?? NO_RESOURCES);
  }

  /** Whether the target could ever take a pod of the class: node constraints and room, which only shrinks. */
  mayHost(pods: PodClass, ask: Ask, target: Target): boolean {
    const { admission } = this.problem;
    const admitted =
      target.column >= 0
        ? admission.columns(ask.constraint)[target.column] === 1
        : admission.node(ask.constraint, target.target);
    return admitted && howManyFit(pods.requests, target.free, 1) === 1;
  }

  /** What forbids one more pod of the class on a target that `mayHost` it; undefined when nothing does. */
  forbids(pods: PodClass, ask: Ask, target: Target): Reason | undefined {
    if (!portsAreFree(target, pods.hostPorts))
      return { code: 'HostPortConflict', port: pods.hostPorts[0]?.port ?? 0 };
    const taken = pods.volumes.find(
      ({ claim, readWriteOncePod }) => readWriteOncePod && this.#exclusive.has(claim),
    );
    if (taken !== undefined) return { code: 'VolumeClaimInUse', claim: taken.claim };
    if (!volumesFit(target, pods.volumes))
      return { code: 'VolumeTopology', claim: pods.volumes[0]?.claim ?? '' };
    return this.counts.violated(pods, ask, target) ?? this.flexibility.lost(pods, ask, target);
  }

  /** Places `n` pods of the class. */
  put(pods: PodClass, ask: Ask, target: Target, n: number): void {
    occupy(target, pods, ask, n);
    this.counts.add(pods, target, n);
    for (const { claim, readWriteOncePod } of pods.volumes) if (readWriteOncePod) this.#exclusive.add(claim);
    this.remaining[pods.index] = (this.remaining[pods.index] ?? 0) - n;
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
    if (howManyFit(this.roomNeeded(pods), target.free, 1) === 0) return 0;
    while (placed < fit && this.forbids(pods, ask, target) === undefined) {
      this.put(pods, ask, target, 1);
      placed++;
    }
    return placed;
  }

  /** Whether nothing but room and the node itself decides: no rule of topology, ports or volumes concerns the class. */
  isFree(pods: PodClass, ask: Ask): boolean {
    const rules = ask.spread.length + ask.affinity.length + ask.antiAffinity.length + pods.repelledBy.length;
    return rules + pods.courtesies.length + pods.hostPorts.length + pods.volumes.length === 0;
  }

  /** Opens a claim of this column; its room is what DaemonSets leave. */
  open(column: number): Target {
    const { launchables, snapshot } = this.problem;
    const row = launchables.columnRow[column] ?? 0;
    const width = snapshot.resources.length;
    const place: Place = { target: this.targets.length, column };
    const target = newTarget(place, launchables.net.slice(row * width, (row + 1) * width));
    const view = launchables.views[column];
    if (view !== undefined) target.hostPorts.push(...daemonPorts(snapshot, view));
    this.targets.push(target);
    this.counts.addHost(place);
    this.usage.take(launchables.rowPool[row] ?? 0, launchables.rowType[row]?.capacity ?? NO_RESOURCES);
    return target;
  }

  /** Takes back a claim just opened that nothing was put on. */
  close(target: Target): void {
    const { launchables } = this.problem;
    const row = launchables.columnRow[target.column] ?? 0;
    this.targets.pop();
    this.counts.removeHost();
    this.usage.release(launchables.rowPool[row] ?? 0, launchables.rowType[row]?.capacity ?? NO_RESOURCES);
  }
}
