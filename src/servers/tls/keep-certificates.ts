/**
 * Keeps a set of certificates for as long as a cluster lives: as renewCertificates does, and the CA is replaced too, in
 * steps. `ca.crt` is a bundle: the CA that signs comes first, others that are trusted follow.
 */
import { isSameMap } from '../../domain/values/same.js';
import {
  AUTHORITY_DAYS,
  fileNames,
  LEAF_DAYS_MAX,
  validityFrom,
  type LeafScope,
  DAY_MILLIS,
  type Validity,
} from './certificate-profile.js';
import { issueAuthority, type CertificatePair } from './issue-certificate.js';
import { readSuccessor, readValidity } from './read-certificate.js';
import { renewCertificates } from './renew-certificates.js';
import { renewalTime } from './renewal.js';

/** The longest time from one step to the next: the time to copy the bundle by hand. */
const STEP_DAYS = 30;

export interface KeepRequest extends LeafScope {
  /** What is stored: PEM texts by file name. */
  readonly stored: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether all clients are known to trust what is stored. */
  readonly isPublished: boolean;
}

export interface KeptCertificates {
  /** Everything that is to be stored. */
  readonly files: ReadonlyMap<string, string>;
  readonly isChanged: boolean;
  /** What was done about the CA. */
  readonly step: AuthorityStep;
  /** Files of the certificates that were made just now. */
  readonly made: readonly string[];
}

/** The stored CAs: PEM texts. */
interface Authorities {
  /** Signs. A half of it is no CA, but is kept so that renewCertificates reports it. */
  readonly active: ReadonlyMap<string, string>;
  readonly next: CertificatePair | undefined;
  readonly predecessors: readonly string[];
}

const CA = fileNames('ca');
const NEXT = fileNames('ca-next');
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;

/** @throws AuthorityError when the stored CA cannot sign or half of it is missing, unless it has merely expired. */
export async function keepCertificates(request: KeepRequest): Promise<KeptCertificates> {
  const { stored, now, namespace, local } = request;
  const before = authoritiesIn(stored, now);
  const step = stepOf(before, request);
  const { active, next, predecessors } = await taken(step, before, now);
  const renewed = await renewCertificates({
    stored: new Map([...leavesIn(stored), ...active]),
    ...{ namespace, local, now, renewAll: false, days: LEAF_DAYS_MAX },
  });
  const own = new Map([...active, ...renewed.changed]);
  const isOver = mayDropPredecessors(renewed.authority, renewed.leaves, now);
  const files = new Map([...leavesIn(stored), ...own]);
  const signer = own.get(CA.certificateFile) ?? '';
  const trusted = [
    signer,
    ...(next === undefined ? [] : [next.certificate]),
    ...(isOver ? [] : predecessors),
  ];
  files.set(CA.certificateFile, trusted.map(ending).join(''));
  if (next !== undefined) files.set(NEXT.certificateFile, next.certificate).set(NEXT.keyFile, next.key);
  const made = [...renewed.changed.keys()].filter((file) => file.endsWith('.crt'));
  return { files, isChanged: !isSameMap(files, stored), step, made };
}

/** What is not of use is left out, as if it had never been there. */
function authoritiesIn(stored: ReadonlyMap<string, string>, now: number): Authorities {
  const bundle = stored.get(CA.certificateFile);
  const [first = bundle, ...others] = bundle?.match(PEM) ?? [];
  const key = stored.get(CA.keyFile);
  const active = new Map([
    ...(first === undefined ? [] : [[CA.certificateFile, first] as const]),
    ...(key === undefined ? [] : [[CA.keyFile, key] as const]),
  ]);
  const next = { certificate: stored.get(NEXT.certificateFile), key: stored.get(NEXT.keyFile) };
  const successor = readSuccessor(next, now);
  const isPredecessor = (pem: string): boolean =>
    pem.trim() !== successor?.certificate.trim() && now <= (readValidity(pem)?.notAfter ?? 0);
  return { active, next: successor, predecessors: others.filter(isPredecessor) };
}

function stepOf({ active, next }: Authorities, { now, isPublished }: KeepRequest): AuthorityStep {
  const validity = readValidity(active.get(CA.certificateFile) ?? '');
  if (validity === undefined || !active.has(CA.keyFile)) return 'keep';
  const successor = next === undefined ? undefined : readValidity(next.certificate);
  return authorityStep({ active: validity, next: successor, now, isPublished });
}

/** The CAs after the step. */
async function taken(step: AuthorityStep, authorities: Authorities, now: number): Promise<Authorities> {
  const { active, next, predecessors } = authorities;
  switch (step) {
    case 'keep':
      return authorities;
    case 'stage':
      return { ...authorities, next: await issueAuthority(validityFrom(now, AUTHORITY_DAYS)) };
    case 'replace':
      return { active: new Map(), next: undefined, predecessors: [] };
    case 'switch': {
      const signer = new Map([
        [CA.keyFile, next?.key ?? ''],
        [CA.certificateFile, next?.certificate ?? ''],
      ]);
      const old = active.get(CA.certificateFile) ?? '';
      return { active: signer, next: undefined, predecessors: [old, ...predecessors] };
    }
  }
}

function leavesIn(stored: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  const authorities: readonly string[] = [...Object.values(CA), ...Object.values(NEXT)];
  return [...stored].filter(([file]) => !authorities.includes(file));
}

function ending(pem: string): string {
  return pem.endsWith('\n') ? pem : `${pem}\n`;
}

/** What is to be done about the CA. */
type AuthorityStep =
  | 'keep'
  /** Create its successor, and let clients trust it. */
  | 'stage'
  /** The successor signs from now on; the old one is still trusted. */
  | 'switch'
  /** It has expired, and there is no successor: a new one takes over at once. */
  | 'replace';

interface AuthorityState {
  /** The CA that signs. */
  readonly active: Validity;
  /** Its successor, once there is one. */
  readonly next: Validity | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether all clients are known to have the stored CAs. */
  readonly isPublished: boolean;
}

/**
 * Decides when one CA takes over from another. Clients that verify certificates must know the new CA before anything is
 * signed by it, and the old one for as long as anything is about that it signed.
 */
export function authorityStep({ active, next, now, isPublished }: AuthorityState): AuthorityStep {
  if (now > active.notAfter) return next === undefined ? 'replace' : 'switch';
  if (next === undefined) return now >= renewalTime(active) ? 'stage' : 'keep';
  return isPublished && now >= next.notBefore + stepMillis(active) ? 'switch' : 'keep';
}

/** Whether nothing needs the CAs before this one any more: all leaves are its own, and that for long enough. */
export function mayDropPredecessors(
  active: Validity,
  leaves: readonly Pick<Validity, 'notBefore'>[],
  now: number,
): boolean {
  return leaves.every(({ notBefore }) => now >= notBefore + stepMillis(active));
}

/** A short-lived CA has to be faster: a ninth of its life leaves a ninth after both steps. */
function stepMillis({ notBefore, notAfter }: Validity): number {
  return Math.min(STEP_DAYS * DAY_MILLIS, (notAfter - notBefore) / 9);
}
