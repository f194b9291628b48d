/**
 * Consolidation: the set of nodes, of any size, whose removal saves most beyond what moving costs. Sets grow along one
 * order; of each, the parts that do not pay are left out until the rest does.
 */
import { podKey } from '../../domain/pod.js';
import type { Plan, Placement } from '../plan.js';
import type { Candidate } from './candidates.js';
import type { ClusterView } from './cluster-view.js';
import { componentsOf } from './components.js';
import { cheapestOfferings } from './narrow-claim.js';
import type { Refusal } from './refusal.js';
import { settle, type SettleContext, type Settled } from './settle.js';
import { noPlace, type Simulator } from './simulator.js';

interface ConsolidationContext extends SettleContext {
  readonly view: ClusterView;
  readonly simulator: Simulator;
  /** Nodes that take no pods. */
  readonly closed: ReadonlySet<string>;
  readonly refuse: (candidate: Candidate, refusal: Refusal) => void;
}

/** A set of nodes whose removal pays. */
interface Proposal extends Settled {
  readonly placements: readonly Placement[];
}

/** What a plan says of a set: it pays as it is, or these nodes of it must stay. */
type Verdict = { readonly proposal: Proposal } | { readonly staying: ReadonlySet<Candidate> };

/** How often parts are left out of one set before it is given up. */
const MAX_ROUNDS = 6;
/** Sets in a row that are no better than a smaller one before larger ones are given up. */
const MAX_SETBACKS = 4;

export class Consolidation {
  readonly #context: ConsolidationContext;
  /** Nodes whose pods have no place even when few others go. */
  readonly #stuck = new Set<Candidate>();
  readonly #tried = new Set<Candidate>();

  constructor(context: ConsolidationContext) {
    this.#context = context;
  }

  /** Whether the node was in a set that was planned. */
  wasTried(candidate: Candidate): boolean {
    return this.#tried.has(candidate);
  }

  /** The best set of the list's beginnings of these sizes, and of single nodes when none pays. */
  best(list: readonly Candidate[], sizes: readonly number[]): Proposal | undefined {
    let best: Proposal | undefined;
    let setbacks = 0;
    for (const size of sizes) {
      if (best !== undefined && setbacks >= MAX_SETBACKS) break;
      const set = list.slice(0, size).filter((candidate) => !this.#stuck.has(candidate));
      const proposal = this.#refine(set);
      const isBetter = proposal !== undefined && this.#worth(proposal) > this.#worth(best);
      setbacks = isBetter ? 0 : setbacks + 1;
      if (isBetter) best = proposal;
    }
    return best;
  }

  /** The first single node whose removal pays. */
  firstSingle(list: readonly Candidate[]): Proposal | undefined {
    for (const candidate of list) {
      const proposal = this.#refine([candidate]);
      if (proposal !== undefined || this.#context.simulator.left === 0) return proposal;
    }
    return undefined;
  }

  /** USD over the horizon. */
  #worth(proposal: Settled | undefined): number {
    if (proposal === undefined) return 0;
    return proposal.saving * this.#context.options.horizonHours - proposal.movingCost;
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

  /** Nodes that would be replaced by the same machine stay, if what is left is worth as much. */
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
        .sort((left, right) => right.evictions - left.evictions)[0];
      if (twin !== undefined) result.add(twin);
    }
    return result;
  }

  /** undefined when there is no work left. */
  #judge(set: readonly Candidate[]): Verdict | undefined {
    const { view, simulator, closed } = this.#context;
    const plan = simulator.plan(view.without(new Set(set.map(({ name }) => name)), closed));
    if (plan === undefined) return undefined;
    for (const candidate of set) this.#tried.add(candidate);
    const stuck = this.#stuckOf(set, plan);
    if (stuck.length > 0) return { staying: new Set(stuck) };
    return this.#settle(set, plan);
  }

  #stuckOf(set: readonly Candidate[], { unschedulable }: Plan): readonly Candidate[] {
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

/** Up to here sizes go up by an eighth to a quarter, beyond by a third to a half. */
const FINE_SIZES = 32;

/** Sizes of sets to try; a larger limit only adds to them: 1, 2, … 8, 10, 12, 14, 16, 20 … 32, 48, 64, 96 … */
export function setSizes(most: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = 1; size <= most; size += stepFrom(size)) sizes.push(size);
  return sizes;
}

function stepFrom(size: number): number {
  const octave = 2 ** Math.floor(Math.log2(size));
  return Math.max(1, octave / (size < FINE_SIZES ? 4 : 2));
}
