/** A capacity reservation as a node class resolves to it. */
import type { ResolvedReservation } from '../../../src/ports/cloud.js';

/** An on-demand capacity reservation with two instances left. */
export function resolvedReservation(overrides: Partial<ResolvedReservation> = {}): ResolvedReservation {
  return {
    id: 'cr-1',
    instanceType: 'm5.large',
    zone: 'eu-west-3a',
    type: 'default',
    interruptible: false,
    available: 2,
    ...overrides,
  };
}
