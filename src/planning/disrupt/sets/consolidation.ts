/**
 * Consolidation, exactly: sets of nodes that were proposed are planned without, by all rules; of each, the parts that do not
 * pay stay until the rest does, and the set that saves most beyond what moving costs is taken.
 */
import { podKey } from '../../../domain/pods/pod.js';
import type { Plan, Placement } from '../../plan.js';
import type { Candidate } from './candidates.js';
import type { ClusterView } from './cluster-view.js';
import { componentsOf } from './components.js';
import { cheapestOfferings } from './narrow-claim.js';
import type { Refusal } from '../question/refusal.js';
import { horizonOf, settle, type SettleContext, type Settled } from './settle.js';
import { noPlace, type Simulator } from './simulator.js';

interface ConsolidationContext extends SettleContext {
  readonly view: ClusterView;
  readonly simulator: Simulator;
  /** Nodes that take no pods. */
  readonly closed: ReadonlySet<string>;
  readonly refuse: (candidate: Candidate, refusal: Refusal) => void;
}

/** A set of nodes whose removal pays. */
export interface Proposal extends Settled {
  readonly placements: readonly Placement[];
}

/** What a plan says of a set: it pays as it is, or these nodes of it must stay. */
type Verdict = { readonly proposal: Proposal } | { readonly staying: ReadonlySet<Candidate> };

/** How often parts are left out of one set before it is given up. */
const MAX_ROUNDS = 6;
/** A set that saves this share of what was estimated is as good as any: no other is planned. */
const GOOD_ENOUGH = 0.97;

/** Nodes that may go together. */
export interface ProposedSet {
  readonly nodes: readonly Candidate[];
  /** Pod of these nodes → node that stays: where it goes as far as the exact rules allow it. */
  readonly moves: ReadonlyMap<string, string>;
  /** USD over the horizon that it is thought to save beyond what moving costs. */
  readonly worth: number;
}

export class Consolidation {
  readonly #context: ConsolidationContext;
  /** Nodes whose pods have no place even when few others go. */
  readonly #stuck = new Set<Candidate>();
  readonly #tried = new Set<Candidate>();
  /** Of the set that is planned. */
  #moves: ProposedSet['moves'] | undefined;

  constructor(context: ConsolidationContext) {
    this.#context = context;
  }

  /** Whether the node was in a set that was planned. */
  wasTried(candidate: Candidate): boolean {
    return this.#tried.has(candidate);
  }

  /** The best of the sets. They are planned in their order, until one is as good as it was thought to be. */
  best(sets: readonly ProposedSet[]): Proposal | undefined {
    let best: Proposal | undefined;
    for (const { nodes, moves, worth } of sets) {
      this.#moves = moves;
      const proposal = this.#refine(nodes.filter((candidate) => !this.#stuck.has(candidate)));
      if (proposal !== undefined && this.#worth(proposal) > this.#worth(best)) best = proposal;
      if (best !== undefined && this.#worth(best) >= GOOD_ENOUGH * worth) break;
    }
    this.#moves = undefined;
    return best;
  }

  /** The node alone, when its removal pays. */
  single(candidate: Candidate): Proposal | undefined {
    return this.#refine([candidate]);
  }

  /** USD over the horizon. */
  #worth(proposal: Settled | undefined): number {
    if (proposal === undefined) return 0;
    return proposal.saving * horizonOf(proposal.candidates, this.#context) - proposal.movingCost;
  }

  /** The set less what does not pay; undefined when nothing of it does. */
  #refine(set: readonly Candidate[]): Proposal | undefined {
    let rest = set;
    for (let round = 0; round < MAX_ROUNDS && rest.length > 0; round++) {
      const verdict = this.#judge(rest);
      if (verdict === undefined) return undefined;
      if ('proposal' in verdict) return this.#withoutLikeForLike(verdict.proposal);
      rest = rest.filter((candidate) => !verdict.staying.has(candidate));
    }
    return undefined;
  }

  /** Nodes that would be replaced by the same instance type stay, if what is left is worth as much. */
  #withoutLikeForLike(proposal: Proposal): Proposal {
    const replaced = this.#likeForLike(proposal);
    if (replaced.size === 0 || replaced.size === proposal.candidates.length) return proposal;
    const verdict = this.#judge(proposal.candidates.filter((candidate) => !replaced.has(candidate)));
    if (verdict === undefined || !('proposal' in verdict)) return proposal;
    return this.#worth(verdict.proposal) >= this.#worth(proposal) ? verdict.proposal : proposal;
  }

  #likeForLike({ candidates, claims }: Proposal): ReadonlySet<Candidate> {
    const result = new Set<Candidate>();
    for (const claim of claims) {
      const offer = this.#context.offers.get(claim.nodePool);
      if (offer === undefined) continue;
      const same = cheapestOfferings(claim, offer);
      const twin = candidates
        .filter((candidate) => !result.has(candidate) && candidate.node.nodePool === claim.nodePool)
        .filter(({ offering }) => same.has(offering))
        .sort((left, right) => right.evictions * right.life - left.evictions * left.life)[0];
      if (twin !== undefined) result.add(twin);
    }
    return result;
  }

  /** undefined when there is no work left. */
  #judge(set: readonly Candidate[]): Verdict | undefined {
    const { view, simulator, closed } = this.#context;
    const removed = new Set(set.map(({ name }) => name));
    const plan = simulator.planWithout(view, { removed, closed, proposed: this.#moves });
    if (plan === undefined) return undefined;
    for (const candidate of set) this.#tried.add(candidate);
    const stuck = this.#stuckOf(set, plan);
    if (stuck.length > 0) return { staying: new Set(stuck) };
    return this.#settle(set, plan);
  }

  #stuckOf(set: readonly Candidate[], { unschedulable }: Plan): readonly Candidate[] {
    if (unschedulable.length === 0) return [];
    const why = new Map(unschedulable.map((each) => [each.pod, each]));
    return set.filter((candidate) => {
      const pod = candidate.pods.map(podKey).find((key) => why.has(key));
      const unplaced = pod === undefined ? undefined : why.get(pod);
      if (unplaced === undefined) return false;
      this.#context.refuse(candidate, noPlace(unplaced));
      this.#stuck.add(candidate);
      return true;
    });
  }

  #settle(set: readonly Candidate[], plan: Plan): Verdict {
    const settled: Settled[] = [];
    const staying = new Set<Candidate>();
    for (const component of componentsOf(set, plan)) {
      const answer = settle(component, this.#context);
      if (!('code' in answer)) {
        settled.push(answer);
        continue;
      }
      for (const candidate of component.candidates) {
        staying.add(candidate);
        this.#context.refuse(candidate, answer);
      }
    }
    if (staying.size > 0) return { staying };
    const proposal: Proposal = {
      candidates: set,
      claims: settled.flatMap(({ claims }) => claims),
      placements: plan.placements,
      saving: settled.reduce((sum, { saving }) => sum + saving, 0),
      movingCost: settled.reduce((sum, { movingCost }) => sum + movingCost, 0),
    };
    return { proposal };
  }
}
