/** The scheduler of pods that name none, or only the default one. */
import * as z from 'zod';
import { podDefault } from '../pod-default.js';
import { textIn } from '../submitted-pod.js';

const BERTH_SCHEDULER = 'berth-scheduler';
const DEFAULT_SCHEDULER = 'default-scheduler';

export const schedulerName = podDefault<'schedulerName'>()({
  schema: z
    .string()
    .min(1)
    .describe(
      'auto: berth-scheduler while it runs; never: unchanged; otherwise the name of a scheduler. Default: unchanged.',
    )
    .optional(),
  read: (written) => written,
  decidesOnce: true,
  stamps: ({ schedulerName: asked }, { spec, schedulerRuns }) => {
    const present = textIn(spec, 'schedulerName');
    if (asked === undefined || (present !== '' && present !== DEFAULT_SCHEDULER)) return undefined;
    const name = asked === 'auto' ? BERTH_SCHEDULER : asked;
    if (name === 'never' || name === DEFAULT_SCHEDULER) return [];
    // The pod would stay pending if it named a scheduler of ours that does not run.
    if (name === BERTH_SCHEDULER && !schedulerRuns) return [];
    return [
      {
        field: 'schedulerName',
        text: `schedulerName ${name}`,
        addition: { kind: 'field', at: ['spec', 'schedulerName'], value: name },
      },
    ];
  },
});
