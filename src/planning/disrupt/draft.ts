/** One answer while it is made: commands so far, the cluster as they leave it, and what budgets have left. */
import { podKey } from '../../domain/pod.js';
import type { Plan } from '../plan.js';
import { Candidates, type Candidate } from './candidates.js';
import { ClaimNames } from './claim-names.js';
import { ClusterView } from './cluster-view.js';
import type {
  DisruptionCommand,
  DisruptionInput,
  DisruptionOptions,
  DisruptionReason,
  NodeRefusal,
} from './disruption.js';
import { EvictionTally } from './eviction-budgets.js';
import { NodeTally, type VoluntaryReason } from './node-budgets.js';
import type { DisruptionRefusal } from './refusal.js';
import { hourlyOf, movingCostOf, priceOf } from './settle.js';
import { Simulator } from './simulator.js';
import { byNodeAndReason } from './urgency.js';

/** What comes instead of nodes. */
export interface Instead extends Pick<Plan, 'claims' | 'placements'> {
  /** What else was looked at. */
  readonly considered: string;
}

export const NOTHING_INSTEAD: Instead = { claims: [], placements: [], considered: '' };

export class Draft {
  readonly input: DisruptionInput;
  readonly options: DisruptionOptions;
  readonly view: ClusterView;
  readonly candidates: Candidates;
  readonly simulator: Simulator;
  /** Nodes that take no pods of nodes that go of free will: they are not there yet, or not well. */
  readonly unsteady: ReadonlySet<string>;
  readonly nodes: NodeTally;
  readonly evictions: EvictionTally;
  readonly commands: DisruptionCommand[] = [];
  readonly #names: ClaimNames;
  readonly #refusals = new Map<string, NodeRefusal>();

  constructor(input: DisruptionInput, options: DisruptionOptions) {
    this.input = input;
    this.options = options;
    this.view = new ClusterView(input.cluster);
    this.candidates = new Candidates(input, this.view);
    this.simulator = new Simulator(options.plan, mostPlans(input, options));
    this.nodes = new NodeTally(this.candidates.nodeBudgets);
    this.evictions = new EvictionTally(this.candidates.evictionBudgets);
    const unsteady = input.nodes.filter((node) => !node.initialized || !node.ready || node.leaving);
    this.unsteady = new Set(unsteady.map(({ name }) => name));
    this.#names = new ClaimNames(input.cluster.nodes.map(({ name }) => name));
  }

  /** The first thing that forbids the node to go for the reason now: rules, budgets, and what is taken of them. */
  refusal(candidate: Candidate, reason: VoluntaryReason): DisruptionRefusal | undefined {
    return (
      this.candidates.refusal(candidate, reason) ??
      this.nodes.refusal(reason, candidate.node) ??
      (this.candidates.overrulesPods(candidate, reason) ? undefined : this.evictions.refusal(candidate.pods))
    );
  }

  refuse({ name }: Candidate, reason: DisruptionReason, refusal: DisruptionRefusal): void {
    this.#refusals.set(`${name} ${reason}`, { node: name, reason, refusal });
  }

  isRefused({ name }: Candidate, reason: DisruptionReason): boolean {
    return this.#refusals.has(`${name} ${reason}`);
  }

  /** By node, then by reason; without those that go. */
  get refusals(): readonly NodeRefusal[] {
    const going = new Set(this.commands.flatMap(({ nodes }) => nodes));
    return [...this.#refusals.values()].filter(({ node }) => !going.has(node)).sort(byNodeAndReason);
  }

  /** Makes a command of the nodes, and goes on with the cluster that it leaves. */
  carryOut(reason: DisruptionReason, going: readonly Candidate[], instead: Instead): void {
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
      reason,
      nodes,
      claims,
      placements,
      unplaced: pods.filter((pod) => !placed.has(pod)).sort(),
      saving: priceOf(going) - hourlyOf(claims),
      movingCost: movingCostOf(going, claims, this.options),
      considered: instead.considered,
    });
  }
}

/** Nodes and pods together up to which all plans asked for are made. */
const USUAL_SIZE = 40_000;
const FEWEST_PLANS = 12;

/** Fewer plans of a larger cluster, each of which takes longer. */
function mostPlans(
  { cluster: { nodes, pods } }: DisruptionInput,
  { simulations }: DisruptionOptions,
): number {
  const size = nodes.length + pods.length;
  if (size <= USUAL_SIZE) return simulations;
  return Math.min(simulations, Math.max(FEWEST_PLANS, Math.floor((simulations * USUAL_SIZE) / size)));
}
