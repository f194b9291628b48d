/** Planning: a snapshot in, a plan out. */
import { DEFAULT_OPTIMIZER_OPTIONS, type OptimizerOptions } from '../optimize/problem/bin-problem.js';
import type { Plan } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { ProofMemory } from '../prove/proof-memory.js';
import { provePlan, type Proof } from '../prove/prove-plan.js';
import { inOrder, provenPlan } from './proven-plan.js';
import { hasAnyPlace } from '../pack/alternatives.js';
import { hasPreferences, podsOf } from '../model/classes/pod-class.js';
import { assemblePlan } from './assemble-plan.js';
import { finish, isBest, isBetter, type Candidate } from '../finish/candidate.js';
import { CompileCache } from './compile-cache.js';
import { annotated } from './explain-plan.js';
import { planGangs } from './gangs.js';
import { planReserved, type PlanBought } from './plan-reserved.js';
import { packGuided } from '../pack/guided/pack-guided.js';
import { otherOrders, packingOrder, type PackingOrder, sparingLimits } from '../pack/packing-order.js';
import { improve, type Proven } from '../improve/improve.js';
import { isInverted, leavesLess, leftOut, pack, packInBands } from '../pack/pack.js';
import { compileProblem, type Problem } from '../model/problem.js';
import { restorePreferences } from '../improve/rebuild.js';

/** What makes planning faster or tells more of it, and changes no plan. */
export interface PlanAids {
  /** What earlier plans compiled; the same objects again cost little. */
  readonly cache?: CompileCache | undefined;
  /** Receives a valid plan before a better one is looked for. With gangs: where some had to go, before they are tried again. */
  readonly onDraft?: ((plan: Plan) => void) | undefined;
}

/** How much is done for a plan. */
export interface PlanEffort {
  /** Of the work that may go into improving the plan of a small batch, how much: 1 by default, 0 for none. */
  readonly improvement?: number | undefined;
  /** Pending pod → existing node, `namespace/name` → name: where pods go as far as the exact rules allow it. */
  readonly proposed?: ReadonlyMap<string, string> | undefined;
}

/** Each further plan of a batch with gangs has this part of the first one's work for improvement. */
const FURTHER_SHARE = 0.25;

/** Up to so many pending pods first-fit-decreasing is packed beside the optimizer, and the cheaper of the two is taken. */
const FEW_PODS = 1_000;
/** Of more pods a draft is one pass of the optimizer: first-fit-decreasing would take longer. */
const DRAFT: OptimizerOptions = { ...DEFAULT_OPTIMIZER_OPTIONS, maxFills: 1 };

/**
 * The one entry of planning: places every pending pod of the snapshot on nodes that exist, in capacity reservations and on
 * nodes to buy; a pod without a place gets the reasons for it. Same snapshot and options, same plan; never throws. With a cache its snapshots are
 * best built by `buildSnapshot(input, cache.snapshots)`.
 */
export function plan(snapshot: Snapshot, options: PlanOptions, aids: PlanAids & PlanEffort = {}): Plan {
  const { cache = new CompileCache(), onDraft, improvement = 1, proposed } = aids;
  const planBought: PlanBought = (whole, chosen, tell) =>
    planWithGangs(whole, chosen, { cache, onDraft: tell, improvement, proposed });
  return planReserved(snapshot, options, planBought, onDraft);
}

function planWithGangs(snapshot: Snapshot, options: PlanOptions, aids: OncePlanned): Plan {
  if (snapshot.gangs.length === 0) return planOnce(snapshot, options, aids);
  const { cache, onDraft, improvement } = aids;
  let share = improvement;
  const each = (part: Snapshot): Plan => {
    const made = planOnce(part, options, { cache, improvement: share });
    share = improvement * FURTHER_SHARE;
    return made;
  };
  return planGangs(snapshot, each, onDraft);
}

interface OncePlanned extends PlanAids {
  readonly cache: CompileCache;
  readonly improvement: number;
  readonly proposed?: ReadonlyMap<string, string> | undefined;
}

/** Plans without looking at gangs and reservations. */
function planOnce(
  snapshot: Snapshot,
  options: PlanOptions,
  { cache, onDraft, improvement, proposed }: OncePlanned,
): Plan {
  const { proof: memory } = cache;
  const problem = compileProblem(snapshot, options, cache);
  const pods = podsOf(problem.classes);
  const firstFit = onDraft === undefined ? undefined : earlyFirstFit(problem, pods);
  if (onDraft !== undefined) {
    const draft = firstFit ?? guided(problem, DRAFT);
    if (draft !== undefined && !isInverted(draft.packing))
      offerDraft(snapshot, assemblePlan(draft), memory, onDraft);
  }
  const proofs = new CandidateProofs(snapshot, memory);
  const prove = (tried: Candidate): Proven => {
    const { refutations, reach } = proofs.of(tried);
    return { holds: refutations.length === 0, reach };
  };
  const improved = (of: Problem, first: Candidate): Candidate =>
    improve(of, first, { share: improvement, prove });
  const proven = provenPlan(snapshot, memory, {
    plans: [
      () => {
        const preferring = improved(problem, best(problem, pods, { early: firstFit, proposed }));
        if (pods > FEW_PODS || !mayGiveUp(preferring)) return proofs.planOf(preferring);
        const ignoring = compileProblem(snapshot, { ...options, preferencePolicy: 'Ignore' }, cache);
        const plain = restorePreferences(problem, improved(ignoring, best(ignoring, pods)));
        return proofs.planOf(leavesLess(plain.packing, preferring.packing) ? plain : preferring);
      },
      () => proofs.planOf(improved(problem, finish(pack(problem), 0))),
    ],
    proofs: proofs.ofPlans,
    simplest: (rest) => assemblePlan(finish(pack(compileProblem(rest, options)), 0)),
  });
  return annotated(problem, proven);
}

