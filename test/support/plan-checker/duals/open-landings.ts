/** Every node that a pool can launch, with every choice of the labels that the pool leaves open. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import { allows, type Requirement } from '../../../../src/domain/values/requirement.js';
import { requirementsOf } from '../../../../src/domain/values/requirements.js';
import type { ClusterInput, PoolOffer } from '../../../../src/planning/snapshot/cluster-input.js';
import { isDecidedByInstance, poolLandings, type Landing } from '../landing.js';

/** More combinations than this are no longer looked through. */
const MOST_CHOICES = 256;

/**
 * The pool's landings, once per combination of values that pods of the input could tell apart.
 * @throws RangeError when there are more than 256 combinations.
 */
export function openLandings(offer: PoolOffer, input: ClusterInput): readonly Landing[] {
  const { labels, requirements } = offer.pool.template;
  const open = [...requirementsOf(requirements).values()].filter(
    ({ key }) =>
      !isDecidedByInstance(key) &&
      !labels.has(key) &&
      !(offer.instanceTypes ?? []).some((type) => type.labels.has(key)),
  );
  let choices: readonly Labels[] = [new Map()];
  for (const item of open) {
    const values = [...distinguished(item, input)];
    choices = choices.flatMap((chosen) => values.map((value) => withLabel(chosen, item.key, value)));
    if (choices.length > MOST_CHOICES)
      throw new RangeError(`NodePool ${offer.pool.name} leaves open more labels than can be looked through`);
  }
  return choices.flatMap((chosen) => poolLandings(offer, offer.pool.name, chosen));
}

function withLabel(chosen: Labels, key: string, value: string | undefined): Labels {
  return value === undefined ? chosen : new Map([...chosen, [key, value]]);
}

/** Allowed values that somebody names, one that nobody names, and none at all. */
function distinguished(item: Requirement, { pods }: ClusterInput): ReadonlySet<string | undefined> {
  const named = pods.flatMap(({ spec: { nodeSelector, nodeAffinity } }) => [
    nodeSelector.get(item.key),
    ...(nodeAffinity.required ?? []).flatMap(({ labels }) => valuesOf(labels.get(item.key))),
  ]);
  const all = [undefined, 'a value that nobody names', ...valuesOf(item), ...named];
  return new Set(all.filter((value) => allows(item, value)));
}

function valuesOf(item: Requirement | undefined): readonly string[] {
  if (item === undefined) return [];
  const bounds = [item.atLeast, item.atMost].filter(Number.isFinite).map(String);
  return [...item.values, ...bounds];
}
