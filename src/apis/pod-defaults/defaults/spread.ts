/** Topology spread of a workload's pods over zones or nodes. */
import * as z from 'zod';
import type { SpreadDefault } from '../../../domain/policies/pod-defaults.js';
import { canonicalLabel, HOSTNAME, ZONE, type Labels } from '../../../domain/values/labels.js';
import { podDefault, type Stamp } from '../pod-default.js';
import { listIn, textIn, textsIn, type Place } from '../submitted-pod.js';

const CONSTRAINTS: Place = ['spec', 'topologySpreadConstraints'];

export const spread = podDefault<'spread'>()({
  schema: z
    .strictObject({ zone: spreadOver('zones').optional(), host: spreadOver('nodes').optional() })
    .describe(
      "Topology spread of a workload's pods, stamped where a pod has none. Default: nothing is stamped.",
    )
    .optional(),
  read: (written) => ({ zone: written?.zone, host: written?.host }),
  stamps: ({ spread: { zone, host } }, pod) => {
    const selector = spreadSelector(textsIn(pod.metadata, 'labels'));
    if (selector === undefined) return undefined;
    const present = new Set(
      (listIn(pod.spec, 'topologySpreadConstraints') ?? []).map((item) =>
        canonicalLabel(textIn(item, 'topologyKey')),
      ),
    );
    const wanted = [
      { field: 'spread.zone', topologyKey: ZONE, over: zone },
      { field: 'spread.host', topologyKey: HOSTNAME, over: host },
    ];
    return wanted.flatMap(({ field, topologyKey, over }): Stamp[] => {
      if (over === undefined || present.has(topologyKey)) return [];
      const value = constraint(topologyKey, over, selector);
      return [
        { field, text: `spread over ${topologyKey}`, addition: { kind: 'item', at: CONSTRAINTS, value } },
      ];
    });
  },
});

function spreadOver(what: string) {
  return z
    .strictObject({
      maxSkew: z
        .int()
        .min(1)
        .default(1)
        .describe(`Maximum difference in the number of pods between two ${what}.`),
      whenUnsatisfiable: z
        .enum(['ScheduleAnyway', 'DoNotSchedule'])
        .default('ScheduleAnyway')
        .describe('Whether the constraint is preferred (ScheduleAnyway) or required (DoNotSchedule).'),
    })
    .describe(`Spread over ${what}. Default: nothing is stamped.`);
}

/** Which pods a spread counts: those of the same workload, by the labels that people gave it. */
interface SpreadSelector {
  readonly matchLabels: Labels;
  readonly matchLabelKeys: readonly string[];
}

const TEMPLATE_HASH = 'pod-template-hash';

/** Labels that controllers generate: they tell single pods, revisions or runs apart and not workloads. */
const GENERATED: ReadonlySet<string> = new Set([
  TEMPLATE_HASH,
  'controller-revision-hash',
  'pod-template-generation',
  'rollouts-pod-template-hash',
  'job-name',
  'controller-uid',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);
const GENERATED_PREFIX = 'batch.kubernetes.io/';

/** undefined when no label is left: a selector without labels would count every pod of the namespace. */
function spreadSelector(labels: Labels): SpreadSelector | undefined {
  const given = [...labels].filter(([key]) => !GENERATED.has(key) && !key.startsWith(GENERATED_PREFIX));
  if (given.length === 0) return undefined;
  return {
    matchLabels: new Map(given),
    // So that the pods of a new revision are spread by themselves while old ones go (KEP-3243).
    matchLabelKeys: labels.has(TEMPLATE_HASH) ? [TEMPLATE_HASH] : [],
  };
}

function constraint(
  topologyKey: string,
  { maxSkew, whenUnsatisfiable }: SpreadDefault,
  { matchLabels, matchLabelKeys }: SpreadSelector,
): object {
  return {
    maxSkew,
    topologyKey,
    whenUnsatisfiable,
    labelSelector: { matchLabels: Object.fromEntries(matchLabels) },
    ...(matchLabelKeys.length > 0 && { matchLabelKeys }),
  };
}
