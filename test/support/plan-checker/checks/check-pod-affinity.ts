/** InterPodAffinity: required affinity, in an order in which the pods can come, and anti-affinity in both directions. */
import type { PodAffinityTerm } from '../../../../src/domain/pods/affinity.js';
import { selectorKey, selects } from '../../../../src/domain/values/label-selector.js';
import type { Pod } from '../../../../src/domain/pods/pod.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { labelValues, type FinalState, type Resident, type Target } from '../final-state.js';
import type { Findings } from '../violation.js';

interface Stand {
  readonly target: Target;
  readonly resident: Resident;
}

type Namespaces = ClusterInput['namespaces'];

export function checkPodAffinity(state: FinalState, findings: Findings): void {
  const stands = state.targets.flatMap((target) =>
    target.residents.map((resident) => ({ target, resident })),
  );
  checkAntiAffinity(stands, state.input.namespaces, findings);
  const after = new Map(state.plan.placements.map((placement) => [placement.pod, placement.after ?? []]));
  checkAffinity({ stands, namespaces: state.input.namespaces, after }, findings);
}

/** Whether the term's selector and namespaces match the pod. */
export function termMatchesPod(term: PodAffinityTerm, pod: Pod, namespaces: Namespaces): boolean {
  return inScope(term, pod.namespace, namespaces) && selects(term.selector, pod.spec.labels);
}

function inScope({ namespaces: scope }: PodAffinityTerm, namespace: string, known: Namespaces): boolean {
  if (scope.names.has(namespace)) return true;
  const own = new Map([...(known.get(namespace) ?? []), ['kubernetes.io/metadata.name', namespace] as const]);
  return selects(scope.selector, own);
}

/** The same text for terms that ask the same. */
export function termKey(term: PodAffinityTerm): string {
  const { names, selector } = term.namespaces;
  return JSON.stringify([
    term.topologyKey,
    selectorKey(term.selector),
    [...names].sort(),
    selectorKey(selector),
  ]);
}

/** Domain → pods that match a term there, with claims counted wherever they may land. */
interface Matching {
  readonly bound: Map<string, number>;
  readonly placed: Map<string, number>;
}

/** No pod shares a domain with one that its own, or the other's, term repels, if the plan placed one of the two. */
function checkAntiAffinity(stands: readonly Stand[], namespaces: Namespaces, findings: Findings): void {
  const matching = new Map<string, Matching>();
  for (const { target, resident } of stands) {
    for (const term of resident.pod.spec.podAntiAffinity.required) {
      const key = termKey(term);
      const known = matching.get(key) ?? countMatching(term, stands, namespaces);
      matching.set(key, known);
      const self = termMatchesPod(term, resident.pod, namespaces) ? 1 : 0;
      const shared = [...labelValues(target, term.topologyKey)].find(
        (domain) => domain !== undefined && repelledIn(known, domain, resident, self) > 0,
      );
      if (shared !== undefined)
        findings.add(
          'pod-anti-affinity',
          resident.key,
          `may be with a repelled pod in ${term.topologyKey} ${shared}`,
        );
    }
  }
}

/** Matching pods in a domain other than the pod itself; for a bound pod only those that the plan adds. */
function repelledIn({ placed, bound }: Matching, domain: string, resident: Resident, self: number): number {
  const added = placed.get(domain) ?? 0;
  return resident.placed ? added + (bound.get(domain) ?? 0) - self : added;
}

function countMatching(term: PodAffinityTerm, stands: readonly Stand[], namespaces: Namespaces): Matching {
  const counts: Matching = { bound: new Map(), placed: new Map() };
  for (const { target, resident } of stands) {
    if (!termMatchesPod(term, resident.pod, namespaces)) continue;
    const side = resident.placed ? counts.placed : counts.bound;
    for (const domain of labelValues(target, term.topologyKey))
      if (domain !== undefined) side.set(domain, (side.get(domain) ?? 0) + 1);
  }
  return counts;
}