/** What a small batch is packed into in any case comes before what may take long. */
function earlyFirstFit(problem: Problem, pods: number): Candidate | undefined {
  return pods <= FEW_PODS ? finish(pack(problem), 0) : undefined;
}

/** Proofs of candidates, each made once. */
class CandidateProofs {
  readonly ofPlans = new WeakMap<Plan, Proof>();
  readonly #snapshot: Snapshot;
  readonly #memory: ProofMemory;
  readonly #known = new WeakMap<Candidate, Proof>();

  constructor(snapshot: Snapshot, memory: ProofMemory) {
    this.#snapshot = snapshot;
    this.#memory = memory;
  }

  of(candidate: Candidate): Proof {
    const known = this.#known.get(candidate);
    if (known !== undefined) return known;
    const made = provePlan(this.#snapshot, assemblePlan(candidate, false), this.#memory);
    this.#known.set(candidate, made);
    return made;
  }

  /** The plan of a candidate, with the proof where there is one. */
  planOf(candidate: Candidate): Plan {
    const plan = assemblePlan(candidate);
    const proof = this.#known.get(candidate);
    if (proof !== undefined) this.ofPlans.set(plan, proof);
    return plan;
  }
}

/** A draft that does not hold is none. */
function offerDraft(
  snapshot: Snapshot,
  draft: Plan,
  memory: ProofMemory,
  onDraft: (plan: Plan) => void,
): void {
  const { refutations, after } = provePlan(snapshot, draft, memory);
  if (refutations.length === 0) onDraft(inOrder(draft, after));
}

/** `early`: the first-fit packing, where there is one already. */
function best(
  problem: Problem,
  pods: number,
  {
    early,
    proposed,
  }: { readonly early?: Candidate | undefined; readonly proposed?: PlanEffort['proposed'] } = {},
): Candidate {
  const asProposed = proposed && guided(problem, DEFAULT_OPTIMIZER_OPTIONS, proposed);
  if (asProposed === undefined) return bestUnproposed(problem, pods, early);
  if (pods > FEW_PODS && leftOut(asProposed.packing).length === 0 && !isInverted(asProposed.packing))
    return asProposed;
  const other = bestUnproposed(problem, pods, early);
  return isBetter(other, asProposed) ? other : asProposed;
}

function bestUnproposed(problem: Problem, pods: number, early?: Candidate): Candidate {
  const planned = guided(problem, DEFAULT_OPTIMIZER_OPTIONS);
  if (planned !== undefined && pods > FEW_PODS && !isInverted(planned.packing)) return planned;
  const bound = planned?.lowerBound ?? 0;
  const firstFit =
    early === undefined
      ? finish(pack(problem), bound)
      : { ...early, lowerBound: Math.max(early.lowerBound, bound) };
  return otherwise(problem, planned !== undefined && isBetter(planned, firstFit) ? planned : firstFit);
}

/** From so many classes on, packing in other orders takes longer than it may. */
const MANY_CLASSES = 300;

/** The best of a packing and those in other orders, where there is something to better. */
function otherwise(problem: Problem, first: Candidate): Candidate {
  if (problem.classes.length > MANY_CLASSES || isBest(first)) return first;
  let taken = first;
  const sparing = isOverLimits(first) ? sparingLimits(problem, packingOrder(problem, true)) : [];
  const orders = [...sparing, ...otherOrders(problem)];
  for (const order of orders) {
    if (isBest(taken)) break;
    const other = finish(packInBands(problem, order), first.lowerBound);
    if (isBetter(other, taken)) taken = other;
  }
  return withFewerPreferences(problem, taken, orders);
}

/** Where pods are left out: packings in which pods give up preferences rather than leave others without a place. */
function withFewerPreferences(
  problem: Problem,
  first: Candidate,
  orders: readonly PackingOrder[],
): Candidate {
  let taken = first;
  for (const order of [packingOrder(problem, true), ...orders]) {
    if (!mayGiveUp(taken)) break;
    const other = finish(packInBands(problem, { ...order, takesOpenFirst: true }), first.lowerBound);
    if (leavesLess(other.packing, taken.packing)) taken = other;
  }
  return taken;
}

/** Whether pods that would have a place alone are left out while there are preferences. */
function mayGiveUp({ packing }: Candidate): boolean {
  const { problem } = packing;
  if (!problem.classes.some(hasPreferences)) return false;
  return leftOut(packing).some((pods) => hasAnyPlace(problem, pods));
}

/** Whether pods are left out that a node would hold which limits forbid. */
function isOverLimits({ packing }: Candidate): boolean {
  const { launchables, admission } = packing.problem;
  const reached = launchables.rowType.flatMap((_, row) => (packing.isWithinLimits(row) ? [] : row));
  if (reached.length === 0) return false;
  return leftOut(packing).some(({ asks }) => {
    const constraint = asks.at(-1)?.constraint;
    if (constraint === undefined) return false;
    const admitted = admission.columns(constraint);
    return reached.some((row) => launchables.rowColumns[row]?.some((column) => admitted[column] === 1));
  });
}

function guided(
  problem: Problem,
  options: OptimizerOptions,
  proposed?: PlanEffort['proposed'],
): Candidate | undefined {
  const found = packGuided(problem, options, proposed);
  return found && finish(found.packing, found.lowerBound);
}
