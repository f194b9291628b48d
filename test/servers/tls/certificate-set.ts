/** A set of certificates as it comes out of one renewal, for tests. */
import {
  renewCertificates,
  type RenewalRequest,
  type RenewedCertificates,
} from '../../../src/servers/tls/renew-certificates.js';

/** Renews what the overrides give as stored; nothing is stored by default. */
export function renew(overrides: Partial<RenewalRequest> = {}): Promise<RenewedCertificates> {
  return renewCertificates({
    stored: new Map(),
    namespace: 'berth-system',
    local: true,
    days: 90,
    now: Date.now(),
    renewAll: false,
    ...overrides,
  });
}

/** The text of a file of the set; throws when it is not there. */
export function pem(files: ReadonlyMap<string, string>, name: string): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`${name} is not in the set`);
  return text;
}
