/** Decides whether a certificate that is there may stay, from what is known of it and the time. */
import {
  DAY_MILLIS,
  LEAF_DAYS_MAX,
  type CertificateRole,
  type LeafProfile,
  type Validity,
} from './certificate-profile.js';

/** What a stored certificate and its key say, compared with the CA at hand. */
export interface PresentLeaf extends Validity {
  readonly commonName: string;
  readonly names: readonly string[];
  /** Undefined when it may serve neither as one nor as the other, or as both. */
  readonly role: CertificateRole | undefined;
  /** Whether the CA at hand signed it. */
  readonly isOfAuthority: boolean;
  /** Whether the key beside it is its own. */
  readonly hasOwnKey: boolean;
}

/** What is stored of a leaf: both halves, or what keeps them from being looked at. */
export type StoredLeaf = PresentLeaf | 'missing' | 'unreadable';

/** Why a certificate is made: the first that holds, in this order. */
export type RenewalReason =
  | 'missing'
  | 'unreadable'
  | 'asked'
  | 'other-authority'
  | 'other-key'
  | 'other-profile'
  | 'not-yet-valid'
  | 'two-thirds';

/** The moment from which a leaf is replaced: two thirds of its life. Milliseconds since 1970. */
export function renewalTime({ notBefore, notAfter }: Validity): number {
  return notBefore + Math.ceil(((notAfter - notBefore) * 2) / 3);
}

export interface RenewalMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether leaves are replaced that are not due. */
  readonly renewAll: boolean;
}

/** Why the certificate must be renewed; undefined when it may stay. */
export function renewalReason(
  leaf: StoredLeaf,
  profile: LeafProfile,
  { now, renewAll }: RenewalMoment,
): RenewalReason | undefined {
  if (typeof leaf === 'string') return leaf;
  if (renewAll) return 'asked';
  if (!leaf.isOfAuthority) return 'other-authority';
  if (!leaf.hasOwnKey) return 'other-key';
  if (!meets(leaf, profile)) return 'other-profile';
  if (now < leaf.notBefore) return 'not-yet-valid';
  return now >= renewalTime(leaf) ? 'two-thirds' : undefined;
}

function meets(leaf: PresentLeaf, profile: LeafProfile): boolean {
  const names = new Set(leaf.names);
  return (
    leaf.commonName === profile.commonName &&
    leaf.role === profile.role &&
    leaf.notAfter - leaf.notBefore <= LEAF_DAYS_MAX * DAY_MILLIS &&
    names.size === profile.names.length &&
    profile.names.every((name) => names.has(name))
  );
}
