/**
 * Whether every pod that is planned keeps to its own spread constraints, asked as if it were the last to be bound: then
 * kube-scheduler binds all of them whatever the order, since each waits until its domain may take one more. Only pods that
 * have a constraint are held to it (PodTopologySpread): where pods that it counts, but that do not have it, would be too
 * many in a domain, these wait until those that have it are bound there.
 */
import { HOSTNAME } from '../../domain/values/labels.js';
import type { BindOrder } from './bind-order.js';
import type { Form, FormSet, FormsLooked } from './cluster/form-sets.js';
import { untoleratedTaint, selectsForm } from './node-proof.js';
import type { Place, PlannedCluster, Stand } from './cluster/planned-cluster.js';
import type { SpecAsks, SpreadQuestion } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import { MISSING, type DomainTable, type TopologyDomains } from './cluster/topology-domains.js';

/** The domains in which a place is a node that a constraint looks at. */
interface Looked {
  readonly domains: readonly number[];
  /** It is looked at, and in one domain, however the claim lands. */
  readonly isCertain: boolean;
}

/** Of places that a constraint does not look at. */
export const NOWHERE: Looked = { domains: [], isCertain: false };

/** What questions with the same policies and rules of nodes look at. */
interface View {
  readonly domains: TopologyDomains;
  /** Place → what is looked at of it. */
  readonly places: readonly Looked[];
  /** Domain → 1 where a node that is looked at may be in it. */
  readonly exists: Uint8Array;
  /** Domains that there are wherever claims land. */
  readonly certain: number;
}

/** Matching pods by domain. */
interface Counts {
  /** Those that are surely there once all are bound and have moved. */
  readonly least: Int32Array;
  /** As many as may be there at any time, wherever claims land. */
  readonly most: Int32Array;
  /** Those that leave or come on their way from one node to another; each is in one place at a time. */
  readonly moving: Int32Array;
}

interface Floors {
  /** The domain with the least count, that count, and the least of all others. */
  readonly domain: number;
  readonly least: number;
  readonly second: number;
}

/** A question with the nodes that it looks at. */
export interface SpreadLook {
  readonly question: SpreadQuestion;
  readonly view: View;
}

/** A question by which pods may have to wait for others: more than maxSkew will be in a domain. */
export interface TightSpread extends SpreadLook {
  /** Domain → matching pods when all are bound, at most. */
  readonly most: Int32Array;
}

/** A question with what is counted for it. */
interface Tally extends SpreadLook {
  readonly counts: Counts;
  readonly floors: Floors;
}

export class SpreadProof {
  readonly #cluster: PlannedCluster;
  readonly #asks: SpecAsks;
  readonly #stands: PlannedCluster['standsOf'];
  readonly #domains: DomainTable;
  readonly #order: BindOrder;
  readonly #found: Refutation[] = [];
  readonly #tight: TightSpread[] = [];
  readonly #views = new Map<number, View>();
  /** Number of domains → counts, used by one question after the other. */
  readonly #scratch = new Map<number, Counts>();

  constructor(cluster: PlannedCluster, asks: SpecAsks, domains: DomainTable, order: BindOrder) {
    this.#cluster = cluster;
    this.#asks = asks;
    this.#stands = cluster.standsOf;
    this.#domains = domains;
    this.#order = order;
  }

  /** Found by the check. */
  get tight(): readonly TightSpread[] {
    return this.#tight;
  }

  check(): readonly Refutation[] {
    for (const question of this.#asks.spread) this.#check(question);
    return this.#found;
  }

  /** Each question that pods of the plan ask. */
  asked(): readonly SpreadLook[] {
    return this.#asks.spread.flatMap((question) =>
      this.#isAsked(question) ? { question, view: this.#viewOf(question) } : [],
    );
  }

  #isAsked({ carriers }: SpreadQuestion): boolean {
    return carriers.some((spec) => this.#standsOf(spec).some(({ placed }) => placed.length > 0));
  }

