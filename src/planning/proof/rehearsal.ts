/**
 * Binds the pods of a small plan one after the other, each once all its rules about other pods hold and all are bound that it
 * waits for. The proofs look at spread, at company and at waiting each by itself; together they may hold each other up.
 */
import type { BindOrder } from './bind-order.js';
import { CompanyGroup } from './company-group.js';
import type { Place, PlannedCluster } from './planned-cluster.js';
import type { SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import type { SpreadProof, SpreadTally } from './spread-proof.js';
import type { DomainTable } from './topology-domains.js';

/** Larger plans are not rehearsed: it takes the square of their pods. */
const MOST_PODS = 200;

interface Rehearsed {
  readonly asks: SpecAsks;
  readonly domains: DomainTable;
  readonly order: BindOrder;
  readonly spread: SpreadProof;
}

interface Actor {
  readonly key: string;
  readonly spec: number;
  readonly place: Place;
}

/** What is wrong: pods that are never bound, where pods wait for others. In the order of the specs, and in the opposite one. */
export function rehearse(cluster: PlannedCluster, rehearsed: Rehearsed): readonly Refutation[] {
  if (rehearsed.order.after.size === 0) return [];
  const actors = actorsOf(cluster);
  if (actors.length > MOST_PODS) return [];
  for (const inOrder of [actors, actors.toReversed()]) {
    const stuck = new Rehearsal(cluster, rehearsed).bindAll(inOrder);
    const pods = stuck.map(({ key }) => key);
    if (pods.length > 0) return [{ rule: 'topologySpread', pods, detail: 'each waits for another of them' }];
  }
  return [];
}

function actorsOf({ standsOf, snapshot }: PlannedCluster): readonly Actor[] {
  return standsOf.flatMap((stands, spec) =>
    (stands ?? []).flatMap(({ place, placed }) =>
      placed.map((row) => ({ key: snapshot.pods.keys[row] ?? '', spec, place })),
    ),
  );
}

class Rehearsal {
  readonly #after: BindOrder['after'];
  readonly #tallies: readonly SpreadTally[];
  readonly #groups: readonly CompanyGroup[];
  /** Spec → the groups whose company its pods look for. */
  readonly #asking = new Map<number, CompanyGroup[]>();
  readonly #bound = new Set<string>();

  constructor({ standsOf }: PlannedCluster, { asks, domains, order, spread }: Rehearsed) {
    this.#after = order.after;
    this.#tallies = spread.begin();
    this.#groups = asks.company.map((question) => {
      const keys = question.terms.map(({ topologyKey }) => domains.of(topologyKey));
      const group = new CompanyGroup(question, keys, []);
      for (const spec of question.carriers)
        this.#asking.set(spec, [...(this.#asking.get(spec) ?? []), group]);
      for (const spec of question.members)
        for (const { place, bound } of standsOf[spec] ?? []) if (bound > 0) group.join(place);
      return group;
    });
  }

  /** Those that are never bound. */
  bindAll(actors: readonly Actor[]): readonly Actor[] {
    let waiting = actors;
    for (;;) {
      const left = waiting.filter((actor) => !this.#binds(actor));
      if (left.length === 0 || left.length === waiting.length) return left;
      waiting = left;
    }
  }

  /** Binds the pod if that is allowed now. */
  #binds({ key, spec, place }: Actor): boolean {
    if (this.#after.get(key)?.some((other) => !this.#bound.has(other)) === true) return false;
    if (!(this.#asking.get(spec) ?? []).every((group) => findsCompany(group, spec, place))) return false;
    if (!this.#tallies.every((tally) => tally.admits(spec, place))) return false;
    this.#bound.add(key);
    for (const tally of this.#tallies) tally.enter(spec, place, 1);
    for (const group of this.#groups) if (group.members.has(spec)) group.join(place);
    return true;
  }
}

/** Also where no member is anywhere yet, and the pod is one itself (InterPodAffinity). */
function findsCompany(group: CompanyGroup, spec: number, place: Place): boolean {
  return group.admits(place) || (group.isEmpty && group.members.has(spec) && group.hasKeys(place));
}
