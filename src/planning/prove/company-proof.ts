/**
 * Whether pods are kept from those that they or the others repel, and find those that they need, in an order of binding
 * that can be kept: where a pod may be the first of its group only before others are bound, these wait for it.
 */
import type { Snapshot } from '../snapshot/snapshot.js';
import { Arrivals } from './arrivals.js';
import type { BindOrder } from './bind-order.js';
import { CompanyGroup } from './company.js';
import type { Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { RepelQuestion, SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import { MISSING, type DomainTable, type TopologyDomains } from './topology-domains.js';

/** Pods of one spec on one place that look for company. */
interface Seeker {
  readonly group: CompanyGroup;
  readonly stand: Stand;
}

/** A seeker with whom a group begins, and the pods (rows) that wait for it. */
interface Starter extends Seeker {
  readonly others: readonly number[];
}

export class CompanyProof {
  readonly #order: BindOrder;
  readonly #snapshot: Snapshot;
  readonly #asks: SpecAsks;
  readonly #domains: DomainTable;
  readonly #stands: PlannedCluster['standsOf'];
  readonly #found: Refutation[] = [];

  constructor(cluster: PlannedCluster, asks: SpecAsks, domains: DomainTable, order: BindOrder) {
    this.#order = order;
    this.#snapshot = cluster.snapshot;
    this.#asks = asks;
    this.#domains = domains;
    this.#stands = cluster.standsOf;
  }

  check(): readonly Refutation[] {
    for (const question of this.#asks.repel)
      if (question.carriers.some((spec) => this.#stands[spec] !== undefined)) this.#checkRepelled(question);
    this.#checkCompany();
    return this.#found;
  }

  #keys(rows: readonly number[]): readonly string[] {
    return rows.map((row) => this.#snapshot.pods.keys[row] ?? '');
  }

  #standsOf(spec: number): readonly Stand[] {
    return this.#stands[spec] ?? NO_STANDS;
  }

  /** No two pods share a domain of which one repels the other, unless both ran before. */
  #checkRepelled({ term, carriers, members }: RepelQuestion): void {
    const domains = this.#domains.of(term.topologyKey);
    const placed = new Map<number, number>();
    const bound = new Map<number, number>();
    for (const spec of members) {
      for (const stand of this.#standsOf(spec)) {
        if (stand.placed.length > 0) addTo(placed, domains.of(stand.place), stand.placed.length);
        if (stand.bound > 0) addTo(bound, domains.of(stand.place), stand.bound);
      }
    }
    for (const spec of carriers) {
      const self = members.has(spec) ? 1 : 0;
      for (const stand of this.#standsOf(spec)) {
        const meets = domains.of(stand.place).some((domain) => {
          if (domain === MISSING) return false;
          const coming = placed.get(domain) ?? 0;
          if (stand.placed.length > 0 && coming + (bound.get(domain) ?? 0) > self) return true;
          return stand.bound > 0 && coming > 0;
        });
        if (meets) this.#refuteRepelled(domains, stand, members);
      }
    }
  }

  /** Where a pod that runs repels them, those that the plan puts beside it are to blame. */
  #refuteRepelled(domains: TopologyDomains, { place, placed }: Stand, members: ReadonlySet<number>): void {
    const here = new Set(domains.of(place));
    const others = [...members].flatMap((spec) =>
      this.#standsOf(spec)
        .filter((other) => domains.of(other.place).some((domain) => here.has(domain)))
        .flatMap((other) => other.placed),
    );
    const rows = placed.length > 0 ? placed : others;
    const detail = `${place.name}: with a pod that is repelled by ${domains.key}`;
    this.#found.push({ rule: 'podAntiAffinity', pods: this.#keys(rows), detail });
  }

  /**
   * Lets the pods come: those that need no company first, then all that find some, then the first of a group. Where pods wait
   * for others already, this is done once more, now that it is known who waits for the first of a group.
   */
  #checkCompany(): void {
    const isOrdered = this.#order.after.size > 0;
    if (!this.#letCome() || !isOrdered || this.#found.length > 0) return;
    this.#letCome();
  }

  /** Whether any pod looks for company. */
  #letCome(): boolean {
    const groups = this.#groups();
    if (groups.every(({ waiting }) => waiting.length === 0)) return false;
    const groupsOf = groupsByMember(groups);
    const changed = new Set(groups);
    const arrivals = new Arrivals(
      { snapshot: this.#snapshot, standsOf: this.#stands },
      this.#order,
      ({ spec, place }) => {
        for (const group of groupsOf.get(spec) ?? NO_GROUPS) if (group.join(place)) changed.add(group);
      },
    );
    const isSeeker = (spec: number): boolean => this.#snapshot.specs[spec]?.podAffinity.required.length !== 0;
    for (const spec of arrivals.specsWith(groupsOf.keys()))
      for (const stand of this.#standsOf(spec)) arrivals.begin(stand, isSeeker(spec));
    for (;;) {
      admitAll(changed, (stand) => {
        arrivals.come(stand);
      });
      const starter = this.#starter(groups, arrivals);
      if (starter === undefined) break;
      starter.group.waiting = starter.group.waiting.filter((stand) => stand !== starter.stand);
      arrivals.come(starter.stand);
    }
    for (const group of groups) for (const stand of group.waiting) this.#refuteLonely({ group, stand });
    for (const { place, placed } of arrivals.held) {
      const detail = `${place.name}: waits for pods that wait for it`;
      this.#found.push({ rule: 'podAffinity', pods: this.#keys(placed), detail });
    }
    return true;
  }

  #groups(): readonly CompanyGroup[] {
    return this.#asks.company.map((question) => {
      const domains = question.terms.map(({ topologyKey }) => this.#domains.of(topologyKey));
      const waiting: Stand[] = [];
      for (const spec of question.carriers)
        for (const stand of this.#standsOf(spec)) if (stand.placed.length > 0) waiting.push(stand);
      return new CompanyGroup(question, domains, waiting);
    });
  }

  #refuteLonely({ group, stand: { place, placed } }: Seeker): void {
    const keys = group.domains.map(({ key }) => key).join(', ');
    const detail = `${place.name}: no pod that its affinity asks for in its ${keys}`;
    this.#found.push({ rule: 'podAffinity', pods: this.#keys(placed), detail });
  }

  /**
   * A group of which no pod runs may begin with a pod that counts for it itself. Members elsewhere, which might be bound
   * before it, wait for it; the seeker for whom the fewest wait begins.
   */
  #starter(groups: readonly CompanyGroup[], arrivals: Arrivals): Seeker | undefined {
    let best: Starter | undefined;
    for (const group of groups) {
      if (group.waiting.length === 0 || this.#isBound(group)) continue;
      best = this.#starterOf(group, arrivals, best);
      if (best?.others.length === 0) break;
    }
    if (best === undefined) return undefined;
    if (best.others.length === 0) return best;
    const [start = ''] = this.#keys(best.stand.placed.slice(0, 1));
    const wait = { pods: this.#keys(best.others), others: [start], cause: best.group.question };
    if (!this.#order.add(wait)) this.#refuteLonely(best);
    return best;
  }

  /** The better of the best so far and those who wait in this group. */
  #starterOf(group: CompanyGroup, arrivals: Arrivals, found: Starter | undefined): Starter | undefined {
    let best = found;
    for (const stand of group.waiting) {
      if (!group.members.has(stand.spec) || !group.hasKeys(stand.place) || arrivals.waits(stand)) continue;
      const others = this.#elsewhere({ group, stand });
      if (best === undefined || others.length < best.others.length) best = { group, stand, others };
      if (others.length === 0) break;
    }
    return best;
  }

  /** Whether a pod that counts for the group runs already somewhere that has one of the keys. */
  #isBound({ members, domains }: CompanyGroup): boolean {
    for (const spec of members) {
      for (const { place, bound } of this.#standsOf(spec)) {
        if (bound > 0 && domains.some((each) => each.of(place).some((domain) => domain !== MISSING)))
          return true;
      }
    }
    return false;
  }

  /** Planned members of the group on other places, in whose domains the seeker is not. */
  #elsewhere({ group, stand: { place } }: Seeker): readonly number[] {
    const rows: number[] = [];
    for (const spec of group.members) {
      for (const other of this.#standsOf(spec)) {
        if (other.place === place || other.placed.length === 0) continue;
        if (!group.domains.every((domains) => areTogether(place, other.place, domains)))
          rows.push(...other.placed);
      }
    }
    return rows;
  }
}

