/** When a stored certificate may stay. */
import * as fc from 'fast-check';
import { DAY_MILLIS, type LeafProfile } from '../../../src/servers/tls/certificate-profile.js';
import { renewalReason, renewalTime, type PresentLeaf } from '../../../src/servers/tls/renewal.js';

const NOW = Date.UTC(2030, 0, 31);
const PROFILE: LeafProfile = {
  file: 'webhook',
  commonName: 'berth-webhook',
  names: ['berth-webhook', 'berth-webhook.ns', '::1'],
  role: 'server',
};
const MOMENT = { now: NOW, renewAll: false };

function leaf(overrides: Partial<PresentLeaf> = {}): PresentLeaf {
  return {
    notBefore: NOW - DAY_MILLIS,
    notAfter: NOW + 89 * DAY_MILLIS,
    commonName: 'berth-webhook',
    names: [...PROFILE.names].reverse(),
    role: 'server',
    isOfAuthority: true,
    hasOwnKey: true,
    ...overrides,
  };
}

describe('renewalReason', () => {
  test.each([
    ['stays as it is', leaf(), undefined],
    ['is not there', 'missing', 'missing'],
    ['cannot be read', 'unreadable', 'unreadable'],
    ['is of another CA', leaf({ isOfAuthority: false }), 'other-authority'],
    ['lies beside a strange key', leaf({ hasOwnKey: false }), 'other-key'],
    ['has another subject', leaf({ commonName: 'berth-extender' }), 'other-profile'],
    ['lacks a name', leaf({ names: PROFILE.names.slice(1) }), 'other-profile'],
    ['has a name too many', leaf({ names: [...PROFILE.names, 'example.org'] }), 'other-profile'],
    ['has another use', leaf({ role: 'client' }), 'other-profile'],
    ['has both uses', leaf({ role: undefined }), 'other-profile'],
    ['lives too long', leaf({ notAfter: NOW + 90 * DAY_MILLIS }), 'other-profile'],
    ['starts tomorrow', leaf({ notBefore: NOW + DAY_MILLIS }), 'not-yet-valid'],
    ['has expired', leaf({ notBefore: NOW - 9 * DAY_MILLIS, notAfter: NOW - DAY_MILLIS }), 'two-thirds'],
  ] as const)('of a certificate that %s', (_what, stored, reason) => {
    expect(renewalReason(stored, PROFILE, MOMENT)).toBe(reason);
  });

  test('is the asking for one that could stay', () => {
    expect(renewalReason(leaf(), PROFILE, { now: NOW, renewAll: true })).toBe('asked');
    expect(renewalReason('missing', PROFILE, { now: NOW, renewAll: true })).toBe('missing');
  });

  test('is age from two thirds of its life on, and not a millisecond earlier', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 90 * DAY_MILLIS }), (life) => {
        const old = leaf({ notBefore: NOW, notAfter: NOW + life });
        const due = renewalTime(old);
        const at = (now: number) => renewalReason(old, PROFILE, { now, renewAll: false });
        expect(3 * (due - NOW)).toBeGreaterThanOrEqual(2 * life);
        expect(3 * (due - 1 - NOW)).toBeLessThan(2 * life);
        expect([at(due - 1), at(due)]).toEqual([undefined, 'two-thirds']);
      }),
    );
  });
});
