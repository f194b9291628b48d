/** One answer while it is made: commands so far, the cluster as they leave it, and what budgets have left. */
import { podKey } from '../../domain/pods/pod.js';
import { ConsolidationPlanner } from './curve/consolidation-curve.js';
import { CompileCache } from '../engine/compile-cache.js';
import type { PlannedClaim, Placement, Plan } from '../plan.js';
import { Candidates, type Candidate } from './sets/candidates.js';
import { ClusterView } from './sets/cluster-view.js';
import type {
  DisruptionCommand,
  DisruptionInput,
  ManagedNode,
  DisruptionOptions,
  NodeRefusal,
  TerminateFirstReason,
} from './question/disruption.js';
import { EvictionTally } from './budgets/eviction-budgets.js';
import type { Method } from './method.js';
import { isGoing, NodeTally } from './budgets/node-budgets.js';
import type { Refusal } from './question/refusal.js';
import { hourlyOf, movingCostOf, priceOf } from './sets/settle.js';
import { PlanMemory } from './sets/plan-memory.js';
import { Simulator } from './sets/simulator.js';

/** What comes instead of nodes. */
export interface Instead extends Pick<Plan, 'claims' | 'placements'> {
  /** What else was looked at. */
  readonly considered: string;
  /** See DisruptionCommand. */
  readonly terminateFirst?: TerminateFirstReason | undefined;
}

export const NOTHING_INSTEAD: Instead = { claims: [], placements: [], considered: '' };

/** What disruption remembers from one question to the next: it makes answers quicker and changes none. */
export class DisruptionMemory {
  readonly plans: CompileCache;
  readonly made = new PlanMemory();
  readonly curve: ConsolidationPlanner;

  /** @param cache of provisioning, where both are asked about the same cluster. */
  constructor(cache = new CompileCache()) {
    this.plans = cache.beside();
    this.curve = new ConsolidationPlanner(cache.beside());
  }
}

interface DraftParts {
  readonly methods: readonly Method[];
  readonly memory: DisruptionMemory;
  /** Called between pieces of work, which what it throws ends. */
  readonly checkpoint: () => void;
}

export class Draft {
  readonly memory: DisruptionMemory;
  readonly checkpoint: () => void;
  readonly input: DisruptionInput;
  readonly options: DisruptionOptions;
  readonly view: ClusterView;
  readonly candidates: Candidates;
  readonly simulator: Simulator;
  /** Nodes that take no pods of nodes that go of free will: they are not there yet, not well, or may be about to go. */
  readonly unsteady: ReadonlySet<string>;
  readonly nodes: NodeTally;
  readonly evictions: EvictionTally;
  readonly commands: DisruptionCommand[] = [];
  /** Nodes that some method finds due: they will have to go. */
  readonly outdated: ReadonlySet<string>;
  /** Names of nodes that rules, budgets apart, let go because they are empty or underutilised. */
  steerable: readonly string[] = [];
  /** Names of nodes that should empty out, the first first. */
  emptying: readonly string[] = [];
  /** Where the next answer continues. */
  cursor = '';
  readonly #methods: readonly Method[];
  /** Method → nodes that it finds due, and since when. */
  readonly #due: ReadonlyMap<Method, ReadonlyMap<string, number>>;
  readonly #names: ClaimNames;
  readonly #refusals = new Map<string, NodeRefusal>();

