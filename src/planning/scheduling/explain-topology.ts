/** Which domains a rule of topology is about: where the pods that it counts are, and how far it would have to give. */
import { HOSTNAME } from '../../domain/labels.js';
import type { PodAffinity, PodAntiAffinity, Reason, TopologySpread } from '../reason.js';
import type { Ask, SpreadRule } from './ask.js';
import { NEW_HOST, NO_DOMAIN } from './domains.js';
import type { Packing } from './packing.js';
import type { TopologyGroup } from './topology-groups.js';

/** A reason, with the launchable columns that it stands in front of. */
export interface Obstruction {
  readonly reason: Reason;
  readonly columns: readonly number[];
}

/** The reason with its domains; as it is, when it is not one of the ask's rules of topology. */
export function withDomains(packing: Packing, ask: Ask, { reason, columns }: Obstruction): Reason {
  if (reason.code === 'TopologySpread') {
    const rule = ask.spread.find((each) => each.reason === reason);
    return rule === undefined ? reason : spreadReason(packing, ask, { rule, reason, columns });
  }
  if (reason.code === 'PodAffinity') {
    const rule = ask.affinity.find((each) => each.reason === reason);
    return rule === undefined ? reason : affinityReason(packing, rule.group, reason);
  }
  return reason.code === 'PodAntiAffinity' ? antiAffinityReason(packing, reason, columns) : reason;
}

function spreadReason(
  { counts, problem: { domains } }: Packing,
  ask: Ask,
  {
    rule,
    reason,
    columns,
  }: {
    readonly rule: SpreadRule;
    readonly reason: TopologySpread;
    readonly columns: readonly number[];
  },
): TopologySpread {
  const { key } = reason;
  const count = (domain: number) => ({
    domain: domains.value(key, domain) ?? '',
    pods: counts.members(rule.group.index, domain),
  });
  let nearest: { readonly domain: number; readonly room: number } | undefined;
  for (const column of columns) {
    const place = { target: NEW_HOST, column };
    const domain = domains.at(key, place);
    const room = counts.spreadRoom(rule, ask, place);
    if (domain !== NO_DOMAIN && (nearest === undefined || room > nearest.room)) nearest = { domain, room };
  }
  if (nearest === undefined) return { ...reason, unlabelled: true };
  const eligible = counts.eligibleDomains(rule);
  const [least] = eligible.map(count).sort((left, right) => left.pods - right.pods);
  const here = count(nearest.domain);
  const skew = here.pods + rule.self - (least?.pods ?? 0);
  const { minDomains } = rule;
  return {
    ...reason,
    nearest: here,
    needed: rule.maxSkew - nearest.room + rule.self,
    ...(eligible.length < minDomains && skew <= rule.maxSkew
      ? { domains: eligible.length, minDomains }
      : { least }),
  };
}

function affinityReason(
  { counts, targets, problem: { domains, snapshot } }: Packing,
  group: TopologyGroup,
  reason: PodAffinity,
): PodAffinity {
  const has = (domain: number): boolean => domain >= 0 && counts.members(group.index, domain) > 0;
  if (reason.key !== HOSTNAME) {
    const found = Array.from({ length: domains.count(reason.key) }, (_, domain) => domain).filter(has);
    return { ...reason, matching: found.map((domain) => domains.value(reason.key, domain) ?? '').sort() };
  }
  const hosts = targets.filter((target) => has(domains.at(HOSTNAME, target)));
  return {
    ...reason,
    matching: hosts.map(({ target, column }) =>
      column < 0 ? `node ${snapshot.nodes[target]?.name ?? ''}` : 'a node to be launched',
    ),
  };
}

function antiAffinityReason(
  { problem: { domains } }: Packing,
  reason: PodAntiAffinity,
  columns: readonly number[],
): PodAntiAffinity {
  const values = columns.flatMap(
    (column) => domains.value(reason.key, domains.at(reason.key, { target: NEW_HOST, column })) ?? [],
  );
  return { ...reason, taken: [...new Set(values)].sort() };
}
