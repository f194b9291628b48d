/**
 * Pods that must come to a node together, since required affinity over hosts ties them to pods that are pending too.
 * The node is chosen for all of them; where several pods can be the ones that others look for, the others are divided
 * among these.
 */
import { append, groupBy } from '../../domain/values/lists.js';
import { DisjointSets } from '../../domain/values/disjoint-sets.js';
import type { Packing } from '../rules/packing.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';

/** So many pods of a class. */
export interface Member {
  readonly pods: PodClass;
  readonly n: number;
}

/** Pods for one node, and how many nodes there may be with just these. */
export interface Unit {
  /** Each after those that it looks for. */
  readonly members: readonly Member[];
  readonly count: number;
  /** The highest priority among the members. */
  readonly priority: number;
}

/**
 * What is left of the classes that need others beside them, as units, in an order that depends on the classes only. Pods
 * that look for nothing but their own kind are not among them: those are bundles (see `Problem.bundleOf`), unless no node holds all of them. Neither are
 * pods that no pending pod can satisfy.
 */
export function companionUnits(packing: Packing): readonly Unit[] {
  const { remaining } = packing;
  const seekers = tiedSeekers(packing).filter((pods) => (remaining[pods.index] ?? 0) > 0);
  if (seekers.length === 0) return [];
  const reach = new Reach(packing, seekers);
  const sets = new DisjointSets();
  for (const seeker of seekers)
    for (const other of reach.supporters(seeker)) sets.join(seeker.index, other.index);
  const parts = groupBy(reach.order, ({ index }) => sets.find(index));
  return [...parts.values()].flatMap((part) => unitsOf(packing, reach, part));
}

const ofProblem = new WeakMap<Problem, readonly PodClass[]>();

/** The classes of the problem that look for others on their node; not those whose units would be none in any case. */
export function tiedSeekers(packing: Packing): readonly PodClass[] {
  const { problem } = packing;
  const known = ofProblem.get(problem);
  if (known !== undefined) return known;
  const made = problem.classes.filter(({ hostAffinity }) => hostAffinity.length > 0);
  const found = made.length === 0 ? made : withoutBundles(packing, made);
  ofProblem.set(problem, found);
  return found;
}

/**
 * Bundles that a node holds come to it as they are: their classes look for their own group only, of which all are in it, and no
 * others look for them.
 */
function withoutBundles(packing: Packing, seekers: readonly PodClass[]): readonly PodClass[] {
  const { classes, bundleOf } = packing.problem;
  const sought = new Set(seekers.flatMap(({ hostAffinity }) => hostAffinity.map(({ group }) => group.index)));
  const isTied = new Set<number>();
  for (const { index, hostAffinity, memberOf } of classes) {
    const bundle = bundleOf[index] ?? -1;
    const isOwn = bundle >= 0 && hostAffinity.length === 1 && packing.holdsBundle(bundle);
    for (const group of memberOf) {
      if (!sought.has(group) || (isOwn && group === bundle)) continue;
      isTied.add(group);
      isTied.add(bundle);
    }
  }
  return seekers.filter(({ index, hostAffinity }) => {
    const bundle = bundleOf[index] ?? -1;
    return bundle < 0 || hostAffinity.length > 1 || !packing.holdsBundle(bundle) || isTied.has(bundle);
  });
}

/** Classes beside which pods that look for a group are tried. */
const MOST_SUPPORTERS = 8;

/** On how many nodes pods of a class can be at most, each with all that it looks for beside it. */
class Reach {
  /** Classes that can be on some node, each after those that it looks for. */
  readonly order: PodClass[] = [];
  readonly #packing: Packing;
  readonly #remaining: Int32Array;
  readonly #fits = new Map<PodClass, Map<PodClass, boolean>>();
  /** Class → nodes. */
  readonly #nodes = new Map<number, number>();
  /** Group that some class looks for → the classes of its members that reach most nodes. */
  readonly #best = new Map<number, PodClass[]>();
  /** Group → classes that look for it. */
  readonly #seekersOf = new Map<number, PodClass[]>();

  constructor(packing: Packing, seekers: readonly PodClass[]) {
    this.#packing = packing;
    this.#remaining = packing.remaining;
    for (const seeker of seekers) {
      for (const { group } of seeker.hostAffinity) append(this.#seekersOf, group.index, seeker);
    }
    const isSeeker = new Set(seekers);
    const supporters = packing.problem.classes.filter(
      (pods) => !isSeeker.has(pods) && this.#isSought(pods) && this.#left(pods) > 0,
    );
    const starters = seekers.filter((pods) => mayStart(packing, pods));
    this.#spread(supporters, starters);
  }

  #isSought({ memberOf }: PodClass): boolean {
    return memberOf.some((group) => this.#seekersOf.has(group));
  }

  #left({ index }: PodClass): number {
    return this.#remaining[index] ?? 0;
  }

  /** Nodes that a class can be on; 0 where it cannot be on a new one. */
  of({ index }: PodClass): number {
    return this.#nodes.get(index) ?? 0;
  }