  constructor(input: DisruptionInput, options: DisruptionOptions, parts: DraftParts) {
    const { methods, memory, checkpoint } = parts;
    this.memory = memory;
    this.checkpoint = checkpoint;
    this.#methods = methods;
    this.#due = new Map(
      methods.flatMap((method) => (method.due ? [[method, method.due(input)] as const] : [])),
    );
    this.outdated = new Set([...this.#due.values()].flatMap((due) => [...due.keys()]));
    this.input = input;
    this.options = options;
    this.view = new ClusterView(input.cluster, memory.plans.snapshots);
    checkpoint();
    this.candidates = new Candidates(input, this.view, methods);
    checkpoint();
    this.simulator = new Simulator(options.plan, memory, {
      plans: options.simulations,
      work: mostWork(input, options),
      checkpoint,
    });
    this.nodes = new NodeTally(this.candidates.nodeBudgets);
    this.evictions = new EvictionTally(this.candidates.evictionBudgets);
    const unsteady = input.nodes.filter(isUnsteady);
    this.unsteady = new Set(unsteady.map(({ name }) => name));
    this.#names = new ClaimNames(input.cluster.nodes.map(({ name }) => name));
  }

  /** Pods that wait get the room that is there before those of nodes that go. */
  placeDemand(): void {
    const { view, simulator, candidates } = this;
    const demand = view.hasDemand ? simulator.plan(view.withDemand(candidates.doomed)) : undefined;
    if (demand !== undefined) view.bindDemand(demand);
  }

  /** Names of nodes that are due because the cloud is about to take them back, those that go already too. */
  get takenBack(): ReadonlySet<string> {
    const due = [...this.#due].flatMap(([method, nodes]) => (method.isUrgent ? [...nodes.keys()] : []));
    return new Set(due);
  }

  /** Nodes that the method finds due, the oldest first; without those that it or another such method has refused. */
  dueOf(method: Method): readonly Candidate[] {
    const due = this.#due.get(method) ?? new Map<string, number>();
    if (due.size === 0) return [];
    const age = ({ name }: Candidate): number => due.get(name) ?? 0;
    return this.candidates
      .all(due)
      .filter((candidate) => ![...this.#due.keys()].some((other) => this.isRefused(candidate, other)))
      .sort((left, right) => age(left) - age(right));
  }

  /** Whether the node goes for this reason whatever budgets and pods say. */
  isForced({ node }: Candidate, method: Method): boolean {
    return method.isForced(this.candidates.terms(node.nodePool));
  }

  /** The first thing that forbids the node to go for the reason now: rules, budgets, and what is taken of them. */
  refusal(candidate: Candidate, method: Method): Refusal | undefined {
    return (
      this.candidates.refusal(candidate, method) ??
      this.nodes.refusal(method, candidate.node) ??
      (this.candidates.overrulesPods(candidate, method) ? undefined : this.evictions.refusal(candidate.pods))
    );
  }

  /** The same by budgets and windows alone, which a node that is not initialized asks nothing of. */
  budgetRefusal({ node }: Candidate, method: Method): Refusal | undefined {
    if (!node.initialized) return undefined;
    return this.candidates.nodeBudgets.closed(method, node) ?? this.nodes.refusal(method, node);
  }

  refuse({ name }: Candidate, { reason }: Method, refusal: Refusal): void {
    this.#refusals.set(`${name} ${reason}`, { node: name, reason, refusal });
  }

  isRefused({ name }: Candidate, { reason }: Method): boolean {
    return this.#refusals.has(`${name} ${reason}`);
  }

  /** By node, then in the order of methods; without those that go. */
  get refusals(): readonly NodeRefusal[] {
    const going = new Set(this.commands.flatMap(({ nodes }) => nodes));
    const rank = new Map(this.#methods.map(({ reason }, index) => [reason, index]));
    const rankOf = ({ reason }: NodeRefusal): number => rank.get(reason) ?? 0;
    return [...this.#refusals.values()]
      .filter(({ node }) => !going.has(node))
      .sort((left, right) =>
        left.node === right.node ? rankOf(left) - rankOf(right) : left.node < right.node ? -1 : 1,
      );
  }

  /** Makes a command of the nodes, and continues with the cluster that it leaves. */
  carryOut(method: Method, going: readonly Candidate[], instead: Instead): void {
    const { claims, placements } = this.#names.rename(instead);
    const placed = new Set(placements.map(({ pod }) => pod));
    const pods = going.flatMap((candidate) => candidate.pods).map(podKey);
    for (const candidate of going) {
      this.nodes.take(candidate.node);
      this.evictions.take(candidate.pods);
    }
    const nodes = going.map(({ name }) => name).sort();
    this.view.apply({ nodes, claims, placements });
    this.commands.push({
      reason: method.reason,
      nodes,
      claims,
      placements,
      unplaced: pods.filter((pod) => !placed.has(pod)).sort(),
      saving: priceOf(going) - hourlyOf(claims),
      movingCost: movingCostOf(going, claims, this),
      considered: instead.considered,
      ...(instead.terminateFirst && { terminateFirst: instead.terminateFirst }),
      ...boundOf(method, going),
    });
  }

  /** Makes a command to reboot the node, which keeps its room: what was on it comes back. */
  reboot(method: Method, candidate: Candidate): void {
    this.nodes.take(candidate.node);
    this.evictions.take(candidate.pods);
    this.candidates.leaveAlone(candidate);
    this.commands.push({
      reason: method.reason,
      nodes: [candidate.name],
      ...{ claims: [], placements: [], unplaced: [], considered: '' },
      saving: 0,
      movingCost: movingCostOf([candidate], [], this),
      reboots: true,
      ...boundOf(method, [candidate]),
    });
  }
}

/** The shortest bound that the method sets to the drain of the nodes. */
function boundOf(
  { drainBound }: Method,
  going: readonly Candidate[],
): Pick<DisruptionCommand, 'terminationGracePeriodSeconds'> {
  const bounds = drainBound === undefined ? [] : going.flatMap(({ node }) => drainBound(node) ?? []);
  return bounds.length === 0 ? {} : { terminationGracePeriodSeconds: Math.min(...bounds) };
}

/** Nodes and pods together up to which all plans asked for are made, if they place few pods. */
const USUAL_SIZE = 5_000;
/** Plans of a few pods that even the largest cluster gets. */
const FEWEST_PLANS = 12;

/** Units of work: what plans of a usual cluster take, so that those of a larger one are fewer. */
function mostWork({ cluster: { nodes, pods } }: DisruptionInput, { simulations }: DisruptionOptions): number {
  return Math.max(simulations * USUAL_SIZE, FEWEST_PLANS * (nodes.length + pods.length));
}

/** New nodes and the pods on them. Each plan numbers its claims from 1. */
interface Named {
  readonly claims: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
}

class ClaimNames {
  readonly #taken: Set<string>;

  constructor(nodeNames: Iterable<string>) {
    this.#taken = new Set(nodeNames);
  }

  /** Claims and placements of a plan, claims renamed to `<pool>-<n>` as no other of the answer and no node is named. */
  rename({ claims, placements }: Named): Named {
    const names = new Map(claims.map(({ name, nodePool }) => [name, this.#next(nodePool)]));
    return {
      claims: claims.map((claim) => ({ ...claim, name: names.get(claim.name) ?? claim.name })),
      placements: placements.map(({ pod, target }) => {
        const name = target.kind === 'NodeClaim' ? names.get(target.name) : undefined;
        return name === undefined ? { pod, target } : { pod, target: { kind: 'NodeClaim', name } };
      }),
    };
  }

  #next(nodePool: string): string {
    let number = 1;
    while (this.#taken.has(`${nodePool}-${String(number)}`)) number++;
    const name = `${nodePool}-${String(number)}`;
    this.#taken.add(name);
    return name;
  }
}

function isUnsteady(node: ManagedNode): boolean {
  return (
    !node.initialized || !node.ready || isGoing(node) || node.proposed === true || node.uncompared === true
  );
}
