/** Claim templates: a pool with the labels it leaves open decided. */
import type { Labels } from '../../domain/labels.js';
import { CAPACITY_TYPE, HOSTNAME, NODEPOOL, ZONE } from '../../domain/labels.js';
import { allows, type Requirement } from '../../domain/requirement.js';
import { requirementsOf, type Requirements } from '../../domain/requirements.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { PodSpec } from '../../domain/pod.js';

export interface Template {
  readonly index: number;
  /** Index into `Snapshot.pools`. */
  readonly pool: number;
  readonly offer: PoolOffer;
  /** What the pool requires of type, zone and capacity type. */
  readonly requirements: Requirements;
  /** Template labels, the pool's name, and the chosen ones. */
  readonly labels: Labels;
  /** Values chosen for keys that the pool leaves open. */
  readonly chosen: Labels;
}

/** A pool with very many open values is cut off here: each combination is a template of its own. */
const MAX_TEMPLATES_PER_POOL = 64;

/** The templates of all pools that can launch, in the order of the pools; a pool's default choice comes first. */
export function compileTemplates(snapshot: Snapshot): readonly Template[] {
  const mentioned = mentionedRequirements(snapshot.specs);
  const templates: Template[] = [];
  snapshot.pools.forEach((offer, pool) => {
    if (offer.instanceTypes === undefined || offer.pool.replicas !== undefined) return;
    const requirements = requirementsOf(offer.pool.template.requirements);
    for (const chosen of choices(offer, requirements, mentioned)) {
      const labels = new Map([...offer.pool.template.labels, ...chosen, [NODEPOOL, offer.pool.name]]);
      templates.push({ index: templates.length, pool, offer, requirements, labels, chosen });
    }
  });
  return templates;
}

/** Label key → every requirement that some pod states on it. */
function mentionedRequirements(specs: readonly PodSpec[]): ReadonlyMap<string, readonly Requirement[]> {
  const result = new Map<string, Requirement[]>();
  const add = (item: Requirement): void => {
    const list = result.get(item.key);
    if (list === undefined) result.set(item.key, [item]);
    else list.push(item);
  };
  for (const { nodeSelector, nodeAffinity } of specs) {
    for (const [key, value] of nodeSelector) add(wanted(key, value));
    const preferred = nodeAffinity.preferred.map(({ term }) => term);
    for (const term of [...(nodeAffinity.required ?? []), ...preferred])
      for (const item of term.labels.values()) add(item);
  }
  return result;
}

function wanted(key: string, value: string): Requirement {
  const values = new Set([value]);
  return {
    key,
    complement: false,
    values,
    atLeast: -Infinity,
    atMost: Infinity,
    absent: false,
    minValues: 0,
  };
}

/** Every way to decide the open keys of a pool. */
function choices(
  offer: PoolOffer,
  requirements: Requirements,
  mentioned: ReadonlyMap<string, readonly Requirement[]>,
): readonly Labels[] {
  let result: readonly (readonly (readonly [string, string])[])[] = [[]];
  for (const item of [...requirements.values()].filter(({ key }) => isOpen(key, offer))) {
    const values = candidateValues(item, mentioned.get(item.key) ?? [], offer.pool.name);
    result = result.flatMap((chosen) =>
      values.map((value) => (value === undefined ? chosen : [...chosen, [item.key, value] as const])),
    );
    result = result.slice(0, MAX_TEMPLATES_PER_POOL);
  }
  return result.map((chosen) => new Map(chosen));
}

/** A key is open when neither the template nor any instance type or offering decides it. */
function isOpen(key: string, { pool, instanceTypes }: PoolOffer): boolean {
  if (key === ZONE || key === CAPACITY_TYPE || key === HOSTNAME || key === NODEPOOL) return false;
  if (pool.template.labels.has(key)) return false;
  return (
    !/(^|\.)(kubernetes\.io|k8s\.io|k8s\.aws)\//.test(key) &&
    !(instanceTypes ?? []).some(({ labels }) => labels.has(key))
  );
}

/** Values worth trying: the default first, then every one that the pool lists or a pod names. */
function candidateValues(
  item: Requirement,
  stated: readonly Requirement[],
  fallback: string,
): readonly (string | undefined)[] {
  const named = new Set<string>();
  for (const requirement of [item, ...stated]) {
    if (!requirement.complement) for (const value of requirement.values) named.add(value);
    for (const bound of [requirement.atLeast, requirement.atMost])
      if (Number.isFinite(bound)) named.add(String(bound));
  }
  const values = [...named].filter((value) => allows(item, value)).sort();
  if (item.absent) return [undefined, ...values];
  if (!item.complement || !allows(item, fallback)) return values;
  return [fallback, ...values.filter((value) => value !== fallback)];
}