/** Spec → the groups of which it is a member. */
function groupsByMember(groups: readonly CompanyGroup[]): ReadonlyMap<number, readonly CompanyGroup[]> {
  const groupsOf = new Map<number, CompanyGroup[]>();
  for (const group of groups) {
    for (const spec of group.members) {
      const known = groupsOf.get(spec);
      if (known === undefined) groupsOf.set(spec, [group]);
      else known.push(group);
    }
  }
  return groupsOf;
}

const NO_STANDS: readonly Stand[] = [];
const NO_GROUPS: readonly CompanyGroup[] = [];

function addTo(counts: Map<number, number>, domains: readonly number[], pods: number): void {
  for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + pods);
}

/** Lets all come who find company, until no more do; `changed` is empty then. */
function admitAll(changed: Set<CompanyGroup>, arrive: (stand: Stand) => void): void {
  for (const group of changed) {
    changed.delete(group);
    if (group.waiting.length === 0) continue;
    const [coming, waiting]: [Stand[], Stand[]] = [[], []];
    for (const stand of group.waiting) (group.admits(stand.place) ? coming : waiting).push(stand);
    if (coming.length === 0) continue;
    group.waiting = waiting;
    for (const stand of coming) arrive(stand);
  }
}

function areTogether(left: Place, right: Place, domains: TopologyDomains): boolean {
  const domain = domains.certain(left);
  return domain !== MISSING && domain === domains.certain(right);
}