  #standsOf(spec: number): readonly Stand[] {
    return this.#stands[spec] ?? NO_STANDS;
  }

  #check(question: SpreadQuestion): void {
    const { carriers, members } = question;
    if (!this.#isAsked(question)) return;
    const view = this.#viewOf(question);
    const counts = this.#count(question, view);
    const tally = { question, view, counts, floors: twoLeast(counts.least, view.exists) };
    if (this.#isTight(tally)) this.#tight.push({ question, view, most: counts.most.slice() });
    for (const spec of carriers) {
      const self = members.has(spec) ? 1 : 0;
      for (const { place, placed } of this.#standsOf(spec)) {
        if (placed.length === 0) continue;
        const problem = tilted(tally, self, place);
        if (problem === undefined || this.#mayComeFirst(tally, self, place)) continue;
        const pods = this.#keys(placed);
        this.#found.push({ rule: 'topologySpread', pods, detail: `${place.name}: ${problem}` });
      }
    }
  }

  #isTight({ question: { carriers, constraint }, view, counts }: Tally): boolean {
    return carriers.some((spec) =>
      this.#standsOf(spec).some(
        ({ place, placed }) =>
          placed.length > 0 &&
          view.domains.of(place).some((domain) => (counts.most[domain] ?? 0) > constraint.maxSkew),
      ),
    );
  }

  #count({ members }: SpreadQuestion, { domains, places }: View): Counts {
    const counts = this.#zeros(domains.count);
    let [left, came] = [0, 0];
    for (const spec of members) {
      for (const { place, placed, bound, dying, leaving, coming } of this.#standsOf(spec)) {
        const looked = places[place.index] ?? NOWHERE;
        const pods = placed.length + bound - dying - leaving;
        addTo(counts.most, looked.domains, pods - coming);
        if (looked.isCertain) addTo(counts.least, looked.domains, pods);
        if (leaving + coming === 0) continue;
        addTo(counts.moving, looked.domains, leaving + coming);
        [left, came] = [left + leaving, came + coming];
      }
    }
    const movers = Math.max(left, came);
    if (movers === 0) return counts;
    for (let domain = 0; domain < counts.most.length; domain++)
      counts.most[domain] = (counts.most[domain] ?? 0) + Math.min(movers, counts.moving[domain] ?? 0);
    return counts;
  }

  #zeros(size: number): Counts {
    const known = this.#scratch.get(size);
    if (known === undefined) {
      const made = { least: new Int32Array(size), most: new Int32Array(size), moving: new Int32Array(size) };
      this.#scratch.set(size, made);
      return made;
    }
    known.least.fill(0);
    known.most.fill(0);
    known.moving.fill(0);
    return known;
  }

  /** Whether the constraint's own pods keep to it in the domain before the others come there; then these wait for them. */
  #mayComeFirst({ question, view, counts, floors }: Tally, self: number, place: Place): boolean {
    const { constraint, carriers, members } = question;
    const domain = view.domains.certain(place);
    if (domain === MISSING) return false;
    const isCarrier = new Set(carriers);
    const waiting: number[] = [];
    for (const member of members) {
      if (isCarrier.has(member)) continue;
      for (const { place: other, placed } of this.#standsOf(member))
        if (view.places[other.index]?.domains.includes(domain) === true) waiting.push(...placed);
    }
    const here = (counts.most[domain] ?? 0) - waiting.length;
    if (here - floorOf(constraint.minDomains, { view, floors }, here - self, domain) > constraint.maxSkew)
      return false;
    const first = carriers.flatMap((spec) =>
      this.#standsOf(spec)
        .filter((other) => view.domains.of(other.place).includes(domain))
        .flatMap((other) => other.placed),
    );
    return this.#order.add({ pods: this.#keys(waiting), others: this.#keys(first), cause: question });
  }

  #keys(rows: readonly number[]): readonly string[] {
    return rows.map((row) => this.#cluster.snapshot.pods.keys[row] ?? '');
  }

  #viewOf(question: SpreadQuestion): View {
    const known = this.#views.get(question.looks);
    if (known !== undefined) return known;
    const domains = this.#domains.of(question.constraint.topologyKey);
    const places = this.#cluster.places.map((place) => this.#look(question, domains, place));
    const exists = new Uint8Array(domains.count);
    const isCertain = new Uint8Array(domains.count);
    for (const looked of places) {
      for (const domain of looked.domains) {
        exists[domain] = 1;
        if (looked.isCertain) isCertain[domain] = 1;
      }
    }
    const made = { domains, places, exists, certain: isCertain.reduce((sum, each) => sum + each, 0) };
    this.#views.set(question.looks, made);
    return made;
  }

  /** The domains in which the place is a node that the constraint looks at, by its policies (KEP-3094). */
  #look({ constraint, spec, keys, looks }: SpreadQuestion, domains: TopologyDomains, place: Place): Looked {
    const { topologyKey, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
    if (nodeTaintsPolicy === 'Honor' && untoleratedTaint(spec, place.ownTaints) !== undefined) return NOWHERE;
    const asks = spec.nodeSelector.size > 0 || spec.nodeAffinity.required !== undefined;
    const isPlain = !(asks && nodeAffinityPolicy === 'Honor');
    const hasKeys = keys.every((key) => !this.#domains.of(key).of(place).includes(MISSING));
    const own = domains.of(place);
    if (isPlain && hasKeys) return { domains: own, isCertain: own.length === 1 };
    const name = place.node < 0 ? undefined : place.name;
    const { values, isCertain } = place.set.looked(looks, (set) =>
      lookedForms(set, topologyKey, (form) => {
        const isThere = (key: string): boolean =>
          (key === HOSTNAME && place.claim !== undefined) || form.labels.get(key) !== undefined;
        return keys.every(isThere) && (isPlain || selectsForm(spec, form, name));
      }),
    );
    if (values.length === 0) return NOWHERE;
    const found = topologyKey === HOSTNAME ? own : values.map((value) => domains.number(value));
    const within = found.filter((domain) => domain !== MISSING);
    return { domains: within, isCertain: isCertain && within.length === 1 };
  }
}

