/** Nodes with what decides whether they may go: their pods, what they cost, and the first rule that forbids it. */
import { describeNodeClass } from '../../../domain/policies/node-class.js';
import { DEFAULT_ECONOMICS, type Economics } from '../../../domain/policies/economics.js';
import type { Disruption, NodePool } from '../../../domain/policies/node-pool.js';
import { labelledTenancy } from '../../../domain/nodes/tenancy.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, NO_LABELS, ZONE } from '../../../domain/values/labels.js';
import type { Node } from '../../../domain/nodes/node.js';
import { isVirtualPod } from '../../../domain/pods/capacity-buffer.js';
import { podKey, type Pod } from '../../../domain/pods/pod.js';
import type { ClusterView } from './cluster-view.js';
import type { DisruptionInput, ManagedNode, NodeLife } from '../question/disruption.js';
import { EvictionBudgets } from '../budgets/eviction-budgets.js';
import { PodWindows } from '../../../domain/pods/disruption-windows.js';
import { evictionWeight, podProtectedUntil, protectedUntil } from '../../../domain/pods/movable-pods.js';
import { type Budgeted, NodeBudgets } from '../budgets/node-budgets.js';
import type { Refusal, RuleRefusal } from '../question/refusal.js';

/** A node that may be asked to go, at one moment of an answer. */
export interface Candidate {
  readonly node: ManagedNode;
  readonly name: string;
  /** Pods that would have to move. */
  readonly pods: readonly Pod[];
  /** USD/h; 0 when it is not known. */
  readonly price: number;
  readonly isSpot: boolean;
  /** Type, zone, capacity type and tenancy as one text: equal for nodes that are worth the same. */
  readonly offering: string;
  /** What its evictions weigh: one for each ordinary pod. */
  readonly evictions: number;
  /** Share of its lifetime that is left: evictions that expiration would soon make anyway cost less (Karpenter: lifetime remaining). */
  readonly life: number;
}

