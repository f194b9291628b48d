/** Which certificates Berth needs, with subject, usage and lifetime: the table of certs/README.md. */
import { isIPv4, isIPv6 } from 'node:net';

const SECOND = 1000;
export const DAY_MILLIS = 86_400 * SECOND;

/** Clocks differ: a certificate is valid from this long before it is made. */
const BACKDATED_MILLIS = 300 * SECOND;

export const AUTHORITY_COMMON_NAME = 'berth-ca';
export const AUTHORITY_DAYS = 3650;
/** The longest life of a certificate that is not a CA. */
export const LEAF_DAYS_MAX = 90;

/** What the holder of a certificate does with it. */
export type CertificateRole = 'server' | 'client';

export interface LeafProfile {
  /** Its files are `<file>.crt` and `<file>.key`. */
  readonly file: string;
  readonly commonName: string;
  /** DNS names and IP addresses; IPv6 in its shortest spelling. */
  readonly names: readonly string[];
  readonly role: CertificateRole;
}

/** When a certificate holds, both ends included: milliseconds since 1970, in whole seconds, for X.509 knows no finer. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface LeafScope {
  /** Where the services `berth-webhook` and `berth-extender` are. */
  readonly namespace: string;
  /** Whether the servers are also reached as this machine itself. */
  readonly local: boolean;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/** The file names of a certificate and of its key. */
export function fileNames(file: string): { readonly certificateFile: string; readonly keyFile: string } {
  return { certificateFile: `${file}.crt`, keyFile: `${file}.key` };
}

/** Every file of the set. */
export const CERTIFICATE_FILES: readonly string[] = ['ca', 'webhook', 'extender', 'scheduler'].flatMap(
  (file) => Object.values(fileNames(file)),
);

/** The certificates other than the CA, in the order of their output. */
export function leafProfiles(scope: LeafScope): readonly LeafProfile[] {
  return [
    servingProfile('webhook', scope),
    servingProfile('extender', scope),
    { file: 'scheduler', commonName: 'berth-scheduler', names: [], role: 'client' },
  ];
}

function servingProfile(file: string, { namespace, local }: LeafScope): LeafProfile {
  const service = `berth-${file}`;
  const names = [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ];
  return { file, commonName: service, names: local ? [...names, ...LOCAL_NAMES] : names, role: 'server' };
}

/** From shortly before `now` for so many days, and never past `latest`, the end of the CA that signs. */
export function validityFrom(now: number, days: number, latest = Infinity): Validity {
  const notBefore = Math.floor((now - BACKDATED_MILLIS) / SECOND) * SECOND;
  return { notBefore, notAfter: Math.min(notBefore + days * DAY_MILLIS, latest) };
}

/** Whether a name of a certificate is an address rather than a DNS name. */
export function isAddress(name: string): boolean {
  return isIPv4(name) || isIPv6(name);
}
