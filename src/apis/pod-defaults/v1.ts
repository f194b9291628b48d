/** PodDefaults of berth.sh/v1. */
import * as z from 'zod';
import { STAMP_MODES, type PodDefaults, type StampedFields } from '../../domain/policies/pod-defaults.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { labelSelector, labelSelectorOf } from '../fields/label-selector.js';
import { envelope } from '../fields/metadata.js';
import { POD_DEFAULTS } from './defaults.js';
import type { PodDefault } from './pod-default.js';

type Defaults = typeof POD_DEFAULTS;

const DEFAULTS = Object.entries(POD_DEFAULTS) as readonly (readonly [keyof StampedFields, PodDefault])[];

const schemas = Object.fromEntries(DEFAULTS.map(([field, { schema }]) => [field, schema])) as {
  readonly [Field in keyof Defaults]: Defaults[Field]['schema'];
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
    ...schemas,
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

/** What the document asks the webhook for. */
export function toPodDefaults({ metadata, spec: asked }: PodDefaultsDocument): PodDefaults {
  const fields = DEFAULTS.map(([field, { read }]) => [field, read(asked[field])]);
  return {
    name: metadata.name,
    priority: asked.priority,
    namespaceSelector: labelSelectorOf(asked.namespaceSelector),
    podSelector: labelSelectorOf(asked.podSelector),
    mode: asked.mode,
    ...(Object.fromEntries(fields) as StampedFields),
  };
}

/** A field and the nodeSelector entry that it stands for may not both be given. */
function checkStamped(value: Loose, context: RuleContext): void {
  const selector = value['nodeSelector'];
  if (typeof selector !== 'object' || selector === null) return;
  for (const [field, { label }] of DEFAULTS) {
    if (label === undefined || value[field] === undefined || !Object.hasOwn(selector, label)) continue;
    refuse(context, `cannot be combined with nodeSelector ${label}`, {
      path: [field],
      code: 'conflict',
      at: 'key',
    });
  }
}
