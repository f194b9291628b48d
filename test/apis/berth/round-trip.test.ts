/** Law: what Berth writes into its own kinds, it reads back the same. */
import '../../../src/app/clouds.js';
import fc from 'fast-check';
import { decodeDecision, encodeDecision } from '../../../src/apis/berth/decision.js';
import { decodeNodeClaim, encodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import {
  decodeObservation,
  decodePolicyStatus,
  encodeObservation,
  encodePolicyStatus,
} from '../../../src/apis/berth/policy-status.js';
import { decodeReservation, encodeReservation } from '../../../src/apis/berth/reservation.js';
import type { Decoded } from '../../../src/apis/kubernetes/object/finding.js';
import type { Observation } from '../../../src/domain/records/observation.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { decisions, nodeClaims, observations, policyStatuses, reservations } from './arbitraries.js';

function expectSameAfter<T>(
  arbitrary: fc.Arbitrary<T>,
  encode: (value: T) => JsonObject,
  decode: (json: unknown) => Decoded<T>,
): void {
  fc.assert(
    fc.property(arbitrary, (value) => {
      const json: unknown = JSON.parse(JSON.stringify(encode(value)));
      expect(decode(json)).toEqual({ value, findings: [] });
    }),
    { numRuns: 300 },
  );
}

function expectNeverThrows(decode: (json: unknown) => Decoded<unknown>, encoded: JsonObject): void {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(() => decode(value)).not.toThrow();
    }),
  );
  const paths = pathsOf(encoded);
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
      expect(() => decode(replaced(encoded, path, value))).not.toThrow();
    }),
  );
}

/** The paths of all fields, lists' items included. */
function pathsOf(value: unknown, before: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [before];
  const inner = Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...before, key]));
  return [before, ...inner];
}

function replaced(value: unknown, [step, ...rest]: readonly string[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

test('a NodeClaim stays the same', () => {
  expectSameAfter(nodeClaims, encodeNodeClaim, decodeNodeClaim);
});

test('a Reservation stays the same', () => {
  expectSameAfter(reservations, encodeReservation, decodeReservation);
});

test('a PolicyStatus stays the same', () => {
  expectSameAfter(policyStatuses, encodePolicyStatus, decodePolicyStatus);
});

test('what was observed stays the same, and is no PolicyStatus of a policy', () => {
  const encode = (value: Observation): JsonObject => encodeObservation(value, value);
  expectSameAfter(observations, encode, decodeObservation);
  const [observed] = fc.sample(observations, { seed: 1, numRuns: 1 });
  expect(decodePolicyStatus(observed && encode(observed))).toEqual({ value: undefined, findings: [] });
});

test('a Decision stays the same', () => {
  expectSameAfter(decisions, encodeDecision, decodeDecision);
});

test.each([
  ['NodeClaim', decodeNodeClaim, fc.sample(nodeClaims, { seed: 1, numRuns: 1 }).map(encodeNodeClaim)],
  ['Reservation', decodeReservation, fc.sample(reservations, { seed: 1, numRuns: 1 }).map(encodeReservation)],
  [
    'PolicyStatus',
    decodePolicyStatus,
    fc.sample(policyStatuses, { seed: 1, numRuns: 1 }).map(encodePolicyStatus),
  ],
  ['Decision', decodeDecision, fc.sample(decisions, { seed: 1, numRuns: 1 }).map(encodeDecision)],
] as const)('reading a %s never throws, whatever stands in it', (_, decode, encoded) => {
  expectNeverThrows(decode, encoded[0] ?? {});
});
