/**
 * PodTopologySpread: in the final state no pod of the plan stands in a domain that is too far above the least; or, where it
 * does, kube-scheduler would have let every pod go to its place in some order.
 */
import { HOSTNAME } from '../../../../src/domain/values/labels.js';
import { hasBindingOrder } from './binding-order.js';
import { labelValues, type FinalState, type Target } from '../final-state.js';
import { poolLandings } from '../landing.js';
import {
  eligibleDomains,
  groupsOf,
  isCounted,
  type Group,
  type Member,
  type SpreadOptions,
} from '../spread-groups.js';
import { Findings } from '../violation.js';

/** How many matching pods each domain holds, at least and at most, given where claims may land and which pods have moved. */
interface Counts {
  readonly least: ReadonlyMap<string, number>;
  readonly most: ReadonlyMap<string, number>;
  /** How many domains there are wherever claims land. */
  readonly certain: number;
}

export function checkSpread(state: FinalState, options: SpreadOptions, findings: Findings): void {
  const launchable = options.domains === 'launchable' ? state.input.pools.map(launchableTarget) : [];
  const groups = groupsOf(state.targets);
  const tilted = new Findings();
  for (const group of groups) {
    const more = group.constraint.topologyKey === HOSTNAME ? [] : launchable;
    const counts = countMatching(group, state.targets, more);
    for (const member of group.members) checkMember(group, counts, member, tilted);
  }
  if (tilted.all.length === 0 || hasBindingOrder(state, groups, launchable)) return;
  for (const { kind, subject, message } of tilted.all) findings.add(kind, subject, message);
}

/** A node without pods that may be anything the pool can launch. */
function launchableTarget(offer: FinalState['input']['pools'][number]): Target {
  return {
    kind: 'NodeClaim',
    name: `any of ${offer.pool.name}`,
    landings: offer.pool.replicas === undefined ? poolLandings(offer, '') : [],
    taints: offer.pool.template.taints,
    residents: [],
    node: undefined,
    claim: undefined,
    offer,
  };
}

/** Looks at the nodes that the constraint's policies and the pod's keys let it look at. */
function countMatching(group: Group, targets: readonly Target[], launchable: readonly Target[]): Counts {
  const least = new Map<string, number>();
  const most = new Map<string, number>();
  const onTheirWay = new Map<string, number>();
  const movers = { leave: 0, come: 0 };
  const certain = new Set<string>();
  for (const target of targets) {
    const { domains, always } = eligibleDomains(group, target);
    const matching = target.residents.filter((resident) => isCounted(group, resident));
    const moving = matching.filter(({ pod }) => pod.move !== undefined);
    const leaving = moving.filter(({ pod }) => pod.move === 'leaves').length;
    movers.leave += leaving;
    movers.come += moving.length - leaving;
    const settled = always && domains.size === 1;
    for (const domain of domains) {
      add(most, domain, matching.length - moving.length);
      add(onTheirWay, domain, moving.length);
      add(least, domain, settled ? matching.length - leaving : 0);
      if (settled) certain.add(domain);
    }
  }
  // A pod that moves is on the one node or on the other.
  for (const [domain, pods] of onTheirWay)
    add(most, domain, Math.min(pods, Math.max(movers.leave, movers.come)));
  for (const target of launchable) {
    for (const domain of eligibleDomains(group, target).domains) {
      add(least, domain, 0);
      certain.add(domain);
    }
  }
  return { least, most, certain: certain.size };
}

function add(counts: Map<string, number>, domain: string, amount: number): void {
  counts.set(domain, (counts.get(domain) ?? 0) + amount);
}

/**
 * kube-scheduler asks, when it places the pod, that the domain's count and the pod itself, if it matches, exceed the
 * least count of any domain by at most maxSkew. Here every pod is asked as if it were the last one placed.
 */
function checkMember(group: Group, counts: Counts, { target, resident }: Member, findings: Findings): void {
  const { maxSkew, topologyKey, minDomains } = group.constraint;
  const self = isCounted(group, resident) ? 1 : 0;
  for (const domain of labelValues(target, topologyKey)) {
    if (domain === undefined) {
      findings.add('spread', resident.key, `${target.name} may have no label ${topologyKey}`);
      continue;
    }
    const here = counts.most.get(domain) ?? 0;
    const others = [...counts.least].filter(([other]) => other !== domain).map(([, least]) => least);
    const lowest = counts.certain < minDomains ? 0 : Math.min(here - self, ...others);
    if (here - lowest > maxSkew)
      findings.add(
        'spread',
        resident.key,
        `${topologyKey} ${domain} holds up to ${String(here)} matching pods, the least domain ${String(lowest)}; maxSkew ${String(maxSkew)}`,
      );
  }
}
