/** Which domains a rule of topology is about: where the pods that it counts are, and how far it would have to give. */
import { HOSTNAME } from '../../domain/values/labels.js';
import type { PodAffinity, PodAntiAffinity, Reason, TopologySpread } from '../reason.js';
import type { Ask, SpreadRule } from '../model/classes/ask.js';
import { NEW_HOST, NO_DOMAIN, type Place } from '../model/constraints/domains.js';
import { opening } from './labels.js';
import type { NodeView } from '../model/constraints/node-constraint.js';
import type { Packing } from '../rules/packing.js';
import type { TopologyGroup } from '../model/classes/topology-groups.js';
import type { Fix, Offered, Trial } from './trial.js';

/** A reason, with the columns that it stands in front of. */
interface Obstruction {
  readonly reason: Reason;
  readonly columns: readonly number[];
}

/** Where the columns of a trial are in the topology of the plan, whose counts know the plan's own columns only. */
export class TrialPlaces {
  readonly #packing: Packing;
  readonly #offered: Offered;
  readonly #trial: Trial;
  readonly #isOwn: boolean;
  /** Keys of the pod's rules, but for hosts: a new node is a new host wherever it is. */
  readonly #keys: readonly string[];
  readonly #isFree: boolean;
  /** Values of the keys → a column of the plan that has them, or else a node. */
  #byValues: ReadonlyMap<string, Place> | undefined;
  readonly #looksAtHosts: boolean;

  constructor(packing: Packing, offered: Offered, trial: Trial, isOwn: boolean) {
    const { ask, pods } = trial;
    this.#packing = packing;
    this.#offered = offered;
    this.#trial = trial;
    this.#isOwn = isOwn;
    const rules = [...ask.spread, ...ask.affinity, ...ask.antiAffinity, ...pods.repelledBy];
    this.#isFree = rules.length === 0;
    const keys = new Set(rules.map(({ group }) => group.topologyKey));
    this.#keys = [...keys].filter((key) => key !== HOSTNAME);
    this.#looksAtHosts = keys.has(HOSTNAME);
  }

  /** The rule of topology that keeps the pod from a node of the column. */
  violated(column: number): Reason | undefined {
    if (this.#isFree) return undefined;
    const { pods, ask } = this.#trial;
    const place = this.at(column);
    if (place !== undefined) return this.#packing.counts.violated(pods, ask, place);
    // No pod is in a domain that nothing of the plan is in.
    const { counts } = this.#packing;
    const starts = ask.startsAffinity && ask.affinity.every(({ group }) => counts.total(group.index) === 0);
    return starts ? undefined : ask.affinity[0]?.reason;
  }

  /** undefined for a column in a domain that nothing of the plan is in. */
  at(column: number): Place | undefined {
    if (this.#isOwn) return { target: NEW_HOST, column };
    this.#byValues ??= this.#known();
    return this.#byValues.get(this.#valuesOf(this.#offered.launchables.views[column]));
  }

  #known(): ReadonlyMap<string, Place> {
    const { launchables, nodeViews } = this.#packing.problem;
    const found = new Map<string, Place>();
    const enter = (view: NodeView, place: Place): void => {
      const values = this.#valuesOf(view);
      if (!found.has(values)) found.set(values, place);
    };
    launchables.views.forEach((view, column) => {
      enter(view, { target: NEW_HOST, column });
    });
    // A node stands for its zone, but not for a new host.
    if (!this.#looksAtHosts)
      nodeViews.forEach((view, target) => {
        enter(view, { target, column: -1 });
      });
    return found;
  }

  #valuesOf(view: NodeView | undefined): string {
    return this.#keys.map((key) => view?.labels.get(key) ?? '').join('\n');
  }
}

/** The reason with its domains, and what would lift it. */
export function topologyFixes(
  packing: Packing,
  trial: Trial,
  places: TrialPlaces,
  { reason, columns }: Obstruction,
): readonly Fix[] {
  const own = columns.map((column) => places.at(column)?.column ?? -1).filter((column) => column >= 0);
  const told = withDomains(packing, trial.ask, { reason, columns: own });
  const drop = (from: Trial): Trial => withoutRule(from, reason);
  if (told.code === 'TopologySpread' && told.needed !== undefined)
    return [{ reason: told, change: (from) => withSkew(from, reason, told.needed ?? Infinity) }];
  if ((told.code === 'PodAffinity' && told.matching?.length !== 0) || told.code === 'PodAntiAffinity') {
    if (told.key !== HOSTNAME && isRequired(packing, trial.pool, told.key))
      return [
        { reason: { ...told, allow: true }, change: opening(told.key) },
        { reason: told, change: drop },
      ];
  }
  return [{ reason: told, change: drop }];
}

function isRequired({ problem: { launchables } }: Packing, pool: number, key: string): boolean {
  return launchables.templates.some((template) => template.pool === pool && template.requirements.has(key));
}

/** The trial without the rule that the reason belongs to. */
function withoutRule(trial: Trial, reason: Reason): Trial {
  const isOther = (rule: { readonly reason: Reason }): boolean => rule.reason !== reason;
  const ask = {
    ...trial.ask,
    spread: trial.ask.spread.filter(isOther),
    affinity: trial.ask.affinity.filter(isOther),
    antiAffinity: trial.ask.antiAffinity.filter(isOther),
  };
  const repelledBy = trial.pods.repelledBy.filter(isOther);
  return { ...trial, ask, pods: { ...trial.pods, asks: [ask], repelledBy } };
}

function withSkew(trial: Trial, reason: Reason, maxSkew: number): Trial {
  const spread = trial.ask.spread.map((rule) =>
    rule.reason === reason ? { ...rule, maxSkew, reason: { ...rule.reason } } : rule,
  );
  const ask = { ...trial.ask, spread };
  return { ...trial, ask, pods: { ...trial.pods, asks: [ask] } };
}

/** The reason with its domains; as it is, when it is not one of the ask's rules of topology. */
function withDomains(packing: Packing, ask: Ask, { reason, columns }: Obstruction): Reason {
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
  const { index } = rule.group;
  const withPods = (domain: number, pods: number) => ({ domain: domains.value(key, domain) ?? '', pods });
  let nearest: { readonly domain: number; readonly room: number } | undefined;
  for (const column of columns) {
    const place = { target: NEW_HOST, column };
    const domain = domains.at(key, place);
    const room = counts.spreadRoom(rule, ask, place);
    if (domain !== NO_DOMAIN && (nearest === undefined || room > nearest.room)) nearest = { domain, room };
  }
  if (nearest === undefined) return { ...reason, unlabelled: true };
  const eligible = counts.eligibleDomains(rule);
  const [least] = eligible
    .map((domain) => withPods(domain, counts.settled(index, domain)))
    .sort((left, right) => left.pods - right.pods);
  const here = withPods(nearest.domain, counts.members(index, nearest.domain));
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
  const nodes = hosts.filter(({ column }) => column < 0);
  const planned = hosts.length - nodes.length;
  return {
    ...reason,
    matching: nodes.map(({ target }) => `node ${snapshot.nodes[target]?.name ?? ''}`),
    ...(planned === 0 ? {} : { planned }),
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
