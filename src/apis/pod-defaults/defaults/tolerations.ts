/** Tolerations, unless one that the pod has makes them superfluous. */
import * as z from 'zod';
import type { StampedToleration } from '../../../domain/policies/pod-defaults.js';
import { isLabelKey } from '../../../domain/values/labels.js';
import { TAINT_EFFECTS } from '../../../domain/values/taint.js';
import { refuse, withRule, type Loose, type RuleContext } from '../../decode/refuse.js';
import { podDefault, type Stamp } from '../pod-default.js';
import { listIn, textIn, type Place } from '../submitted-pod.js';

const TOLERATIONS: Place = ['spec', 'tolerations'];

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

export const tolerations = podDefault<'tolerations'>()({
  schema: z
    .array(withRule(toleration, checkToleration))
    .describe('Tolerations added to the pod. Default: none.')
    .optional(),
  read: (written = []) =>
    written.map(({ key, operator, value, effect, tolerationSeconds }) => ({
      key: key ?? '',
      operator,
      value: value ?? '',
      effect,
      tolerationSeconds,
    })),
  stamps: (document, pod) => {
    if (document.tolerations.length === 0) return undefined;
    const present = (listIn(pod.spec, 'tolerations') ?? []).map(readToleration);
    return document.tolerations.flatMap((wanted): Stamp[] => {
      const asked = { ...wanted, effect: wanted.effect ?? '' };
      if (present.some((item) => covers(item, asked))) return [];
      present.push(asked);
      const text = formatToleration(asked);
      const value = written(wanted);
      return [
        {
          field: `tolerations.${text}`,
          text: `toleration ${text}`,
          addition: { kind: 'item', at: TOLERATIONS, value },
        },
      ];
    });
  },
});

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

/** A toleration as it stands in the pod; '' where a field is missing. */
interface PodToleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

function readToleration(item: unknown): PodToleration {
  return {
    key: textIn(item, 'key'),
    operator: textIn(item, 'operator') || 'Equal',
    value: textIn(item, 'value'),
    effect: textIn(item, 'effect'),
  };
}

/**
 * Whether everything that `asked` tolerates is tolerated by `present` already. For how long does not matter: of several that
 * match a taint the shortest time counts (Kubernetes: taint-and-toleration), so adding one could only take time away.
 */
function covers(present: PodToleration, asked: PodToleration): boolean {
  if (present.effect !== '' && present.effect !== asked.effect) return false;
  if (present.key === '') return present.operator === 'Exists';
  if (present.key !== asked.key) return false;
  if (present.operator === 'Exists') return true;
  return present.operator === asked.operator && present.value === asked.value;
}

/** `key=value:Effect`, as kubectl writes taints; `*` stands for every key. */
function formatToleration({ key, operator, value, effect }: PodToleration): string {
  const compared = operator === 'Exists' ? '' : `=${value}`;
  return `${key === '' ? '*' : key}${compared}${effect === '' ? '' : `:${effect}`}`;
}

function written({ key, operator, value, effect, tolerationSeconds }: StampedToleration): object {
  return {
    ...(key !== '' && { key }),
    operator,
    ...(value !== '' && { value }),
    ...(effect !== undefined && { effect }),
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  };
}
