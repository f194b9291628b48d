/** coordination.k8s.io Leases ⇄ domain. */
import type { Lease } from '../../../domain/records/lease.js';
import type { JsonObject } from '../../../domain/policies/policy.js';
import { hasObject, member, optionalInteger, optionalText, rootField } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectMeta } from '../object/object-meta.js';
import { formatMicroTime, readTime } from '../object/time.js';

const MOST = 2 ** 31 - 1;

/** Decodes a coordination.k8s.io/v1 Lease; what a released Lease leaves out reads as '' and 0. Never throws. */
export function decodeLease(object: unknown): Decoded<Lease> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  if (meta === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  hasObject(spec);
  const value: Lease = {
    name: meta.name,
    resourceVersion: meta.resourceVersion,
    holder: optionalText(member(spec, 'holderIdentity')) ?? '',
    acquiredAt: readTime(member(spec, 'acquireTime')) ?? 0,
    renewedAt: readTime(member(spec, 'renewTime')) ?? 0,
    durationSeconds: optionalInteger(member(spec, 'leaseDurationSeconds'), 0, MOST) ?? 0,
    transitions: optionalInteger(member(spec, 'leaseTransitions'), 0, MOST) ?? 0,
  };
  return { value, findings: root.findings };
}

/** spec of a Lease, as JSON. Like client-go it leaves out what is '' or 0: the API server takes no empty holder or period. */
export function encodeLeaseSpec(lease: Omit<Lease, 'name' | 'resourceVersion'>): JsonObject {
  return {
    ...(lease.holder !== '' && { holderIdentity: lease.holder }),
    ...(lease.acquiredAt !== 0 && { acquireTime: formatMicroTime(lease.acquiredAt) }),
    ...(lease.renewedAt !== 0 && { renewTime: formatMicroTime(lease.renewedAt) }),
    ...(lease.durationSeconds !== 0 && { leaseDurationSeconds: lease.durationSeconds }),
    leaseTransitions: lease.transitions,
  };
}
