/** What a claim is launched as where NodeOverlays have planning count with other prices than those that are paid. */
import { launchOfferings } from '../../../src/controllers/node-claim/launch/launch-offerings.js';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import { isInOrderOfPrice } from '../../../src/domain/nodes/launch-order.js';
import type { NodeOverlay } from '../../../src/domain/policies/node-overlay.js';
import { overlaidTypes } from '../../../src/domain/nodes/overlaid-types.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { instanceType, ZONE_A } from '../../support/builders/instance-type.js';
import { nodeClaimSpec } from '../../support/builders/node-claim.js';
import { nodeOverlay } from '../../support/builders/node-overlay.js';
import { amounts, type Quantities } from '../../support/builders/pod.js';

const TYPES = [
  instanceType({ name: 'm5.large', price: 0.125, zones: [ZONE_A] }),
  instanceType({ name: 'm6i.large', price: 0.15, zones: [ZONE_A] }),
];

function launched(overlays: readonly NodeOverlay[], requests: Quantities = {}) {
  return launchOfferings({
    spec: nodeClaimSpec({ requirements: [] }),
    requests: amounts(requests),
    types: overlaidTypes(TYPES, overlays),
    zones: new Set([ZONE_A]),
    isUnavailable: () => false,
    isReservationUnavailable: () => false,
  });
}

describe('launchOfferings under NodeOverlays', () => {
  test('stand in the order of what planning counts with, each with the price that is paid', () => {
    const overlay = nodeOverlay({
      requirements: [requirement(INSTANCE_TYPE, 'In', ['m6i.large'])],
      price: { kind: 'percentage', value: -50 },
    });
    const answer = launched([overlay]);
    expect(answer?.capacityType).toBe('spot');
    expect(answer?.offerings).toEqual([
      { instanceType: 'm6i.large', zone: ZONE_A, price: 0.06 },
      { instanceType: 'm5.large', zone: ZONE_A, price: 0.05 },
    ]);
    expect(isInOrderOfPrice(answer?.offerings ?? [])).toBe(false);
  });

  test('are on-demand where that has been paid for, though there is spot', () => {
    const overlay = nodeOverlay({
      requirements: [
        requirement(INSTANCE_TYPE, 'In', ['m5.large']),
        requirement(CAPACITY_TYPE, 'In', ['on-demand']),
      ],
      price: { kind: 'absolute', value: 0 },
    });
    expect(launched([overlay])).toEqual({
      capacityType: 'on-demand',
      offerings: [
        { instanceType: 'm5.large', zone: ZONE_A, price: 0.125 },
        { instanceType: 'm6i.large', zone: ZONE_A, price: 0.15 },
      ],
    });
  });

  test('stand by price, spot first, without any', () => {
    const answer = launched([]);
    expect(answer?.capacityType).toBe('spot');
    expect(isInOrderOfPrice(answer?.offerings ?? [])).toBe(true);
  });

  test('hold pods that ask for what an overlay adds', () => {
    const overlay = nodeOverlay({
      requirements: [requirement(INSTANCE_TYPE, 'In', ['m6i.large'])],
      capacity: { 'acme.io/slice': '2' },
    });
    expect(launched([], { 'acme.io/slice': '1' })).toBeUndefined();
    const answer = launched([overlay], { 'acme.io/slice': '1' });
    expect(answer?.offerings.map((offering) => offering.instanceType)).toEqual(['m6i.large']);
  });
});
