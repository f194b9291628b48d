/** Karpenter's SCHEDULER_CONFIG: what Berth has to know of kube-scheduler's configuration. */
import { z } from 'zod';
import { parse } from 'yaml';
import type { DefaultSpread } from '../../../domain/pods/default-spread.js';
import { isLabelKey } from '../../../domain/values/labels.js';

const CONSTRAINT = z.strictObject({
  maxSkew: z.int().min(1),
  topologyKey: z.string().refine(isLabelKey, { error: 'expected a label key' }),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
});

const CONFIG = z.strictObject({
  podTopologySpread: z
    .strictObject({
      defaultConstraints: z
        .array(CONSTRAINT)
        .refine(isWithoutTwins, { error: 'expected each pair of topologyKey and whenUnsatisfiable once' })
        .default([]),
    })
    .optional(),
});

/**
 * Reads the text, YAML or JSON: `podTopologySpread.defaultConstraints`, as kube-scheduler's PodTopologySpreadArgs have them.
 * @throws RangeError with all that is wrong.
 */
export function readDefaultSpread(text: string): DefaultSpread {
  const { data, error } = CONFIG.safeParse(parsed(text) ?? {});
  if (error !== undefined) throw new RangeError(error.issues.map(describeIssue).join('; '));
  return (data.podTopologySpread?.defaultConstraints ?? []).map((constraint) => ({
    ...constraint,
    minDomains: 1,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
  }));
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new RangeError(`expected YAML or JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function isWithoutTwins(constraints: readonly z.infer<typeof CONSTRAINT>[]): boolean {
  const keys = constraints.map(({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`);
  return new Set(keys).size === keys.length;
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
