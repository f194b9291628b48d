/**
 * Whether pods satisfy anti-affinity, and find the pods that their affinity needs, in an order of binding
 * that can be kept: where a pod may be the first of its group only before others are bound, these wait for it.
 */
import { append } from '../../domain/values/lists.js';
import type { BindOrder } from './bind-order.js';
import { AffinityState } from './affinity-state.js';
import type { Place, PlannedCluster, Stand } from './cluster/planned-cluster.js';
import type { AntiAffinityQuestion, SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import { type DomainTable, MISSING, type TopologyDomains } from './cluster/topology-domains.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Specs whose required affinity asks the same. */
interface AffinityGroup {
  readonly affinity: AffinityState;
  /** Pods of the group that wait for other pods, in the order of their specs. */
  waiting: Stand[];
}

/** Pods of one spec on one place with required affinity. */
interface Seeker {
  readonly group: AffinityGroup;
  readonly stand: Stand;
}

/** A seeker that begins a group, and the pods (rows) that wait for it. */
interface Starter extends Seeker {
  readonly others: readonly number[];
}

export class AffinityProof {
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
    for (const question of this.#asks.antiAffinity)
      if (question.carriers.some((spec) => this.#stands[spec] !== undefined))
        this.#checkAntiAffinity(question);
    this.#checkAffinity();
    return this.#found;
  }

  #keys(rows: readonly number[]): readonly string[] {
    return rows.map((row) => this.#snapshot.pods.keys[row] ?? '');
  }

  #standsOf(spec: number): readonly Stand[] {
    return this.#stands[spec] ?? NO_STANDS;
  }

  /** No two pods share a domain of which one has anti-affinity to the other, unless both ran before. */
  #checkAntiAffinity({ term, carriers, members }: AntiAffinityQuestion): void {
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
        if (meets) this.#refuteAntiAffinity(domains, stand, members);
      }
    }
  }

  /** Where a running pod has anti-affinity to them, the pods that the plan puts there are refuted. */
  #refuteAntiAffinity(
    domains: TopologyDomains,
    { place, placed }: Stand,
    members: ReadonlySet<number>,
  ): void {
    const here = new Set(domains.of(place));
    const others = [...members].flatMap((spec) =>
      this.#standsOf(spec)
        .filter((other) => domains.of(other.place).some((domain) => here.has(domain)))
        .flatMap((other) => other.placed),
    );
    const rows = placed.length > 0 ? placed : others;
    const detail = `${place.name}: with a pod that anti-affinity excludes from its ${domains.key}`;
    this.#found.push({ rule: 'podAntiAffinity', pods: this.#keys(rows), detail });
  }

  /**
   * Lets the pods come: those that need no other pods first, then all that find what they need, then the first of a group. Where pods wait
   * for others already, this is done again, now that it is known who waits for the first of a group.
   */
  #checkAffinity(): void {
    const isOrdered = this.#order.after.size > 0;
    if (!this.#letCome() || !isOrdered || this.#found.length > 0) return;
    this.#letCome();
  }

  /** Whether any pod has required affinity. */
  #letCome(): boolean {
    const groups = this.#groups();
    if (groups.every(({ waiting }) => waiting.length === 0)) return false;
    const groupsOf = groupsByMember(groups);
    const changed = new Set(groups);
    const arrivals = new Arrivals(
      { snapshot: this.#snapshot, standsOf: this.#stands },
      this.#order,
      ({ spec, place }) => {
        for (const group of groupsOf.get(spec) ?? NO_GROUPS)
          if (group.affinity.enter(spec, place, 1)) changed.add(group);
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

  #groups(): readonly AffinityGroup[] {
    return this.#asks.affinity.map((question) => {
      const waiting: Stand[] = [];
      for (const spec of question.carriers)
        for (const stand of this.#standsOf(spec)) if (stand.placed.length > 0) waiting.push(stand);
      return { affinity: new AffinityState(question, this.#domains), waiting };
    });
  }

  #refuteLonely({ group, stand: { place, placed } }: Seeker): void {
    const keys = group.affinity.domains.map(({ key }) => key).join(', ');
    const detail = `${place.name}: no pod that its affinity asks for in its ${keys}`;
    this.#found.push({ rule: 'podAffinity', pods: this.#keys(placed), detail });
  }

  /**
   * A group of which no pod runs may begin with a pod that counts for it itself. Members elsewhere, which might be bound
   * before it, wait for it; the seeker for whom the fewest wait begins.
   */
  #starter(groups: readonly AffinityGroup[], arrivals: Arrivals): Seeker | undefined {
    let best: Starter | undefined;
    for (const group of groups) {
      if (group.waiting.length === 0 || this.#isBound(group)) continue;
      best = this.#starterOf(group, arrivals, best);
      if (best?.others.length === 0) break;
    }
    if (best === undefined) return undefined;
    if (best.others.length === 0) return best;
    const [start = ''] = this.#keys(best.stand.placed.slice(0, 1));
    const wait = { pods: this.#keys(best.others), others: [start], cause: best.group.affinity.question };
    if (!this.#order.add(wait)) this.#refuteLonely(best);
    return best;
  }

  /** The better of the best so far and those who wait in this group. */
  #starterOf(group: AffinityGroup, arrivals: Arrivals, found: Starter | undefined): Starter | undefined {
    const { members } = group.affinity.question;
    let best = found;
    for (const stand of group.waiting) {
      if (!members.has(stand.spec) || !group.affinity.hasKeys(stand.place) || arrivals.waits(stand)) continue;
      const others = this.#elsewhere({ group, stand });
      if (best === undefined || others.length < best.others.length) best = { group, stand, others };
      if (others.length === 0) break;
    }
    return best;
  }

  /** Whether a pod that counts for the group runs already somewhere that has one of the keys. */
  #isBound({ affinity: { question, domains } }: AffinityGroup): boolean {
    for (const spec of question.members) {
      for (const { place, bound } of this.#standsOf(spec)) {
        if (bound > 0 && domains.some((each) => each.of(place).some((domain) => domain !== MISSING)))
          return true;
      }
    }
    return false;
  }

  /** Planned members of the group on other places, in whose domains the seeker is not. */
  #elsewhere({ group: { affinity }, stand: { place } }: Seeker): readonly number[] {
    const rows: number[] = [];
    for (const spec of affinity.question.members) {
      for (const other of this.#standsOf(spec)) {
        if (other.place === place || other.placed.length === 0) continue;
        if (!affinity.domains.every((domains) => areTogether(place, other.place, domains)))
          rows.push(...other.placed);
      }
    }
    return rows;
  }
}

