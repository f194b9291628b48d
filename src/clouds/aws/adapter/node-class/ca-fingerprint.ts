/** A short name for the CA bundle that nodes are given, by which it is noticed that the cluster has another one. */
import { createHash } from 'node:crypto';
import type { ClusterFacts } from '../../families/user-data/cluster-facts.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/g;
const DIGITS = 16;

/**
 * Hexadecimal digits; undefined where there is no bundle, as for custom images. The same certificates in another order, or with
 * other line breaks, have the same: nodes trust what they trusted before.
 */
export function caFingerprint({
  certificateAuthority,
}: Pick<ClusterFacts, 'certificateAuthority'>): string | undefined {
  if (certificateAuthority === '') return undefined;
  const bundle = Buffer.from(certificateAuthority, 'base64').toString('utf8');
  const certificates = [...bundle.matchAll(CERTIFICATE)].map(([, body = '']) => body.replaceAll(/\s/g, ''));
  const parts = certificates.length > 0 ? [...new Set(certificates)].sort() : [bundle.trim()];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, DIGITS);
}