/** What methods find nodes due by. */
export interface DueInput {
  readonly cluster: Pick<DisruptionInput['cluster'], 'pools'>;
  readonly nodes: readonly NodeLife[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Which nodes a method lets go. */
export interface MethodRules extends Budgeted {
  /** The nodes that are due, each with the time since when, in milliseconds since 1970. Only for methods that replace nodes. */
  readonly due?: ((input: DueInput) => ReadonlyMap<string, number>) | undefined;
  /**
   * Whether nodes go whatever pods and validation say, and whatever budgets say unless they can name the reason. `terms` are those
   * of the node's pool, if they are known.
   */
  readonly isForced: (terms: Disruption | undefined) => boolean;
  /** Whether pods cannot keep a node with a terminationGracePeriod (Karpenter: eventual disruption). */
  readonly isEventual: boolean;
  /** What forbids a node to go for this reason beyond what holds for all methods. `pool` is that of the node. */
  readonly forbids?:
    ((candidate: Candidate, pool: NodePool, input: DisruptionInput) => Refusal | undefined) | undefined;
}

/** What all priced nodes of a pool cost and weigh (Karpenter: Balanced scores against these). */
interface PoolTotals {
  /** USD/h. */
  readonly cost: number;
  /** One for each node, and its evictions. */
  readonly weight: number;
}

const NO_ZONES: ReadonlySet<string> = new Set();

export class Candidates {
  readonly #input: DisruptionInput;
  readonly #view: ClusterView;
  readonly #pools: ReadonlyMap<string, NodePool>;
  readonly #shown: ReadonlyMap<string, Node>;
  /** By name. */
  readonly #nodes: readonly ManagedNode[];
  readonly #totals = new Map<string, PoolTotals>();
  /** By name, of the cluster at this revision. */
  readonly #known = new Map<string, Candidate>();
  #revision = -1;
  /** Names of nodes that the answer has rebooted. */
  readonly #leftAlone = new Set<string>();
  readonly #refusals = new WeakMap<Candidate, Map<MethodRules, Refusal | undefined>>();
  readonly #podWindows: PodWindows;
  readonly evictionBudgets: EvictionBudgets;
  readonly nodeBudgets: NodeBudgets;

  /** Names of nodes that go whatever happens. */
  readonly doomed: ReadonlySet<string>;

  constructor(input: DisruptionInput, view: ClusterView, methods: readonly MethodRules[]) {
    this.#input = input;
    this.#view = view;
    this.#pools = new Map(
      input.cluster.pools.flatMap(({ pool, frozen }) => (frozen === true ? [] : [[pool.name, pool]])),
    );
    this.#shown = new Map(input.cluster.nodes.map((node) => [node.name, node]));
    this.#podWindows = new PodWindows(input.now);
    this.evictionBudgets = new EvictionBudgets(input);
    this.nodeBudgets = new NodeBudgets({ ...input, podsOn: (name) => realPods(view.movable(name)) });
    // Sums of prices depend on their order in the last digit.
    this.#nodes = [...input.nodes].sort((left, right) => (left.name < right.name ? -1 : 1));
    this.doomed = this.#doomed(methods);
    for (const node of this.#nodes) this.#addToTotals(this.#candidate(node));
  }

  #addToTotals({ node: { nodePool, hourlyPrice }, evictions }: Candidate): void {
    if (hourlyPrice === undefined) return;
    const { cost, weight } = this.totals(nodePool);
    this.#totals.set(nodePool, { cost: cost + hourlyPrice, weight: weight + 1 + evictions });
  }

  totals(nodePool: string): PoolTotals {
    return this.#totals.get(nodePool) ?? { cost: 0, weight: 0 };
  }

  #doomed(methods: readonly MethodRules[]): ReadonlySet<string> {
    const poolOf = new Map(this.#nodes.map(({ name, nodePool }) => [name, nodePool]));
    return new Set(
      methods.flatMap(({ due, isForced }) =>
        [...(due?.(this.#input).keys() ?? [])].filter((name) => isForced(this.terms(poolOf.get(name) ?? ''))),
      ),
    );
  }

  /** No method decides about the node any more. */
  leaveAlone({ name }: Candidate): void {
    this.#leftAlone.add(name);
  }

  /** Managed nodes that do not go already and are not left alone, by name; only those of `among`, where that is given. */
  all(among?: ReadonlyMap<string, unknown>): readonly Candidate[] {
    const { only, resting } = this.#input;
    return (among === undefined ? this.#nodes : this.#nodes.filter(({ name }) => among.has(name)))
      .filter(({ name, leaving }) => !leaving && this.#view.has(name) && (only?.has(name) ?? true))
      .filter(({ name, rebooting }) => (!resting.has(name) && rebooting !== true) || this.doomed.has(name))
      .filter(({ name }) => !this.#leftAlone.has(name))
      .map((node) => this.#candidate(node));
  }

  #candidate(node: ManagedNode): Candidate {
    if (this.#revision !== this.#view.revision) this.#known.clear();
    this.#revision = this.#view.revision;
    const known = this.#known.get(node.name) ?? this.#made(node);
    this.#known.set(node.name, known);
    return known;
  }

  #made(node: ManagedNode): Candidate {
    const pods = this.#view.movable(node.name);
    const labels = this.#shown.get(node.name)?.labels ?? NO_LABELS;
    const offering = [INSTANCE_TYPE, ZONE, CAPACITY_TYPE].map((key) => labels.get(key) ?? '');
    return {
      node,
      name: node.name,
      pods,
      price: node.hourlyPrice ?? 0,
      isSpot: labels.get(CAPACITY_TYPE) === 'spot',
      offering: [...offering, labelledTenancy(labels)].join(' '),
      evictions: pods.reduce((sum, pod) => sum + evictionWeight(pod), 0),
      life: lifeLeft(node, this.#input.now),
    };
  }

  /** The node as it is now, with what commands have put on it since. */
  again({ node }: Candidate): Candidate {
    return this.#candidate(node);
  }

  pool(name: string): NodePool | undefined {
    return this.#input.frozenPools.has(name) ? undefined : this.#pools.get(name);
  }

  /** Why nodes stay whose NodePool `pool` does not answer: its own document is gone, or that of its node class. */
  frozen(nodePool: string): RuleRefusal {
    const ref = this.#pools.get(nodePool)?.template.nodeClassRef;
    return { code: 'NodePoolFrozen', nodePool, nodeClass: ref && describeNodeClass(ref) };
  }

  /** The terms of a pool, frozen or not; undefined where it is not known. */
  terms(nodePool: string): Disruption | undefined {
    return this.#pools.get(nodePool)?.disruption;
  }

  /** What a saving of the node is weighed against. */
  readonly economicsOf = ({ node }: Candidate): Economics =>
    this.#pools.get(node.nodePool)?.disruption.economics ?? DEFAULT_ECONOMICS;

  /** The first rule, budgets apart, that forbids the node to go for the reason. */
  refusal(candidate: Candidate, method: MethodRules): Refusal | undefined {
    const known = this.#refusals.get(candidate) ?? new Map<MethodRules, Refusal | undefined>();
    this.#refusals.set(candidate, known);
    if (!known.has(method)) known.set(method, this.#ruledOut(candidate, method));
    return known.get(method);
  }

  #ruledOut(candidate: Candidate, method: MethodRules): Refusal | undefined {
    const pool = this.pool(candidate.node.nodePool);
    return (
      this.#nodeRefusal(candidate.node, method) ??
      this.#podRefusal(candidate, method) ??
      (pool && method.forbids?.(candidate, pool, this.#input)) ??
      this.nodeBudgets.closed(method, candidate.node)
    );
  }

  #nodeRefusal(node: ManagedNode, { due }: MethodRules): RuleRefusal | undefined {
    if (!node.initialized) return { code: 'NotInitialized' };
    const { shiftedZones = NO_ZONES } = this.#input;
    if (shiftedZones.size > 0 && (due === undefined || node.shifted === true))
      return { code: 'ZonalShift', zones: [...shiftedZones].sort() };
    const { nodePool } = node;
    const pool = this.pool(nodePool);
    if (pool === undefined) return this.frozen(nodePool);
    // Its nodes are replaced, and not consolidated.
    if (pool.replicas !== undefined && due === undefined) return { code: 'StaticNodePool', nodePool };
    const until = protectedUntil(node.doNotDisrupt, node.createdAt, this.#input.now);
    if (until !== undefined) return { code: 'NodeDoNotDisrupt', until: finite(until) };
    const awaited = this.#view.receives(node.name) ?? [...node.awaitedPods].sort()[0];
    return awaited === undefined ? undefined : { code: 'AwaitsPods', pod: awaited };
  }

  /** Some methods overrule pods, whose time ends with the grace period (Karpenter: eventual disruption). */
  overrulesPods({ node }: Candidate, { isEventual }: MethodRules): boolean {
    return isEventual && node.terminationGracePeriodSeconds !== undefined;
  }

  #podRefusal(candidate: Candidate, method: MethodRules): RuleRefusal | undefined {
    if (this.overrulesPods(candidate, method)) return undefined;
    const pods = this.#view.podsOf(candidate.node.name);
    const { namespaceWindows, now } = this.#input;
    for (const pod of pods) {
      const until = podProtectedUntil(pod, now);
      if (until !== undefined) return { code: 'PodDoNotDisrupt', pod: podKey(pod), until: finite(until) };
      const closed = this.#podWindows.closed(pod, namespaceWindows?.get(pod.spec.namespace));
      if (closed !== undefined) return { code: 'PodOutsideWindows', pod: podKey(pod), ...closed };
    }
    return this.evictionBudgets.refusal(pods);
  }
}

function lifeLeft({ createdAt, expiresAt }: ManagedNode, now: number): number {
  if (expiresAt === undefined) return 1;
  return Math.min(1, Math.max(0, (expiresAt - now) / Math.max(1, expiresAt - createdAt)));
}

/** Without pods of CapacityBuffers, which stand for free room: no workload notices when they move. */
function realPods(pods: readonly Pod[]): number {
  return pods.reduce((count, pod) => count + Number(!isVirtualPod(pod)), 0);
}

function finite(until: number): number | undefined {
  return Number.isFinite(until) ? until : undefined;
}