  /** From the classes that look for nothing to those that look for them, and so on; each class can only gain. */
  #spread(supporters: readonly PodClass[], starters: readonly PodClass[]): void {
    const waiting: PodClass[] = [];
    for (const pods of supporters) this.#raise(pods, this.#left(pods), waiting);
    // Only one node may hold the first of a kind.
    for (const pods of starters) this.#raise(pods, Math.max(1, this.of(pods)), waiting);
    // The list grows while it is gone through.
    for (const pods of waiting) {
      this.#raise(pods, Math.min(this.#left(pods), this.#supported(pods)), waiting);
    }
  }

  #raise(pods: PodClass, nodes: number, waiting: PodClass[]): void {
    const before = this.of(pods);
    if (nodes <= before) return;
    if (before === 0) this.order.push(pods);
    this.#nodes.set(pods.index, nodes);
    for (const group of pods.memberOf) {
      const seekers = this.#seekersOf.get(group);
      if (seekers === undefined || !this.#rank(group, pods)) continue;
      for (const seeker of seekers) if (seeker !== pods) waiting.push(seeker);
    }
  }

  /** Whether the class is among the best of a group now. */
  #rank(group: number, pods: PodClass): boolean {
    const others = (this.#best.get(group) ?? []).filter((other) => other !== pods);
    const best = [...others, pods]
      .sort((left, right) => this.of(right) - this.of(left) || left.index - right.index)
      .slice(0, MOST_SUPPORTERS);
    this.#best.set(group, best);
    return best.includes(pods);
  }

  #supported(pods: PodClass): number {
    let least = Infinity;
    for (const { group } of pods.hostAffinity) {
      const best = this.#bestFor(pods, group.index);
      least = Math.min(least, best === undefined ? 0 : this.of(best));
    }
    return least;
  }

  #bestFor(pods: PodClass, group: number): PodClass | undefined {
    return this.#best.get(group)?.find((other) => other !== pods && this.#fit(pods, other));
  }

  /** Whether a node holds one of each. */
  #fit(pods: PodClass, other: PodClass): boolean {
    const ofPods = this.#fits.get(pods) ?? new Map<PodClass, boolean>();
    this.#fits.set(pods, ofPods);
    const known = ofPods.get(other) ?? this.#packing.fitTogether(pods, other);
    ofPods.set(other, known);
    return known;
  }

  /** The classes beside which pods of a class are put, one for each of its terms; none where it cannot be placed so. */
  supporters(pods: PodClass): readonly PodClass[] {
    if (this.of(pods) === 0) return [];
    return pods.hostAffinity.flatMap(({ group }) => this.#bestFor(pods, group.index) ?? []);
  }
}

/** Whether the first of the pods may go where no other is (InterPodAffinity). */
function mayStart({ counts }: Packing, { asks }: PodClass): boolean {
  const ask = asks.at(-1);
  return ask?.startsAffinity === true && ask.affinity.every(({ group }) => counts.total(group.index) === 0);
}

/** The units of classes that are tied to each other; none for a kind that only looks for itself, unless no node holds it. */
function unitsOf(packing: Packing, reach: Reach, part: readonly PodClass[]): readonly Unit[] {
  const seekers = part.filter((pods) => pods.hostAffinity.length > 0);
  const [first] = seekers;
  if (first === undefined) return [];
  const bundle = packing.problem.bundleOf[first.index] ?? -1;
  const isBundle = bundle >= 0 && part.every(({ index }) => packing.problem.bundleOf[index] === bundle);
  if (isBundle ? packing.holdsBundle(bundle) : part.length < 2) return [];
  const nodes = new Map(part.map((pods) => [pods, pods.hostAffinity.length > 0 ? reach.of(pods) : 0]));
  // Of pods that look for nothing, one for each node on which others look for it; the rest is free.
  for (const seeker of seekers) {
    for (const other of reach.supporters(seeker)) {
      if (other.hostAffinity.length === 0)
        nodes.set(other, Math.max(nodes.get(other) ?? 0, reach.of(seeker)));
    }
  }
  const units: Unit[] = [];
  const starts = startsOfUnits(packing, nodes);
  starts.forEach((start, at) => {
    const end = starts[at + 1];
    if (end === undefined) return;
    const members = membersAt(packing, nodes, start);
    const priority = Math.max(...members.map(({ pods }) => pods.priority));
    units.push({ members, count: end - start, priority });
  });
  return units;
}

/** Nodes from which on the contents differ from those before, and their number at the end. */
function startsOfUnits(packing: Packing, nodes: ReadonlyMap<PodClass, number>): readonly number[] {
  const starts = new Set([0]);
  for (const [pods, count] of nodes) {
    if (count === 0) continue;
    starts.add(count);
    if (pods.hostAffinity.length > 0) starts.add((packing.remaining[pods.index] ?? 0) % count);
  }
  return [...starts].sort((left, right) => left - right);
}

function membersAt(packing: Packing, nodes: ReadonlyMap<PodClass, number>, node: number): readonly Member[] {
  const members: Member[] = [];
  for (const [pods, count] of nodes) {
    if (node >= count) continue;
    const left = packing.remaining[pods.index] ?? 0;
    const share = Math.floor(left / count) + (node < left % count ? 1 : 0);
    members.push({ pods, n: pods.hostAffinity.length > 0 ? share : 1 });
  }
  return members;
}
