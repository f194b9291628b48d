/** Renders the shipped configurations of kube-scheduler: the same texts with this test's address and certificates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ControlPlane } from '../fixture/control-plane.js';
import { SECRETS } from '../fixture/api/kube-object.js';
import { eventually } from '../fixture/eventually.js';

const SHIPPED = join(import.meta.dirname, '../../../manifests/scheduler/configuration.yaml');

interface Shipped {
  readonly extenders: readonly [{ readonly tlsConfig?: Readonly<Record<string, unknown>> }];
}

/** PEM texts by file name, as the Secret berth-certificates has them. */
export type CertificateFiles = Readonly<Record<string, string>>;

/** What Berth has made, as soon as it is there. */
export async function storedCertificates(
  { api }: ControlPlane,
  namespace: string,
): Promise<CertificateFiles> {
  const reference = { namespace, name: 'berth-certificates' };
  const { data = {} } = await eventually('certificates', () => api.get(SECRETS, reference));
  const files = Object.entries(data).map(
    ([file, text]) => [file, Buffer.from(text, 'base64').toString('utf8')] as const,
  );
  return Object.fromEntries(files);
}

/** The configuration for an extender at this address (`https://127.0.0.1:PORT`). */
export function schedulerConfiguration(address: string, files: CertificateFiles): string {
  const shipped = parse(readFileSync(SHIPPED, 'utf8')) as Shipped;
  const [extender] = shipped.extenders;
  const tlsConfig = {
    ...extender.tlsConfig,
    caData: base64(files['ca.crt']),
    certData: base64(files['scheduler.crt']),
    keyData: base64(files['scheduler.key']),
  };
  return stringify({
    ...shipped,
    extenders: [{ ...extender, urlPrefix: `${address}/scheduler`, tlsConfig }],
  });
}

/** The second scheduler's configuration, as its ConfigMap has it, with the extender beside it at this address. */
export function besideExtender(shipped: string, address: string): string {
  const configuration = parse(shipped) as Shipped;
  const [extender] = configuration.extenders;
  return stringify({ ...configuration, extenders: [{ ...extender, urlPrefix: `${address}/scheduler` }] });
}

function base64(text = ''): string {
  return Buffer.from(text).toString('base64');
}
