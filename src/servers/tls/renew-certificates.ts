/** Brings a set of stored certificates up to date: makes what is missing or due, and leaves the rest alone. */
import {
  AUTHORITY_DAYS,
  fileNames,
  leafProfiles,
  validityFrom,
  type LeafProfile,
  type LeafScope,
  type Validity,
} from './certificate-profile.js';
import { issueAuthority, issueLeaf, type CertificatePair } from './issue-certificate.js';
import { AuthorityError, readAuthority, readLeaf, type Authority } from './read-certificate.js';
import { renewalReason, renewalTime, type RenewalMoment, type RenewalReason } from './renewal.js';

export interface RenewalRequest extends LeafScope, RenewalMoment {
  /** What is stored: PEM texts by file name (`ca.crt`, `ca.key`, …), as in a folder or the data of a Secret. */
  readonly stored: ReadonlyMap<string, string>;
  /** How long new leaves live; at most LEAF_DAYS_MAX. */
  readonly days: number;
}

/** One certificate of the set as it is now. Private keys are only ever in RenewedCertificates.changed. */
export interface CertificateState extends Validity {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly commonName: string;
  readonly names: readonly string[];
  /** When it is due, in milliseconds since 1970; undefined for the CA, which is replaced by hand. */
  readonly renewAt: number | undefined;
  /** Why it was made just now; undefined when it was kept. */
  readonly reason: RenewalReason | undefined;
}

export interface RenewedCertificates {
  readonly authority: CertificateState;
  readonly leaves: readonly CertificateState[];
  /** What is to be stored, in the order to write it: file name → PEM, the CA first, each key before its certificate. */
  readonly changed: ReadonlyMap<string, string>;
}

interface Renewed {
  readonly state: CertificateState;
  /** Undefined when it was kept. */
  readonly made: CertificatePair | undefined;
}

/**
 * Reuses the stored CA or, when there is none, makes one; then renews the leaves that are due. A CA is never replaced.
 * @throws AuthorityError when the stored CA cannot sign or half of it is missing.
 */
export async function renewCertificates(request: RenewalRequest): Promise<RenewedCertificates> {
  const kept = storedPair('ca', request.stored);
  const pair = kept ?? (await newAuthority(request));
  const made = kept === undefined ? pair : undefined;
  const authority = readAuthority(pair, request.now);
  const leaves = await Promise.all(
    leafProfiles(request).map((profile) => renewLeaf(profile, authority, request)),
  );
  const { commonName, notBefore, notAfter } = authority;
  const state: CertificateState = {
    ...fileNames('ca'),
    commonName,
    names: [],
    notBefore,
    notAfter,
    renewAt: undefined,
    reason: made === undefined ? undefined : 'missing',
  };
  return {
    authority: state,
    leaves: leaves.map((leaf) => leaf.state),
    changed: new Map([{ state, made }, ...leaves].flatMap(filesOf)),
  };
}

async function newAuthority({ stored, now }: RenewalRequest): Promise<CertificatePair> {
  const { certificateFile, keyFile } = fileNames('ca');
  if (stored.has(certificateFile))
    throw new AuthorityError(`${certificateFile} is there, but not ${keyFile}`);
  if (stored.has(keyFile)) throw new AuthorityError(`${keyFile} is there, but not ${certificateFile}`);
  return issueAuthority(validityFrom(now, AUTHORITY_DAYS));
}

async function renewLeaf(
  profile: LeafProfile,
  authority: Authority,
  request: RenewalRequest,
): Promise<Renewed> {
  const leaf = readLeaf(storedPair(profile.file, request.stored), authority);
  const reason = renewalReason(leaf, profile, request);
  if (reason === undefined && typeof leaf !== 'string') {
    return { state: leafState(profile, leaf, undefined), made: undefined };
  }
  const validity = validityFrom(request.now, request.days, authority.notAfter);
  return {
    state: leafState(profile, validity, reason),
    made: await issueLeaf(profile, validity, authority),
  };
}

function leafState(
  { file, commonName, names }: LeafProfile,
  { notBefore, notAfter }: Validity,
  reason: RenewalReason | undefined,
): CertificateState {
  const renewAt = renewalTime({ notBefore, notAfter });
  return { ...fileNames(file), commonName, names, notBefore, notAfter, renewAt, reason };
}

function storedPair(file: string, stored: ReadonlyMap<string, string>): CertificatePair | undefined {
  const { certificateFile, keyFile } = fileNames(file);
  const certificate = stored.get(certificateFile);
  const key = stored.get(keyFile);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function filesOf({ state, made }: Renewed): readonly (readonly [file: string, pem: string])[] {
  if (made === undefined) return [];
  return [
    [state.keyFile, made.key],
    [state.certificateFile, made.certificate],
  ];
}
