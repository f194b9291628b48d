/**
 * Hours of a cluster whose workloads change, in virtual time: pods that wait are planned, the disruptor is asked again and again,
 * and what it decides is carried out, so that what consolidation saves can be weighed against the evictions that it takes.
 */
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import type { Node } from '../../src/domain/nodes/node.js';
import type { ObservedPod } from '../../src/domain/pods/observed-pod.js';
import { podKey } from '../../src/domain/pods/pod.js';
import { ARCH, CAPACITY_TYPE, INSTANCE_PREFIX } from '../../src/domain/values/labels.js';
import { requirement } from '../../src/domain/values/requirement.js';
import { CompileCache } from '../../src/planning/engine/compile-cache.js';
import { plan } from '../../src/planning/engine/plan.js';
import { DisruptionMemory } from '../../src/planning/disrupt/draft.js';
import { disrupt } from '../../src/planning/disrupt/methods.js';
import {
  DEFAULT_DISRUPTION_OPTIONS,
  type DisruptionAnswer,
  type DisruptionCommand,
  type DisruptionInput,
  type DisruptionOptions,
  type ManagedNode,
} from '../../src/planning/disrupt/question/disruption.js';
import type { PlannedClaim } from '../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../test/support/builders/cluster-input.js';
import { disruptionTerms, managedNode, NOW } from '../../test/support/builders/disruption-input.js';
import { node } from '../../test/support/builders/node.js';
import { poolOffer } from '../../test/support/builders/node-pool.js';
import { observedPod } from '../../test/support/builders/observed-pod.js';
import { churnEvents, CHURN_KINDS, type ChurnKind, type ChurnWorkload } from '../workloads/churn.js';
import type { Purchase } from '../workloads/pools.js';
import { instanceTypes } from '../workloads/instance-types.js';
import { processorSeconds } from './stopwatch.js';

export interface ChurnQuestion {
  /** Of CHURN_KINDS. */
  readonly name: string;
  readonly seed: number;
  /** In place of the defaults. */
  readonly options: Partial<DisruptionOptions>;
}

export interface ChurnRow {
  readonly kind: string;
  readonly seed: number;
  /** What the nodes cost in all, in USD. */
  readonly usd: number;
  /** Pods that consolidation moved. */
  readonly evictions: number;
  /** Pods that workloads made. */
  readonly created: number;
  readonly launched: number;
  readonly cpuSeconds: number;
}

/** Between two looks at the cluster, in seconds. */
const TICK = 20;
/** From a command to its validation, and from a launch until the node is ready. */
const SETTLE = 20;
const BOOT = 40;
/** Plans of one look, so that hours take seconds: the next look continues. */
const SIMULATIONS = 16;
const SIZES = new Set(['large', 'xlarge', '2xlarge', '4xlarge']);
const FAMILIES = new Set(['c6i', 'm6i', 'r6i', 'c7g', 'm7g', 'r7g']);
const ZONES = 3;

interface RunningNode {
  readonly node: Node;
  readonly price: number;
  readonly launchedAt: number;
  quietSince: number;
  leaving: boolean;
  emptying: boolean;
}

