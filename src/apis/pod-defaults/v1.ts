/** PodDefaults of berth.sh/v1. */
import * as z from 'zod';
import { isLabelKey } from '../../domain/values/labels.js';
import { STAMP_MODES } from '../../domain/policies/pod-defaults.js';
import { TAINT_EFFECTS } from '../../domain/values/taint.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { anyLabels } from '../fields/label-map.js';
import { labelSelector } from '../fields/label-selector.js';
import { envelope } from '../fields/metadata.js';

const OWN = 'Not applied to pods that already select the label. Default: nothing is stamped.';

const toleration = z.strictObject({
  key: z
    .string()
    .refine((key) => key === '' || isLabelKey(key), 'must be a label key')
    .describe('Key of the taint; empty with Exists means every taint.')
    .optional(),
  operator: z
    .enum(['Exists', 'Equal'])
    .default('Equal')
    .describe('Equal compares the value, Exists does not.'),
  value: z.string().describe('Value of the taint, for Equal.').optional(),
  effect: z.enum(TAINT_EFFECTS).describe('Effect of the taint. Default: every effect.').optional(),
  tolerationSeconds: z
    .int()
    .describe('Seconds that a NoExecute taint is tolerated. Default: forever.')
    .optional(),
});

const spreadOver = (what: string) =>
  z
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

const STAMPED: Readonly<Record<string, string>> = {
  architecture: 'kubernetes.io/arch',
  capacityType: 'karpenter.sh/capacity-type',
  nodePool: 'karpenter.sh/nodepool',
};

const spec = z
  .strictObject({
    priority: z
      .int()
      .default(0)
      .describe('Documents with a higher priority are applied first; others do not override them.'),
    namespaceSelector: labelSelector(
      'Namespaces of the pods. Default: all but kube-system and the namespace of Berth.',
    ).optional(),
    podSelector: labelSelector('Selector of the pods. Default: all.').optional(),
    architecture: z
      .enum(['amd64', 'arm64'])
      .describe(`Stamped as nodeSelector kubernetes.io/arch. ${OWN}`)
      .optional(),
    capacityType: z
      .enum(['on-demand', 'spot', 'reserved'])
      .describe(`Stamped as nodeSelector karpenter.sh/capacity-type. ${OWN}`)
      .optional(),
    nodePool: z
      .string()
      .min(1)
      .describe(`Name of a NodePool, stamped as nodeSelector karpenter.sh/nodepool. ${OWN}`)
      .optional(),
    spread: z
      .strictObject({ zone: spreadOver('zones').optional(), host: spreadOver('nodes').optional() })
      .describe(
        "Topology spread of a workload's pods, stamped where a pod has none. Default: nothing is stamped.",
      )
      .optional(),
    nodeSelector: anyLabels(
      'Entries stamped into nodeSelector where the pod does not name the label. Default: none.',
    ).optional(),
    tolerations: z
      .array(withRule(toleration, checkToleration))
      .describe('Tolerations added to the pod. Default: none.')
      .optional(),
    schedulerName: z
      .string()
      .min(1)
      .describe(
        'auto: berth-scheduler while it runs; never: unchanged; otherwise the name of a scheduler. Default: unchanged.',
      )
      .optional(),
    mode: z
      .enum(STAMP_MODES)
      .default('stamp')
      .describe('stamp changes pods; warn only returns a warning about what would be changed.'),
  })
  .describe('The selected pods, and the defaults stamped on them.');

/** Schema of the document. */
export const podDefaultsV1 = z
  .strictObject({ ...envelope('berth.sh/v1', 'PodDefaults'), spec: withRule(spec, checkStamped) })
  .describe('Defaults that the webhook stamps on pods that do not set the fields themselves.');

/** The document as users write it. */
export type PodDefaultsInput = z.input<typeof podDefaultsV1>;
/** The document with defaults. */
export type PodDefaultsDocument = z.output<typeof podDefaultsV1>;

/** Kubernetes' rules for tolerations (validation of core/v1). */
function checkToleration(
  { key, operator, value, effect, tolerationSeconds }: Loose,
  context: RuleContext,
): void {
  const isAnyKey = key === undefined || key === '';
  if (isAnyKey && operator !== 'Exists')
    refuse(context, 'must be Exists when there is no key', { path: ['operator'], allowed: ['Exists'] });
  if (operator === 'Exists' && value !== undefined && value !== '')
    refuse(context, 'must be empty with operator Exists', { path: ['value'] });
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    refuse(context, 'needs effect NoExecute', { path: ['tolerationSeconds'], code: 'conflict', at: 'key' });
}

/** A field and the nodeSelector entry that it stands for may not both be given. */
function checkStamped(value: Loose, context: RuleContext): void {
  const selector = value['nodeSelector'];
  if (typeof selector !== 'object' || selector === null) return;
  for (const [field, label] of Object.entries(STAMPED)) {
    if (value[field] === undefined || !Object.hasOwn(selector, label)) continue;
    refuse(context, `cannot be combined with nodeSelector ${label}`, {
      path: [field],
      code: 'conflict',
      at: 'key',
    });
  }
}