const NO_STANDS: readonly Stand[] = [];

/** Counts so many more pods in domains. */
export function addTo(counts: Int32Array, domains: readonly number[], pods: number): void {
  for (const domain of domains) counts[domain] = (counts[domain] ?? 0) + pods;
}

/** The values of a label on the forms that pass; of the name of a node, which is known elsewhere, one that stands for it. */
function lookedForms(set: FormSet, key: string, passes: (form: Form) => boolean): FormsLooked {
  const looked = set.forms.filter(passes);
  const labels = looked.map((form) => (key === HOSTNAME ? '' : form.labels.get(key)));
  const values = [...new Set(labels.filter((value) => value !== undefined))];
  return { values, isCertain: looked.length === set.forms.length };
}

function tilted({ question, view, counts, floors }: Tally, self: number, place: Place): string | undefined {
  const { topologyKey, maxSkew, minDomains } = question.constraint;
  for (const domain of view.domains.of(place)) {
    if (domain === MISSING) return `may have no label ${topologyKey}`;
    const here = counts.most[domain] ?? 0;
    const floor = floorOf(minDomains, { view, floors }, here - self, domain);
    if (here - floor > maxSkew)
      return `${String(here)} pods in ${topologyKey} ${view.domains.name(domain)}, ${String(floor)} in the least, maxSkew ${String(maxSkew)}`;
  }
  return undefined;
}

/** The least count of all domains, before the pod itself is bound in one that counts `here` without it. */
function floorOf(
  minDomains: number,
  { view, floors }: Pick<Tally, 'view' | 'floors'>,
  here: number,
  domain: number,
): number {
  if (view.certain < minDomains) return 0;
  return Math.min(here, floors.domain === domain ? floors.second : floors.least);
}

function twoLeast(counts: Int32Array, exists: Uint8Array): Floors {
  let [domain, least, second] = [MISSING, Infinity, Infinity];
  for (let each = 0; each < exists.length; each++) {
    if (exists[each] === 0) continue;
    const count = counts[each] ?? 0;
    if (count < least) [domain, least, second] = [each, count, least];
    else if (count < second) second = count;
  }
  return { domain, least, second };
}
