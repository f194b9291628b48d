/**
 * Whether every pod that is planned keeps to its own spread constraints, asked as if it were the last to be bound: then
 * kube-scheduler binds all of them whatever the order, since each waits until its domain may take one more. Only pods that
 * have a constraint are held to it (PodTopologySpread): where pods that it counts, but that do not have it, would be too
 * many in a domain, these wait until those that have it are bound there.
 */
import { HOSTNAME } from '../../domain/labels.js';
import { selectorKey } from '../../domain/label-selector.js';
import type { PodSpec } from '../../domain/pod.js';
import type { TopologySpreadConstraint } from '../../domain/topology-spread.js';
import type { PlanOptions } from '../plan-options.js';
import { nodeConstraint } from '../scheduling/node-constraint.js';
import { topologyTerms } from '../scheduling/topology-terms.js';
import { repellingTaint, selectsForm } from './node-proof.js';
import type { BindOrder } from './bind-order.js';
import type { Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { Refutation } from './refutation.js';
import type { SpecIndex } from './spec-index.js';

/** A constraint as specs with the same node rules ask it. */
interface Question {
  readonly constraint: TopologySpreadConstraint;
  readonly spec: PodSpec;
  /** Keys of all hard constraints of the spec: nodes without one are not looked at. */
  readonly keys: readonly string[];
  /** What is known of places; the same for questions that look at the same nodes. */
  readonly looked: Map<Place, Looked>;
  readonly carriers: number[];
}

/** Matching pods in a domain: at least, where a claim may land elsewhere, and at most. */
interface Count {
  least: number;
  most: number;
  /** The domain is there wherever claims land. */
  isCertain: boolean;
}

export class SpreadProof {
  readonly #cluster: PlannedCluster;
  readonly #index: SpecIndex;
  readonly #options: Pick<PlanOptions, 'defaultSpread'>;
  readonly #order: BindOrder;
  readonly #found: Refutation[] = [];
  /** What the node rules of a question let pods on, by the rules' key and the place. */
  readonly #looked = new Map<string, Map<Place, Looked>>();

  constructor(
    cluster: PlannedCluster,
    index: SpecIndex,
    options: Pick<PlanOptions, 'defaultSpread'>,
    order: BindOrder,
  ) {
    this.#order = order;
    this.#cluster = cluster;
    this.#index = index;
    this.#options = options;
  }

  check(): readonly Refutation[] {
    for (const question of this.#questions()) this.#check(question);
    return this.#found;
  }

  #questions(): Iterable<Question> {
    const questions = new Map<string, Question>();
    const { specs } = this.#cluster.snapshot;
    for (const [index, spec] of specs.entries()) {
      if (!this.#isPlaced(index)) continue;
      const hard = topologyTerms(spec, this.#options)
        .spread.map(({ constraint }) => constraint)
        .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
      const keys = hard.map(({ topologyKey }) => topologyKey).sort();
      for (const constraint of hard) {
        const { selector, ...rest } = constraint;
        const rules = nodeConstraint(spec, []).key;
        const key = JSON.stringify([spec.namespace, rest, selectorKey(selector), keys, rules]);
        const known = questions.get(key);
        if (known === undefined)
          questions.set(key, {
            constraint,
            spec,
            keys,
            looked: this.#lookedBy(constraint, keys, rules),
            carriers: [index],
          });
        else known.carriers.push(index);
      }
    }
    return questions.values();
  }

  #lookedBy(
    { topologyKey, nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
    keys: readonly string[],
    rules: string,
  ): Map<Place, Looked> {
    const key = `${topologyKey} ${nodeAffinityPolicy} ${nodeTaintsPolicy} ${keys.join()} ${rules}`;
    const known = this.#looked.get(key) ?? new Map<Place, Looked>();
    this.#looked.set(key, known);
    return known;
  }

  #isPlaced(spec: number): boolean {
    return (this.#cluster.placesOf[spec] ?? []).some((place) => place.stand(spec).placed.length > 0);
  }

  #check(question: Question): void {
    const { constraint, spec, carriers } = question;
    const members = this.#index.selected(constraint.selector, (namespace) => namespace === spec.namespace);
    const counts = this.#counts(question, members);
    const floors = twoLeast(counts);
    const isMember = new Set(members);
    for (const carrier of carriers) {
      const self = isMember.has(carrier) ? 1 : 0;
      for (const place of this.#cluster.placesOf[carrier] ?? []) {
        const { placed } = place.stand(carrier);
        if (placed.length === 0) continue;
        const problem = this.#tilted(question, { counts, floors, self }, place);
        if (problem === undefined || this.#mayComeFirst(question, { counts, floors, self }, members, place))
          continue;
        const pods = this.#keys(placed);
        this.#found.push({ rule: 'topologySpread', pods, detail: `${place.name}: ${problem}` });
      }
    }
  }

  /** Whether the constraint's own pods keep to it in the domain before the others come there; then these wait for them. */
  #mayComeFirst(
    question: Question,
    { floors, self }: Tally,
    members: readonly number[],
    place: Place,
  ): boolean {
    const { constraint, carriers } = question;
    const { topologyKey, maxSkew, minDomains } = constraint;
    const domain = place.value(topologyKey);
    if (domain === undefined) return false;
    const isCarrier = new Set(carriers);
    const waiting: number[] = [];
    let here = 0;
    for (const member of members) {
      for (const other of this.#cluster.placesOf[member] ?? []) {
        const { placed, bound, dying } = other.stand(member);
        if (
          !other.values(topologyKey).includes(domain) ||
          !this.#look(question, other).domains.includes(domain)
        )
          continue;
        here += bound - dying;
        if (isCarrier.has(member)) here += placed.length;
        else waiting.push(...placed);
      }
    }
    const others = floors.domain === domain ? floors.second : floors.least;
    const floor = floors.certain < minDomains ? 0 : Math.min(here - self, others);
    if (here - floor > maxSkew) return false;
    const first = carriers.flatMap((spec) =>
      (this.#cluster.placesOf[spec] ?? [])
        .filter((other) => other.values(topologyKey).includes(domain))
        .flatMap((other) => other.stand(spec).placed),
    );
    return this.#order.add(this.#keys(waiting), this.#keys(first));
  }

  #keys(rows: readonly number[]): readonly string[] {
    return rows.map((row) => this.#cluster.snapshot.pods.keys[row] ?? '');
  }

  #tilted({ constraint }: Question, { counts, floors, self }: Tally, place: Place): string | undefined {
    const { topologyKey, maxSkew, minDomains } = constraint;
    for (const value of place.values(topologyKey)) {
      if (value === undefined) return `may have no label ${topologyKey}`;
      const here = counts.get(value)?.most ?? 0;
      const others = floors.domain === value ? floors.second : floors.least;
      const floor = floors.certain < minDomains ? 0 : Math.min(here - self, others);
      if (here - floor > maxSkew)
        return `${String(here)} pods in ${topologyKey} ${value}, ${String(floor)} in the least, maxSkew ${String(maxSkew)}`;
    }
    return undefined;
  }

  #counts(question: Question, members: readonly number[]): Map<string, Count> {
    const counts = new Map<string, Count>();
    for (const place of this.#cluster.places) {
      const { domains, isCertain } = this.#look(question, place);
      for (const domain of domains) {
        const count = counts.get(domain) ?? { least: 0, most: 0, isCertain: false };
        counts.set(domain, count);
        count.isCertain ||= isCertain && domains.length === 1;
      }
    }
    const add = (place: Place, { placed, bound, dying }: Stand): void => {
      const { domains, isCertain } = this.#look(question, place);
      const pods = placed.length + bound - dying;
      for (const domain of domains) {
        const count = counts.get(domain);
        if (count === undefined) continue;
        count.most += pods;
        if (isCertain && domains.length === 1) count.least += pods;
      }
    };
    for (const member of members)
      for (const place of this.#cluster.placesOf[member] ?? []) add(place, place.stand(member));
    return counts;
  }

  /** The domains in which the place is a node that the constraint looks at, by its policies (KEP-3094). */
  #look({ constraint, spec, keys, looked }: Question, place: Place): Looked {
    const { topologyKey, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
    const before = looked.get(place);
    if (before !== undefined) return before;
    const asks = spec.nodeSelector.size > 0 || spec.nodeAffinity.required !== undefined;
    let found: Looked = NOWHERE;
    if (nodeTaintsPolicy === 'Ignore' || repellingTaint(spec, place.taints) === undefined) {
      const isPlain = !(asks && nodeAffinityPolicy === 'Honor');
      found = isPlain ? wholePlace(place, topologyKey, keys) : partOfPlace(place, spec, topologyKey, keys);
    }
    looked.set(place, found);
    return found;
  }
}

interface Looked {
  readonly domains: readonly string[];
  /** It is looked at however the claim lands. */
  readonly isCertain: boolean;
}

const NOWHERE: Looked = { domains: [], isCertain: false };

function wholePlace(place: Place, topologyKey: string, keys: readonly string[]): Looked {
  if (keys.some((key) => place.values(key).includes(undefined)))
    return partOfPlace(place, undefined, topologyKey, keys);
  return { domains: place.values(topologyKey).filter((value) => value !== undefined), isCertain: true };
}

function partOfPlace(
  place: Place,
  spec: PodSpec | undefined,
  topologyKey: string,
  keys: readonly string[],
): Looked {
  const name = place.node < 0 ? undefined : place.name;
  const looked = place.forms.filter(
    (form) =>
      keys.every((key) => hasLabel(place, form, key)) &&
      (spec === undefined || selectsForm(spec, form, name)),
  );
  if (looked.length === 0) return NOWHERE;
  const isHost = topologyKey === HOSTNAME;
  const values = isHost ? place.values(topologyKey) : looked.map(({ labels }) => labels.get(topologyKey));
  const domains = [...new Set(values.filter((value) => value !== undefined))];
  return { domains, isCertain: looked.length === place.forms.length };
}

function hasLabel(place: Place, { labels }: Place['forms'][number], key: string): boolean {
  return (key === HOSTNAME && place.claim !== undefined) || labels.get(key) !== undefined;
}

interface Floors {
  /** The domain with the least count, that count, and the least of all others. */
  readonly domain: string | undefined;
  readonly least: number;
  readonly second: number;
  /** Domains that there are wherever claims land. */
  readonly certain: number;
}

interface Tally {
  readonly counts: ReadonlyMap<string, Count>;
  readonly floors: Floors;
  readonly self: number;
}

function twoLeast(counts: ReadonlyMap<string, Count>): Floors {
  let [domain, least, second, certain] = [undefined as string | undefined, Infinity, Infinity, 0];
  for (const [value, count] of counts) {
    if (count.isCertain) certain += 1;
    if (count.least < least) [domain, least, second] = [value, count.least, least];
    else second = Math.min(second, count.least);
  }
  return { domain, least, second, certain };
}
