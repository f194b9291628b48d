/** Renders the shipped configurations of kube-scheduler: the same texts with this test's address and certificates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ControlPlane } from '../fixture/control-plane.js';
import { LEASES, namespaced, SECRETS, type KubeObject } from '../fixture/api/kube-object.js';
import { eventually } from '../fixture/eventually.js';
import type { BerthCluster } from './berth-cluster.js';
import type { BerthProcess } from './berth-process.js';

const SHIPPED = join(import.meta.dirname, '../../../manifests/scheduler/configuration.yaml');

/** Its Deployment, ServiceAccount, ConfigMap, Lease and profile. */
export const SECOND_SCHEDULER = 'berth-scheduler';

/** The ConfigMap with what the cluster's own kube-scheduler needs. */
export const EXTENDER_ENTRY = 'berth-scheduler-configuration';

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const CONFIG_MAPS = namespaced<ConfigMap>('v1', 'ConfigMap');

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

/** The configuration for an extender at this address (`https://127.0.0.1:PORT`), of manifests/scheduler unless another is given. */
export function schedulerConfiguration(
  address: string,
  files: CertificateFiles,
  text = readFileSync(SHIPPED, 'utf8'),
): string {
  const shipped = parse(text) as Shipped;
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

/** What the ConfigMap of this name, of either scheduler, has. */
export async function shippedConfiguration(
  { api }: ControlPlane,
  reference: { readonly namespace: string; readonly name: string },
): Promise<string> {
  return (await api.get(CONFIG_MAPS, reference)).data['configuration.yaml'] ?? '';
}

/** A Lease that was not given back ends after 15 s (kube-scheduler's leaseDuration), and is looked at every 2. */
const LEASE_MILLIS = 40_000;

/** What a pod of the second scheduler's Deployment runs. */
export interface SecondScheduler {
  readonly extender: BerthProcess;
  /** As when its pod is deleted at once. */
  stop(): Promise<void>;
}

/** Starts the second scheduler as its Deployment does: two containers, one account. Resolves when it has its Lease. */
export async function startSecondScheduler(berth: BerthCluster, namespace: string): Promise<SecondScheduler> {
  const { cluster } = berth;
  const account = { namespace, name: SECOND_SCHEDULER };
  const extender = await berth.startExtender('sidecar', SECOND_SCHEDULER);
  const address = `http://127.0.0.1:${String(extender.extenderPort)}`;
  const configuration = besideExtender(await shippedConfiguration(cluster, account), address);
  const kubeconfig = await cluster.serviceAccountKubeconfig(account);
  const holder = async (): Promise<string> =>
    (await cluster.api.find(LEASES, account))?.spec.holderIdentity ?? '';
  const before = await holder();
  const scheduler = await cluster.startScheduler(SECOND_SCHEDULER, configuration, kubeconfig);
  await eventually('it leads', async () => !['', before].includes(await holder()), {
    timeoutMillis: LEASE_MILLIS,
  });
  const stop = async (): Promise<void> => {
    await Promise.all([scheduler.stop(), extender.kill()]);
  };
  return { extender, stop };
}

/** The second scheduler's configuration, as its ConfigMap has it, with the extender beside it at this address. */
function besideExtender(shipped: string, address: string): string {
  const configuration = parse(shipped) as Shipped;
  const [extender] = configuration.extenders;
  return stringify({ ...configuration, extenders: [{ ...extender, urlPrefix: `${address}/scheduler` }] });
}

function base64(text = ''): string {
  return Buffer.from(text).toString('base64');
}
