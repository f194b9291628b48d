/** What a handover is done with: the Kubernetes API, the cloud with the operator's credentials, and Berth's policies. */
import { kubeWriter } from '../../adapters/kube/writer/kube-writer.js';
import { KubeClient, KubeconfigSource } from '../../adapters/kube/transport/index.js';
import { readPause, type Pause } from '../../domain/records/pause.js';
import type { Clock } from '../../ports/clock.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import { createMetrics } from '../../runtime/metrics/metrics.js';
import { SILENT_LOGGER } from '../../runtime/process/silent-logger.js';
import { systemRandom } from '../../runtime/process/system-random.js';
import { systemClock } from '../../runtime/time/system-clock.js';
import { tenancyOf } from '../../domain/nodes/tenancy.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import { acceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { clusterUID } from '../../state/cluster/cluster-uid.js';
import type { CloudSource } from '../../runtime/process/cloud-provider.js';
import { readCluster } from '../cluster-reader.js';
import { completeCloudOptions, makeCloud } from '../service/make-cloud.js';
import type { ServiceOptions } from '../service/options/service-options.js';
import type { HandoverContext } from './carry-out.js';
import {
  KARPENTER_NODE_POOLS,
  kubeObjects,
  NAMESPACES,
  type KubeObject,
  type KubeObjects,
} from './kube-objects.js';
import type { ClaimTerms } from './own-claim.js';

export interface OpenHandover {
  readonly context: HandoverContext;
  readonly clock: Clock;
  /** Of Berth, as it is now. */
  pauseOf(): Promise<Pause | undefined>;
  close(): void;
}

const AWAKE_MILLIS = 60_000;

/** @throws PortError; UsageError, when an option of the cloud is missing. */
export async function openHandover(given: ServiceOptions): Promise<OpenHandover> {
  const clock = systemClock;
  const options = await completeCloudOptions(given);
  const { kubeconfig, context, namespace } = options;
  const kinds = ['Namespace', 'Node', 'PolicyConfigMap', 'PolicyStatus'] as const;
  const { cluster } = await readCluster({ kubeconfig, context, kinds, systemNamespace: namespace });
  const connection = new KubeconfigSource({ clock, file: kubeconfig, context });
  // The clock's timers do not keep a process alive while it waits.
  const awake = setInterval(() => undefined, AWAKE_MILLIS);
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli', qps: options.kubeQps });
  try {
    const logger = SILENT_LOGGER;
    const base = {
      options,
      cluster,
      clock,
      random: systemRandom,
      logger,
      metrics: createMetrics({ version: '' }),
    };
    const nodeWriter = kubeWriter({ client, namespace, reportingInstance: 'berth-cli' });
    const source = await makeCloud(base, { nodeWriter });
    const objects = kubeObjects(client);
    const pools = await karpenterPools(objects);
    return {
      clock,
      context: {
        objects,
        handover: source.handover,
        cluster: { uid: clusterUID(cluster), name: options.clusterName },
        termsOf: (nodePool) => termsOf({ cluster, source, clock }, nodePool),
        karpenterPool: (nodePool) => karpenterPool(pools, nodePool),
        now: () => clock.now(),
      },
      pauseOf: async () => {
        const { annotations = {} } = (await objects.get(NAMESPACES, namespace))?.metadata ?? {};
        return readPause(new Map(Object.entries(annotations)));
      },
      close: () => {
        clearInterval(awake);
        source.close();
        client.close();
      },
    };
  } catch (error) {
    clearInterval(awake);
    client.close();
    throw error;
  }
}

interface Terms {
  readonly cluster: Cluster;
  readonly source: CloudSource;
  readonly clock: Clock;
}

function termsOf({ cluster, source, clock }: Terms, nodePool: string): ClaimTerms {
  const { pools } = acceptedPolicies(cluster.policyConfigMaps.values(), cluster.policyStatuses.values());
  const pool = pools.find(({ nodePool: { name }, frozen }) => name === nodePool && !frozen)?.nodePool;
  if (pool === undefined)
    throw new PortError('NotFound', {
      operation: `find NodePool ${nodePool}`,
      message:
        'Berth has accepted no policy of this name; `berth convert --from-cluster` makes one of the NodePool of Karpenter',
    });
  const nodeClass = acceptedNodeClass(cluster, pool.template.nodeClassRef);
  const typesOf: ClaimTerms['typesOf'] = (tenancy = tenancyOf(pool.template)) =>
    nodeClass === undefined ? [] : source.catalogue().forNodeClass(nodeClass, tenancy);
  return { pool, nodeClass, typesOf, now: clock.now() };
}

/** None where Karpenter's kinds are not installed. */
async function karpenterPools(objects: KubeObjects): Promise<readonly KubeObject[]> {
  try {
    return await objects.list(KARPENTER_NODE_POOLS);
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

function karpenterPool(pools: readonly KubeObject[], nodePool: string): KubeObject {
  const pool = pools.find(({ metadata }) => metadata.name === nodePool);
  if (pool !== undefined && pool.metadata.deletionTimestamp === undefined) return pool;
  const message = 'Karpenter has no such NodePool, or is deleting it; apply it first (karpenter.sh/v1)';
  throw new PortError('NotFound', { operation: `find NodePool ${nodePool} of Karpenter`, message });
}