/** Pods whose required affinity asks the same, and the pods they may join, as these come one by one. */
class AffinityGroup {
  readonly terms: readonly PodAffinityTerm[];
  readonly #namespaces: Namespaces;
  readonly #targets: Set<Target> = new Set<Target>();
  readonly #domains: readonly Set<string>[];

  constructor(terms: readonly PodAffinityTerm[], namespaces: Namespaces) {
    this.terms = terms;
    this.#namespaces = namespaces;
    this.#domains = terms.map(() => new Set<string>());
  }

  /** Only a pod that all terms match counts for any of them. */
  matches(pod: Pod): boolean {
    return this.terms.every((term) => termMatchesPod(term, pod, this.#namespaces));
  }

  /** A domain counts only once it is certain that the target lands in it. */
  join({ target, resident }: Stand): void {
    if (!this.matches(resident.pod)) return;
    this.#targets.add(target);
    this.terms.forEach(({ topologyKey }, index) => {
      const [domain, ...more] = labelValues(target, topologyKey);
      if (domain !== undefined && more.length === 0) this.#domains[index]?.add(domain);
    });
  }

  /** Whether a pod of the group may come to the target now. */
  admits({ target }: Stand): boolean {
    if (this.terms.some(({ topologyKey }) => labelValues(target, topologyKey).has(undefined))) return false;
    if (this.#targets.has(target)) return true;
    return this.terms.every(({ topologyKey }, index) => {
      const [domain, ...more] = labelValues(target, topologyKey);
      return domain !== undefined && more.length === 0 && this.#domains[index]?.has(domain) === true;
    });
  }

  /** The first pod of a group that matches itself may go anywhere that has the keys. */
  admitsFirst({ target, resident }: Stand): boolean {
    if (this.#targets.size > 0 || !this.matches(resident.pod)) return false;
    return this.terms.every(({ topologyKey }) => !labelValues(target, topologyKey).has(undefined));
  }
}

interface Comers {
  readonly stands: readonly Stand[];
  readonly namespaces: Namespaces;
  /** Pod → the pods that the plan has it wait for; the extender does so. */
  readonly after: ReadonlyMap<string, readonly string[]>;
}

/**
 * Lets the pods come one by one: bound ones and those without required affinity first, then those that find a matching
 * pod in their domain, and when none does, the first of a group that matches itself. Those that are left broke the rule.
 */
function checkAffinity({ stands, namespaces, after }: Comers, findings: Findings): void {
  const groups = new Map<string, AffinityGroup>();
  let waiting = stands.map((stand) => {
    if (!asksForCompany(stand.resident)) return { stand, group: undefined };
    const terms = stand.resident.pod.spec.podAffinity.required;
    const key = terms.map(termKey).sort().join();
    const group = groups.get(key) ?? new AffinityGroup(terms, namespaces);
    groups.set(key, group);
    return { stand, group };
  });
  const here = new Set<string>();
  const come = (stand: Stand): void => {
    here.add(stand.resident.key);
    for (const group of groups.values()) group.join(stand);
  };
  const isInTurn = ({ resident }: Stand): boolean =>
    !resident.placed || (after.get(resident.key) ?? []).every((key) => here.has(key));
  while (waiting.length > 0) {
    const inTurn = waiting.filter(({ stand }) => isInTurn(stand));
    const free = inTurn.filter(({ group }) => group === undefined);
    const ready = free.length > 0 ? free : inTurn.filter(({ stand, group }) => group?.admits(stand));
    const first = inTurn.find(({ stand, group }) => group?.admitsFirst(stand));
    const coming = ready.length > 0 ? ready : [first].filter((item) => item !== undefined);
    if (coming.length === 0) break;
    for (const { stand } of coming) come(stand);
    waiting = waiting.filter((item) => !coming.includes(item));
  }
  for (const { stand, group } of waiting) {
    const keys = group?.terms.map(({ topologyKey }) => topologyKey).join(', ') ?? 'turn';
    const where = stand.target.name;
    findings.add('pod-affinity', stand.resident.key, `finds no matching pod in its ${keys} on ${where}`);
  }
}

function asksForCompany({ pod, placed }: Resident): boolean {
  return placed && pod.spec.podAffinity.required.length > 0;
}