/** Spec → the groups of which it is a member. */
function groupsByMember(groups: readonly AffinityGroup[]): ReadonlyMap<number, readonly AffinityGroup[]> {
  const groupsOf = new Map<number, AffinityGroup[]>();
  for (const group of groups) {
    for (const spec of group.affinity.question.members) append(groupsOf, spec, group);
  }
  return groupsOf;
}

const NO_STANDS: readonly Stand[] = [];
const NO_GROUPS: readonly AffinityGroup[] = [];

function addTo(counts: Map<number, number>, domains: readonly number[], pods: number): void {
  for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + pods);
}

/** Binds all pods that find what they need, until no more do; `changed` is empty then. */
function admitAll(changed: Set<AffinityGroup>, arrive: (stand: Stand) => void): void {
  for (const group of changed) {
    changed.delete(group);
    if (group.waiting.length === 0) continue;
    const [coming, waiting]: [Stand[], Stand[]] = [[], []];
    for (const stand of group.waiting) (group.affinity.isAt(stand.place) ? coming : waiting).push(stand);
    if (coming.length === 0) continue;
    group.waiting = waiting;
    for (const stand of coming) arrive(stand);
  }
}

function areTogether(left: Place, right: Place, domains: TopologyDomains): boolean {
  const domain = domains.certain(left);
  return domain !== MISSING && domain === domains.certain(right);
}

type Stands = Pick<PlannedCluster, 'snapshot' | 'standsOf'>;

/** Pods coming to their places one after the other, each once all are there that it waits for. */
class Arrivals {
  readonly #cluster: Stands;
  readonly #after: ReadonlyMap<string, readonly string[]>;
  readonly #join: (stand: Stand) => void;
  /** Pods that others wait for and that have not come, `namespace/name`. */
  readonly #absent = new Set<string>();
  /** Stands that would come, were those there that they wait for. */
  #held: Stand[] = [];

  /** `join` is called for each stand that comes. */
  constructor(cluster: Stands, { after }: BindOrder, join: (stand: Stand) => void) {
    this.#cluster = cluster;
    this.#after = after;
    this.#join = join;
  }

  get held(): readonly Stand[] {
    return this.#held;
  }

  /** The specs, and those of which pods wait or are waited for; these are absent from now on. */
  specsWith(specs: Iterable<number>): ReadonlySet<number> {
    const all = new Set(specs);
    if (this.#after.size === 0) return all;
    const awaited = new Set([...this.#after.values()].flat());
    this.#cluster.standsOf.forEach((stands, spec) => {
      for (const stand of stands ?? []) {
        for (const key of this.#keys(stand)) {
          if (awaited.has(key)) this.#absent.add(key);
          if (awaited.has(key) || this.#after.has(key)) all.add(spec);
        }
      }
    });
    return all;
  }

  /** At the beginning: what is bound is there; what needs no other pods comes. */
  begin(stand: Stand, isSeeker: boolean): void {
    if (stand.bound > 0) this.#join(stand);
    if (!isSeeker && (stand.placed.length > 0 || stand.bound === 0)) this.come(stand);
  }

  /** Whether pods of the stand wait for pods that have not come. */
  waits(stand: Stand): boolean {
    if (this.#absent.size === 0) return false;
    return this.#keys(stand).some((key) => this.#after.get(key)?.some((other) => this.#absent.has(other)));
  }

  /** The stand comes, or is held until those have come that it waits for; so do others that waited for it. */
  come(stand: Stand): void {
    if (this.waits(stand)) {
      this.#held.push(stand);
      return;
    }
    this.#join(stand);
    if (this.#absent.size === 0) return;
    const before = this.#absent.size;
    for (const key of this.#keys(stand)) this.#absent.delete(key);
    if (this.#absent.size === before) return;
    const held = this.#held;
    this.#held = [];
    for (const other of held) this.come(other);
  }

  #keys({ placed }: Stand): readonly string[] {
    return placed.map((row) => this.#cluster.snapshot.pods.keys[row] ?? '');
  }
}
