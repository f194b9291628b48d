/** Berth's scheduling gate: the pod is not scheduled before its place is there (level L1). */
import * as z from 'zod';
import { PLAN_GATE } from '../../../domain/pods/gate.js';
import type { Plain } from '../../decode/plain.js';
import { podDefault } from '../pod-default.js';
import { listIn, textIn } from '../submitted-pod.js';

export const schedulingGate = podDefault<'schedulingGate'>()({
  schema: z
    .boolean()
    .describe(
      `true: the scheduling gate ${PLAN_GATE} keeps the pod from every scheduler until its node is ready, and is then replaced by a node selector for that node. Only while Berth has a leader. Default: no gate.`,
    )
    .optional(),
  read: (written) => written,
  decidesOnce: true,
  stamps: ({ schedulingGate: asked }, { spec, isLed, demandTerms }) => {
    if (asked === undefined) return undefined;
    // No controller removes the gate while there is no leader, or from a pod that is not planned.
    if (!asked || !isLed || !isPlanned(spec, demandTerms.schedulers)) return [];
    const gates = listIn(spec, 'schedulingGates') ?? [];
    if (gates.some((gate) => textIn(gate, 'name') === PLAN_GATE)) return [];
    return [
      {
        field: 'schedulingGate',
        text: `scheduling gate ${PLAN_GATE}`,
        addition: { kind: 'item', at: ['spec', 'schedulingGates'], value: { name: PLAN_GATE } },
      },
    ];
  },
});

/** Not for other schedulers, nor with resource claims. */
function isPlanned(spec: Plain, schedulers: readonly string[]): boolean {
  const scheduler = textIn(spec, 'schedulerName');
  if (scheduler !== '' && !schedulers.includes(scheduler)) return false;
  return (listIn(spec, 'resourceClaims') ?? []).length === 0;
}
