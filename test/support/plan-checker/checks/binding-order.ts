/**
 * Whether kube-scheduler would let every pod go to its planned place in some order, as far as spread is concerned. The
 * extender holds a planned pod until its turn, so the order is ours to choose; the one found here need not be planning's.
 */
import { HOSTNAME } from '../../../../src/domain/values/labels.js';
import { seededRandom } from '../../workloads.js';
import type { FinalState, Resident, Target } from '../final-state.js';
import { eligibleDomains, isCounted, type Group } from '../spread-groups.js';

/** A group with its domains: the least count is taken over all of them. */
interface Tally {
  readonly group: Group;
  /** Pods counted per domain so far. */
  readonly counts: Map<string, number>;
}

/** One pod on its way to one domain per group. */
interface Traveller {
  /** `namespace/name`. */
  readonly key: string;
  /** Pods that the plan has it wait for. */
  readonly after: readonly string[];
  readonly asks: readonly { readonly tally: Tally; readonly domain: string; readonly self: 0 | 1 }[];
  readonly counted: readonly { readonly tally: Tally; readonly domain: string }[];
}

/** Orders that are tried, each from one end and with other pods first; of many pods the first one alone. */
const ORDERS = 40;
const MANY_PODS = 100;

/**
 * False also where a pod's domain is not settled: then no order can be promised. What the plan has pods wait for is kept. Pods
 * that leave do so by themselves, and may be waited for.
 */
export function hasBindingOrder(
  { targets, plan }: Pick<FinalState, 'targets' | 'plan'>,
  groups: readonly Group[],
  launchable: readonly Target[],
): boolean {
  const tallies = groups.map((group): Tally => ({
    group,
    // Which hosts there could be is not known: only those that there are count.
    counts: domainsOf(
      group,
      group.constraint.topologyKey === HOSTNAME ? targets : [...targets, ...launchable],
    ),
  }));
  const after = new Map(plan.placements.map(({ pod, after: first = [] }) => [pod, first]));
  const travellers: Traveller[] = [];
  for (const target of targets) {
    const domains = new Map(tallies.map((tally) => [tally, settledDomain(tally.group, target)]));
    for (const resident of target.residents) {
      const traveller = travellerOf(resident, tallies, domains);
      if (traveller === undefined) return false;
      if (resident.placed) travellers.push({ ...traveller, after: after.get(resident.key) ?? [] });
      else if (resident.pod.move !== 'leaves') bind(traveller);
    }
  }
  const before = tallies.map(({ counts }) => new Map(counts));
  return ordersOf(travellers).some((order) => {
    tallies.forEach(({ counts }, at) => {
      for (const [domain, count] of before[at] ?? []) counts.set(domain, count);
    });
    return bindAll(order);
  });
}

function ordersOf(travellers: readonly Traveller[]): readonly (readonly Traveller[])[] {
  if (travellers.length > MANY_PODS) return [travellers];
  const random = seededRandom(travellers.length);
  const shuffles = Array.from({ length: ORDERS }, () =>
    travellers
      .map((traveller) => ({ traveller, rank: random() }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ traveller }) => traveller),
  );
  return [travellers, ...shuffles];
}

function domainsOf(group: Group, targets: readonly Target[]): Map<string, number> {
  return new Map(
    targets.flatMap((target) => [...eligibleDomains(group, target).domains].map((domain) => [domain, 0])),
  );
}

/** The one domain a target has for a group; undefined when the group does not look at it; null when it has several. */
function settledDomain(group: Group, target: Target): string | undefined | null {
  const { domains, always } = eligibleDomains(group, target);
  if (domains.size === 0) return undefined;
  return domains.size === 1 && always ? [...domains][0] : null;
}

function travellerOf(
  resident: Resident,
  tallies: readonly Tally[],
  domains: ReadonlyMap<Tally, string | undefined | null>,
): Traveller | undefined {
  const asks: Traveller['asks'][number][] = [];
  const counted: Traveller['counted'][number][] = [];
  for (const tally of tallies) {
    const isMember = tally.group.members.some((member) => member.resident === resident);
    const counts = isCounted(tally.group, resident);
    const domain = domains.get(tally);
    if (domain === undefined || !(isMember || counts)) continue;
    if (domain === null) return undefined;
    if (isMember) asks.push({ tally, domain, self: counts ? 1 : 0 });
    if (counts) counted.push({ tally, domain });
  }
  return { key: resident.key, after: [], asks, counted };
}

/** Pods that ask, or that no rule counts, go as soon as they may; another one goes where it helps one that waits. */
function bindAll(travellers: readonly Traveller[]): boolean {
  const isHelper = ({ asks, counted }: Traveller): boolean => asks.length === 0 && counted.length > 0;
  let asking = travellers.filter((traveller) => !isHelper(traveller));
  let others = travellers.filter(isHelper);
  const absent = new Set(travellers.map(({ key }) => key));
  const isNext = ({ after }: Traveller): boolean => !after.some((other) => absent.has(other));
  const go = (traveller: Traveller): void => {
    bind(traveller);
    absent.delete(traveller.key);
  };
  while (asking.length > 0) {
    const waiting = asking.filter((traveller) => {
      const goes = isNext(traveller) && mayGo(traveller);
      if (goes) go(traveller);
      return !goes;
    });
    if (waiting.length === asking.length) {
      const awaited = awaitedBy(waiting, travellers);
      const helper = others.find(
        (other) =>
          isNext(other) &&
          (awaited.has(other.key) || waiting.some((traveller) => raisesFloor(other, traveller))),
      );
      if (helper === undefined) return false;
      go(helper);
      others = others.filter((other) => other !== helper);
    }
    asking = waiting;
  }
  return true;
}

function bind({ counted }: Traveller): void {
  for (const { tally, domain } of counted) tally.counts.set(domain, (tally.counts.get(domain) ?? 0) + 1);
}

function mayGo({ asks }: Traveller): boolean {
  return asks.every(({ tally, domain, self }) => {
    const { maxSkew } = tally.group.constraint;
    return (tally.counts.get(domain) ?? 0) + self - floorOf(tally) <= maxSkew;
  });
}

function floorOf({ group, counts }: Tally): number {
  return counts.size < group.constraint.minDomains ? 0 : Math.min(...counts.values());
}

/** Keys of the pods that these wait for by the plan, also through others. */
function awaitedBy(waiting: readonly Traveller[], travellers: readonly Traveller[]): ReadonlySet<string> {
  const afterOf = new Map(travellers.map(({ key, after }) => [key, after]));
  const found = new Set(waiting.flatMap(({ after }) => after));
  // A set hands out what is added while it is gone through.
  for (const key of found) for (const other of afterOf.get(key) ?? []) found.add(other);
  return found;
}

/** Whether binding it raises the least count that the other waits for. */
function raisesFloor(other: Traveller, { asks }: Traveller): boolean {
  return asks.some(({ tally }) =>
    other.counted.some((at) => at.tally === tally && (tally.counts.get(at.domain) ?? 0) === floorOf(tally)),
  );
}
