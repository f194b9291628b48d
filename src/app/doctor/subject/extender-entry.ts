/** The extender entry for Berth in a kube-scheduler configuration: which there are, and what is wrong with one. */
import { X509Certificate } from 'node:crypto';
import type { Plain } from '../../../apis/decode/plain.js';
import { readDocuments } from '../../../apis/documents/read-documents.js';
import type { SchedulerConfiguration, Subject } from '../doctor-check.js';
import { CERTIFICATES, SECOND_SCHEDULER } from './installation.js';
import { field, fields, text } from './object-fields.js';

/** Who asks the extender. none: no kube-scheduler is configured to, as far as the cluster shows. */
export type SchedulerMode = 'second' | 'cluster' | 'none';

const CLUSTER_ENTRY = 'berth-scheduler-configuration';
const KEY = 'configuration.yaml';

export interface FoundScheduler {
  readonly mode: SchedulerMode;
  /** undefined: it is on hosts of the control plane, and was not given. */
  readonly configuration: SchedulerConfiguration | undefined;
}

/** The kube-scheduler that asks Berth: one that is given, else the second one, else that of the chart's mode. @throws PortError */
export async function findScheduler({
  objects,
  namespace,
  schedulerConfigurations,
}: Subject): Promise<FoundScheduler> {
  const [given] = schedulerConfigurations;
  if (given !== undefined) return { mode: 'cluster', configuration: given };
  const second = await objects.find('deployments', SECOND_SCHEDULER, namespace);
  if (second !== undefined) {
    const configMap = await objects.find('configmaps', SECOND_SCHEDULER, namespace);
    const source = `configmap/${SECOND_SCHEDULER}`;
    return { mode: 'second', configuration: { source, text: text(configMap, 'data', KEY) } };
  }
  const entry = await objects.find('configmaps', CLUSTER_ENTRY, namespace);
  return { mode: entry === undefined ? 'none' : 'cluster', configuration: undefined };
}

export interface ExtenderEntry {
  /** '' where Berth has none. */
  readonly url: string;
  readonly entry: Plain;
}

/** Berth's entry; undefined where the configuration has none. */
export function extenderEntry({ source, text: yaml }: SchedulerConfiguration): ExtenderEntry | undefined {
  const configurations = readDocuments({ source, text: yaml }).documents.filter(
    ({ kind }) => kind === 'KubeSchedulerConfiguration',
  );
  const entries = configurations.flatMap(({ value }) => fields(value, 'extenders'));
  const entry = entries.find((each) => /berth|\/scheduler\/?$/.test(text(each, 'urlPrefix')));
  return entry && { url: text(entry, 'urlPrefix'), entry };
}

/** What makes kube-scheduler not ask, or not follow, or not trust the extender. */
export function entryProblems({ url, entry }: ExtenderEntry): readonly string[] {
  const wanted: readonly (readonly [path: string, value: unknown, consequence: string])[] = [
    ['filterVerb', 'filter', 'planned pods go to any node'],
    ['preemptVerb', 'preempt', 'pods are evicted for pods whose node is on the way'],
    ['nodeCacheCapable', true, 'whole nodes are sent for each pod'],
    ['ignorable', true, 'no pod is scheduled while Berth cannot be reached'],
  ];
  const problems = wanted
    .filter(([path, value]) => entry[path] !== value)
    .map(([path, value, consequence]) => `${path} is not ${String(value)}: ${consequence}`);
  return [...problems, ...(isPlain(url) ? loopbackProblems(url) : tlsProblems(entry))];
}

function isPlain(url: string): boolean {
  return url.startsWith('http:');
}

function loopbackProblems(url: string): readonly string[] {
  if (/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(url)) return [];
  return [`urlPrefix ${url} is plain HTTP to another host, which Berth does not serve`];
}

function tlsProblems(entry: Plain): readonly string[] {
  const problems = entry['enableHTTPS'] === true ? [] : ['enableHTTPS is not true'];
  const { caData, certData, keyData } = tlsOf(entry);
  if (field(entry, 'tlsConfig', 'insecure') === true)
    problems.push('tlsConfig.insecure is true: the extender is not verified');
  for (const [name, value] of Object.entries({ caData, certData, keyData }))
    if (value === '' || value === 'REPLACE')
      problems.push(
        `tlsConfig.${name} is ${value === '' ? 'missing' : 'REPLACE'}${name === 'caData' ? ': kube-scheduler then trusts any server' : ''}`,
      );
  return problems;
}

/** In base64, '' where it is missing. */
export function tlsOf(
  entry: Plain,
): Readonly<Record<'caData' | 'certData' | 'keyData' | 'serverName', string>> {
  const of = (name: string): string => text(entry, 'tlsConfig', name);
  return {
    caData: of('caData'),
    certData: of('certData'),
    keyData: of('keyData'),
    serverName: of('serverName'),
  };
}

/** Whether CA and client certificate of the entry are of the certificates that Berth has now. */
export function trustProblems(entry: Plain, secret: unknown, now: number): readonly string[] {
  const { caData, certData } = tlsOf(entry);
  if (caData === '' || caData === 'REPLACE') return [];
  const bundle = decoded(text(secret, 'data', 'ca.crt'));
  const problems: string[] = [];
  const isKnown = certificatesIn(bundle).some((pem) => decoded(caData).includes(pem.trim()));
  if (bundle !== '' && !isKnown)
    problems.push(`tlsConfig.caData is not ca.crt of the Secret ${CERTIFICATES}`);
  const client = readCertificate(decoded(certData));
  if (client === undefined)
    return certData === '' || certData === 'REPLACE'
      ? problems
      : [...problems, 'tlsConfig.certData is not a certificate'];
  if (now > Date.parse(client.validTo)) problems.push(`tlsConfig.certData ended on ${client.validTo}`);
  const issuers = certificatesIn(bundle).flatMap((pem) => readCertificate(pem) ?? []);
  if (
    issuers.length > 0 &&
    !issuers.some((issuer) => client.checkIssued(issuer) && client.verify(issuer.publicKey))
  )
    problems.push(`tlsConfig.certData was not issued by the CA of the Secret ${CERTIFICATES}`);
  return problems;
}

export function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function certificatesIn(bundle: string): readonly string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
