/**
 * Rules that may keep a pod waiting until others are bound: spread with more pods in a domain than maxSkew, required
 * affinity, and the order of binding that these two need. Rules that never make a pod wait are not listed.
 */
import type { BindOrder } from './bind-order.js';
import { AffinityState } from './affinity-state.js';
import type { PlannedCluster, Stand } from './cluster/planned-cluster.js';
import type { AffinityQuestion, SpecAsks } from './proof-memory.js';
import { addTo, NOWHERE, type SpreadLook, type TightSpread } from './spread-proof.js';
import { MISSING, type DomainTable } from './cluster/topology-domains.js';

export interface WaitRule {
  readonly spread: TightSpread | undefined;
  readonly affinity: AffinityQuestion | undefined;
  /** Stands whose pods it may keep waiting. */
  readonly blocks: ReadonlySet<Stand>;
  /** Stands whose pods end the wait, once they are bound. */
  readonly awaits: ReadonlySet<Stand>;
  /** Stands with planned pods that have the rule or are counted by it. */
  readonly stands: readonly Stand[];
}

interface Waited {
  readonly asks: SpecAsks;
  readonly domains: DomainTable;
  readonly order: BindOrder;
  readonly tight: readonly TightSpread[];
}

/** None where no two of them could block each other; affinity alone is proven by simulating the binding. */
export function waitRules(cluster: PlannedCluster, { asks, domains, order, tight }: Waited): WaitRule[] {
  if (tight.length === 0) return [];
  const { standsOf } = cluster;
  const isShared = sharing([...tight.map(({ question }) => question), ...asks.affinity]);
  const rules = tight.flatMap((spread) => (isShared(spread.question) ? spreadRule(spread, standsOf) : []));
  if (rules.length === 0) return rules;
  for (const question of asks.affinity) {
    const rule = isShared(question) ? affinityRule(question, domains, standsOf) : undefined;
    if (rule !== undefined) rules.push(rule);
  }
  const ordered = orderedStands(cluster, order);
  const all = rules.map((rule): WaitRule => {
    const own = ordered.get(rule.spread?.question ?? rule.affinity);
    if (own === undefined) return rule;
    const blocks = new Set([...rule.blocks, ...own.pods]);
    return { ...rule, blocks, awaits: new Set([...rule.awaits, ...own.others]) };
  });
  const waiting = all.filter(({ blocks }) => blocks.size > 0);
  return waiting.length > 1 && waiting.some(({ spread }) => spread !== undefined) ? waiting : [];
}

type Asked = Pick<AffinityQuestion, 'carriers' | 'members'>;

/** Whether a question concerns specs that another one concerns too; the others can be in no circle. */
function sharing(questions: readonly Asked[]): (question: Asked) => boolean {
  const concerned = new Map<number, number>();
  const specsOf = ({ carriers, members }: Asked): ReadonlySet<number> => new Set([...carriers, ...members]);
  for (const question of questions)
    for (const spec of specsOf(question)) concerned.set(spec, (concerned.get(spec) ?? 0) + 1);
  return (question) => [...specsOf(question)].some((spec) => (concerned.get(spec) ?? 0) > 1);
}

/** Stands with planned pods among those of some specs. */
function placedStands(specs: Iterable<number>, standsOf: PlannedCluster['standsOf']): Stand[] {
  return [...new Set(specs)].flatMap((spec) =>
    (standsOf[spec] ?? []).filter(({ placed }) => placed.length > 0),
  );
}

function spreadRule(spread: TightSpread, standsOf: PlannedCluster['standsOf']): WaitRule {
  const { question, view, most } = spread;
  const { carriers, members, constraint } = question;
  const bound = boundPods(spread, standsOf);
  let floor = view.certain < constraint.minDomains ? 0 : Infinity;
  for (let domain = 0; domain < bound.length; domain++)
    if (view.exists[domain] === 1) floor = Math.min(floor, bound[domain] ?? 0);
  // The fullest domain in which pods wait, and the next.
  let [fullest, pods, next] = [MISSING, 0, 0];
  const blocks = new Set<Stand>();
  for (const stand of placedStands(carriers, standsOf)) {
    for (const domain of view.domains.of(stand.place)) {
      const there = most[domain] ?? 0;
      if (there <= constraint.maxSkew + floor) continue;
      blocks.add(stand);
      if (domain !== fullest && there > pods) [fullest, pods, next] = [domain, there, pods];
      else if (domain !== fullest) next = Math.max(next, there);
    }
  }
  const isAwaited = ({ place }: Stand): boolean =>
    (view.places[place.index] ?? NOWHERE).domains.some(
      (domain) => (bound[domain] ?? 0) + constraint.maxSkew < (domain === fullest ? next : pods),
    );
  const awaits = new Set(placedStands(members, standsOf).filter(isAwaited));
  const stands = placedStands([...carriers, ...members], standsOf);
  return { spread, affinity: undefined, blocks, awaits, stands };
}

/** Domain → matching pods that run there surely, are not being deleted, and stay. */
export function boundPods({ question, view }: SpreadLook, standsOf: PlannedCluster['standsOf']): Int32Array {
  const counts = new Int32Array(view.domains.count);
  for (const spec of question.members) {
    for (const { place, bound, dying, leaving } of standsOf[spec] ?? []) {
      const looked = view.places[place.index] ?? NOWHERE;
      if (looked.isCertain) addTo(counts, looked.domains, bound - dying - leaving);
    }
  }
  return counts;
}

/** undefined where all its pods find what they need among running pods. */
function affinityRule(
  question: AffinityQuestion,
  domains: DomainTable,
  standsOf: PlannedCluster['standsOf'],
): WaitRule | undefined {
  const { carriers, members } = question;
  const seekers = placedStands(carriers, standsOf);
  if (seekers.length === 0) return undefined;
  const affinity = new AffinityState(question, domains).enterBound(standsOf);
  const blocks = new Set(seekers.filter(({ place }) => !affinity.isAt(place)));
  const awaits = new Set(placedStands(members, standsOf));
  const stands = placedStands([...carriers, ...members], standsOf);
  return { spread: undefined, affinity: question, blocks, awaits, stands };
}

/** Question → the stands that wait on its account, and those that they wait for. */
function orderedStands(
  { standsOf, snapshot: { pods } }: PlannedCluster,
  { waits }: BindOrder,
): ReadonlyMap<object | undefined, Pick<Ordered, 'pods' | 'others'>> {
  const found = new Map<object | undefined, Ordered>();
  if (waits.length === 0) return found;
  const standOf = new Map<string, Stand>();
  for (const stands of standsOf)
    for (const stand of stands ?? [])
      for (const row of stand.placed) standOf.set(pods.keys[row] ?? '', stand);
  const standsNamed = (names: readonly string[]): Stand[] => names.flatMap((name) => standOf.get(name) ?? []);
  for (const { cause, pods: names, others } of waits) {
    const known = found.get(cause) ?? { pods: [], others: [] };
    known.pods.push(...standsNamed(names));
    known.others.push(...standsNamed(others));
    found.set(cause, known);
  }
  return found;
}

interface Ordered {
  readonly pods: Stand[];
  readonly others: Stand[];
}
