/** The cloud as an examination sees it: with the options of the installation, and without the right to change anything. */
import { kubeWriter } from '../../../adapters/kube/writer/kube-writer.js';
import type { KubeClient } from '../../../adapters/kube/transport/index.js';
import { NO_LABELS } from '../../../domain/values/labels.js';
import type { Clock } from '../../../ports/clock.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import type { CloudSource } from '../../../runtime/process/cloud-provider.js';
import { createMetrics } from '../../../runtime/metrics/metrics.js';
import { SILENT_LOGGER } from '../../../runtime/process/silent-logger.js';
import { systemRandom } from '../../../runtime/process/system-random.js';
import { Cluster } from '../../../state/cluster/cluster.js';
import { isUsageError } from '../../command/usage-error.js';
import { completeCloudOptions, makeCloud } from '../../service/make-cloud.js';
import type { ObjectReader } from '../doctor-check.js';
import { CONTROLLER, shippedOptions } from './installation.js';
import { text } from './object-fields.js';

/** How a change is refused that the controller would make now. */
export const CHANGES_NOTHING = 'berth doctor changes nothing';

export interface ExaminedCloudOptions {
  readonly client: KubeClient;
  readonly objects: ObjectReader;
  readonly namespace: string;
  readonly clock: Clock;
  /** Of this process: a region, where the Deployment has none. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In place of the network. */
  readonly wire?: unknown;
}

/** undefined where the installation names no cloud. @throws PortError Invalid, when an option of the cloud is missing. */
export async function examinedCloud(options: ExaminedCloudOptions): Promise<CloudSource | undefined> {
  const { client, objects, namespace, clock, env, wire } = options;
  // In a pod of Berth the Deployment may not be read, but its variables are those of this process.
  const deployment = await objects.find('deployments', CONTROLLER, namespace).catch((error: unknown) => {
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  });
  const shipped = shippedOptions(deployment, namespace, env);
  if ('problem' in shipped || shipped.options.cloud === undefined) return undefined;
  const uid = text(await objects.find('namespaces', 'kube-system'), 'metadata', 'uid');
  const cluster = new Cluster();
  cluster.put('Namespace', { name: 'kube-system', uid, labels: NO_LABELS });
  const permit = (operation: string): void => {
    throw new PortError('Invalid', { operation, message: CHANGES_NOTHING });
  };
  try {
    const own = await completeCloudOptions(shipped.options);
    const logger = SILENT_LOGGER;
    const metrics = createMetrics({ version: '' });
    const nodeWriter = kubeWriter({
      client,
      namespace,
      reportingInstance: 'berth-doctor',
      permit: () => {
        permit('write');
      },
    });
    return await makeCloud(
      { options: own, cluster, clock, random: systemRandom, logger, metrics },
      { nodeWriter, permit, wire },
    );
  } catch (error) {
    if (!isUsageError(error)) throw error;
    throw new PortError('Invalid', { operation: 'look at the cloud', message: error.message, cause: error });
  }
}