/** @throws Error when there is no such kind. */
export function measureChurn({ name, seed, options }: ChurnQuestion): ChurnRow {
  const kind = CHURN_KINDS.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no churn is called ${name}`);
  const start = process.cpuUsage();
  const cluster = new ChurningCluster(kind, options);
  const events = churnEvents(kind, seed);
  let next = 0;
  for (let second = 0; second < kind.hours * 3600; second += TICK) {
    for (let event = events[next]; event !== undefined && event.at <= second; event = events[++next])
      cluster.scale(event.workload, event.replicas, second);
    cluster.tick(second);
  }
  const { usd, evictions, created, launched } = cluster;
  return { kind: name, seed, usd, evictions, created, launched, cpuSeconds: processorSeconds(start) };
}

/** A few families and sizes that many clusters run on, in three zones. */
function typesOf(purchase: Purchase): readonly InstanceType[] {
  const chosen = instanceTypes(undefined).filter(
    ({ labels }) =>
      SIZES.has(labels.get(`${INSTANCE_PREFIX}size`) ?? '') &&
      FAMILIES.has(labels.get(`${INSTANCE_PREFIX}family`) ?? ''),
  );
  const zones = [...new Set(chosen.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)))]
    .sort()
    .slice(0, ZONES);
  return chosen.map((type) => ({
    ...type,
    offerings: type.offerings.filter(
      ({ zone, capacityType }) => zones.includes(zone) && capacityType === purchase,
    ),
  }));
}

class ChurningCluster {
  usd = 0;
  evictions = 0;
  created = 0;
  launched = 0;
  readonly #options: DisruptionOptions;
  readonly #base: ClusterInput;
  readonly #types: ReadonlyMap<string, InstanceType>;
  readonly #nodes = new Map<string, RunningNode>();
  readonly #pods = new Map<string, ObservedPod>();
  /** Commands on their way, and when each is validated. */
  #commands: { readonly command: DisruptionCommand; readonly at: number }[] = [];
  readonly #cache = new CompileCache();
  readonly #memory = new DisruptionMemory(this.#cache);
  readonly #resting = new Map<string, number>();
  #cursor = '';
  #hasChanged = true;
  #names = 0;

  constructor({ purchase }: ChurnKind, options: Partial<DisruptionOptions>) {
    this.#options = {
      ...DEFAULT_DISRUPTION_OPTIONS,
      simulations: SIMULATIONS,
      ...options,
      plan: DEFAULT_PLAN_OPTIONS,
    };
    const all = typesOf(purchase);
    this.#types = new Map(all.map((type) => [type.name, type]));
    const disruption = disruptionTerms({
      budgets: [{ nodes: { percent: 10 }, reasons: undefined, window: undefined }],
    });
    const requirements = [
      requirement(ARCH, 'In', ['amd64', 'arm64']),
      requirement(CAPACITY_TYPE, 'In', [purchase]),
    ];
    this.#base = clusterInput({ pools: [poolOffer({ requirements, disruption }, all)] });
  }

  scale(workload: ChurnWorkload, replicas: number, now: number): void {
    this.#hasChanged = true;
    const own = [...this.#pods.values()].filter(({ owner }) => owner?.name === workload.name);
    for (let count = own.length; count < replicas; count++) this.#create(workload, now);
    if (own.length <= replicas) return;
    const shared = new Map<string, number>();
    for (const { nodeName = '' } of own) shared.set(nodeName, (shared.get(nodeName) ?? 0) + 1);
    // As kube-controller-manager does: the lower deletion cost first, then where more of them share a node, then the newest.
    const rank = ({ nodeName = '' }: ObservedPod): number =>
      Number(this.#nodes.get(nodeName)?.emptying !== true);
    own.sort(
      (left, right) =>
        rank(left) - rank(right) ||
        (shared.get(right.nodeName ?? '') ?? 0) - (shared.get(left.nodeName ?? '') ?? 0) ||
        right.createdAt - left.createdAt,
    );
    for (const pod of own.slice(0, own.length - replicas)) {
      this.#pods.delete(podKey(pod));
      this.#stir(pod.nodeName, now);
    }
  }

  #create({ name, millicores, mebibytes }: ChurnWorkload, now: number): void {
    this.created++;
    const pod = observedPod({
      name: `${name}-${String(++this.#names)}`,
      uid: `uid-${String(this.#names)}`,
      owner: { kind: 'ReplicaSet', name },
      labels: { app: name },
      requests: { cpu: `${String(millicores)}m`, memory: `${String(mebibytes)}Mi` },
      createdAt: timeAt(now),
    });
    this.#pods.set(podKey(pod), pod);
  }

  /** A pod came to the node or left it. */
  #stir(nodeName: string | undefined, now: number): void {
    const found = this.#nodes.get(nodeName ?? '');
    if (found !== undefined) found.quietSince = Math.max(found.quietSince, now);
  }

  tick(now: number): void {
    this.#provision(now);
    this.#carryOut(now);
    this.#disrupt(now);
    for (const { price } of this.#nodes.values()) this.usd += (price * TICK) / 3600;
  }

  #provision(now: number): void {
    if (![...this.#pods.values()].some(({ nodeName }) => nodeName === undefined)) return;
    this.#hasChanged = true;
    const input = this.#input();
    const nodes = input.nodes.map((each) =>
      this.#nodes.get(each.name)?.leaving === true ? { ...each, unschedulable: true } : each,
    );
    const { claims, placements, unschedulable } = plan(
      buildSnapshot({ ...input, nodes }, this.#cache.snapshots),
      DEFAULT_PLAN_OPTIONS,
      { cache: this.#cache, improvement: 0 },
    );
    if (unschedulable.length > 0) throw new Error(`no place for ${unschedulable[0]?.pod ?? ''}`);
    const names = this.#launch(claims, now);
    for (const { pod, target } of placements) this.#bind(pod, names.get(target.name) ?? target.name, now);
  }

  #bind(key: string, nodeName: string, now: number): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.set(key, { ...pod, nodeName, phase: 'Running', ready: true });
    this.#stir(nodeName, now);
  }

  /** Each as the cheapest of what it may be; answers what the claims' nodes are called. */
  #launch(claims: readonly PlannedClaim[], now: number): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    for (const claim of claims) {
      const offers = claim.instanceTypes.flatMap((name) => {
        const type = this.#types.get(name);
        return (type?.offerings ?? [])
          .filter(({ zone }) => claim.zones.includes(zone))
          .map(({ zone, price, capacityType }) => ({ type, zone, price, capacityType }));
      });
      const [cheapest] = offers.sort((left, right) => left.price - right.price);
      if (cheapest?.type === undefined) throw new Error(`${claim.name} is offered nowhere`);
      this.launched++;
      const { type, zone, price, capacityType } = cheapest;
      const name = `node-${String(this.launched)}`;
      names.set(claim.name, name);
      this.#nodes.set(name, {
        node: node({ name, type, zone, capacityType, nodePool: 'default' }),
        ...{ price, launchedAt: now, quietSince: now + BOOT, leaving: false, emptying: false },
      });
    }
    return names;
  }

  #carryOut(now: number): void {
    const due = this.#commands.filter(({ at }) => at <= now);
    this.#commands = this.#commands.filter(({ at }) => at > now);
    for (const { command } of due) {
      for (const name of command.nodes) this.#setLeaving(name, false);
      const only = new Set(command.nodes.filter((name) => this.#nodes.has(name)));
      const answer = this.#ask(now, only);
      const valid = answer.commands.find(({ reason }) => reason === command.reason);
      const kept = new Set(valid?.nodes);
      for (const name of command.nodes) if (!kept.has(name)) this.#resting.set(name, now + 60);
      if (valid !== undefined) this.#move(valid, now);
      this.#hasChanged = true;
    }
  }

  #setLeaving(name: string, leaving: boolean): void {
    const found = this.#nodes.get(name);
    if (found !== undefined) found.leaving = leaving;
  }

  /** Nodes that are replaced cost until their replacements are ready. */
  #move({ nodes, claims, placements, reason }: DisruptionCommand, now: number): void {
    const names = this.#launch(claims, now);
    for (const name of nodes) {
      const gone = this.#nodes.get(name);
      if (gone !== undefined && claims.length > 0) this.usd += (gone.price * BOOT) / 3600;
      this.#nodes.delete(name);
    }
    for (const { pod, target } of placements) this.#bind(pod, names.get(target.name) ?? target.name, now);
    if (reason === 'Underutilized') this.evictions += placements.length;
  }

  #disrupt(now: number): void {
    if (!this.#hasChanged && this.#cursor === '' && now % 60 !== 0) return;
    this.#hasChanged = false;
    const answer = this.#ask(now);
    this.#cursor = answer.cursor;
    if (now % 60 === 0) {
      const emptying = new Set(answer.emptying);
      for (const [name, found] of this.#nodes) found.emptying = emptying.has(name);
    }
    for (const command of answer.commands) {
      for (const name of command.nodes) this.#setLeaving(name, true);
      this.#commands.push({ command, at: now + SETTLE });
    }
  }

  #ask(now: number, only?: ReadonlySet<string>): DisruptionAnswer {
    const cluster = this.#input();
    const resting = new Set([...this.#resting].flatMap(([name, until]) => (until > now ? [name] : [])));
    const input: DisruptionInput = {
      cluster,
      nodes: [...this.#nodes.values()].map((each) => this.#managed(each, now)),
      pods: [...this.#pods.values()],
      podDisruptionBudgets: [],
      workloads: [],
      frozenPools: new Set(),
      now: timeAt(now),
      cursor: only === undefined ? this.#cursor : '',
      resting: only === undefined ? resting : new Set(),
      only,
    };
    return disrupt(input, this.#options, this.#memory);
  }

  #managed(
    { node: { name }, price, launchedAt, quietSince, leaving, emptying }: RunningNode,
    now: number,
  ): ManagedNode {
    const isReady = now >= launchedAt + BOOT;
    return managedNode({
      ...{ name, hourlyPrice: price, initialized: isReady, ready: isReady, leaving, emptying },
      createdAt: timeAt(launchedAt),
      quietSince: timeAt(quietSince),
    });
  }

  #input(): ClusterInput {
    return {
      ...this.#base,
      nodes: [...this.#nodes.values()].map((each) => each.node),
      pods: [...this.#pods.values()],
    };
  }
}

/** Milliseconds since 1970. */
function timeAt(second: number): number {
  return NOW + 1000 * second;
}
