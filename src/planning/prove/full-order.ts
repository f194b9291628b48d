/**
 * A whole order of binding for plans that hold in none of the orders that the proofs know, one pod after the other: found by
 * trying, for few pods that have rules about each other. The extender keeps it.
 */
import { DisjointSets } from '../disjoint-sets.js';
import { BindOrder, MOST_AWAITED } from './bind-order.js';
import { CompanyTally } from './company.js';
import type { Plan } from '../plan.js';
import { plannedCluster, type PlannedCluster, type Stand } from './planned-cluster.js';
import { possibleClaims } from './possible-claims.js';
import type { ProofMemory, SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import { SpreadProof, type SpreadTally } from './spread-proof.js';
import { DomainTable } from './topology-domains.js';

/** States looked at, over all pods of a plan, before the search is given up. */
const MOST_STATES = 1_000;
/** Pods tied to each other by their rules: none waits for more than a pod may wait for. */
const MOST_TIED = MOST_AWAITED + 1;

/** What pods are bound on, and what they ask. */
interface Stage {
  readonly cluster: PlannedCluster;
  readonly asks: SpecAsks;
  readonly domains: DomainTable;
  readonly spread: SpreadProof;
}

interface Refuted extends Stage {
  readonly refutations: readonly Refutation[];
  /** The order that the proofs found. */
  readonly order: BindOrder;
  readonly plan: Plan;
  readonly memory: ProofMemory;
}

/** Pods of one spec on one place that are still to be bound. */
interface Waiting {
  readonly stand: Stand;
  readonly keys: readonly string[];
  left: number;
}

/**
 * An order in which all pods can be bound, where spread and affinity alone refute a plan; undefined where there is none or
 * none is found. Pods wait for all that come before them and have rules about the same pods; those that the proofs have
 * nothing against are bound as they come. Where that is possible spread is kept over all domains that could be launched into.
 */
export function fullOrder(refuted: Refuted): BindOrder | undefined {
  const { refutations, order } = refuted;
  if (!refutations.every(({ rule }) => rule === 'topologySpread' || rule === 'podAffinity')) return undefined;
  const concerned = new Set([...refutations.flatMap(({ pods }) => pods), ...order.after.keys()]);
  const isFew = partsOf(refuted).every(
    (part) => part.reduce((sum, { left }) => sum + left, 0) <= MOST_TIED || !isConcerned(part, concerned),
  );
  if (!isFew) return undefined;
  return orderOn(widened(refuted), concerned) ?? orderOn(refuted, concerned);
}

function isConcerned(part: readonly Waiting[], concerned: ReadonlySet<string>): boolean {
  return part.some(({ keys }) => keys.some((key) => concerned.has(key)));
}

/** The same with an empty claim for all that could be launched. */
function widened({ cluster: { snapshot }, plan, memory, asks, order }: Refuted): Stage {
  const claims = [...plan.claims, ...possibleClaims(snapshot.pools)];
  const { forms } = memory;
  const cluster = plannedCluster(
    snapshot,
    { ...plan, claims },
    { forms, isWhole: true, related: asks.related },
  );
  const domains = new DomainTable(cluster.places);
  return { cluster, asks, domains, spread: new SpreadProof(cluster, asks, domains, order) };
}

/** For the parts of which some pod is concerned. */
function orderOn(stage: Stage, concerned: ReadonlySet<string>): BindOrder | undefined {
  const found = new BindOrder();
  const search = new OrderSearch(stage);
  for (const part of partsOf(stage)) {
    if (!isConcerned(part, concerned)) continue;
    const sequence = search.find(part);
    if (sequence === undefined) return undefined;
    for (const [at, key] of sequence.entries())
      if (!found.add({ pods: [key], others: sequence.slice(0, at), cause: part })) return undefined;
  }
  return found;
}

/** Pods that are planned, those together that spread or affinity ties to each other; who has such rules first. */
function partsOf({ cluster: { standsOf, snapshot }, asks }: Stage): readonly (readonly Waiting[])[] {
  const questions = [...asks.spread, ...asks.company];
  const sets = new DisjointSets();
  const hasRules = new Set<number>();
  for (const { carriers, members } of questions) {
    for (const spec of carriers) hasRules.add(spec);
    const [first, ...others] = [...carriers, ...members];
    for (const other of others) sets.join(first ?? other, other);
  }
  const parts = new Map<number, Waiting[]>();
  for (const spec of [...standsOf.keys()].sort((left, right) => ranked(left) - ranked(right))) {
    for (const stand of standsOf[spec] ?? []) {
      if (stand.placed.length === 0) continue;
      const keys = stand.placed.map((row) => snapshot.pods.keys[row] ?? '');
      const part = parts.get(sets.find(spec)) ?? [];
      parts.set(sets.find(spec), part);
      part.push({ stand, keys, left: keys.length });
    }
  }
  return [...parts.values()];

  function ranked(spec: number): number {
    return hasRules.has(spec) ? 0 : 1;
  }
}

/** Binds pods by trying one after the other, and goes back where no more can be. */
class OrderSearch {
  readonly #spread: readonly SpreadTally[];
  readonly #company: readonly CompanyTally[];
  #states = 0;

  constructor({ cluster: { standsOf }, asks, domains, spread }: Stage) {
    this.#spread = spread.begin();
    this.#company = asks.company.map((question) => new CompanyTally(question, domains, standsOf));
  }

  /** The pods in an order in which all can be bound; those of other parts do not matter to them. */
  find(part: readonly Waiting[]): readonly string[] | undefined {
    const sequence: string[] = [];
    return this.#bindAll(part, sequence, new Set()) ? sequence : undefined;
  }

  #bindAll(part: readonly Waiting[], sequence: string[], seen: Set<string>): boolean {
    if (part.every(({ left }) => left === 0)) return true;
    const state = part.map(({ left }) => left).join();
    if (seen.has(state) || this.#states >= MOST_STATES) return false;
    seen.add(state);
    this.#states++;
    for (const waiting of part) {
      const { stand, keys, left } = waiting;
      if (left === 0 || !this.#admits(stand)) continue;
      this.#enter(stand, 1);
      sequence.push(keys[keys.length - left] ?? '');
      waiting.left--;
      if (this.#bindAll(part, sequence, seen)) return true;
      waiting.left++;
      sequence.pop();
      this.#enter(stand, -1);
    }
    return false;
  }

  #admits({ spec, place }: Stand): boolean {
    return (
      this.#company.every((tally) => tally.admits(spec, place)) &&
      this.#spread.every((tally) => tally.admits(spec, place))
    );
  }

  #enter({ spec, place }: Stand, pods: number): void {
    for (const tally of this.#spread) tally.enter(spec, place, pods);
    for (const tally of this.#company) tally.enter(spec, place, pods);
  }
}
