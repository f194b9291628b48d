/** Where machines come from, as the options say: the port, what is sold there, and what is told of machines. */
import {
  AwsCloud,
  awsClients,
  LiveCatalogue,
  sqsInterruptionQueue,
  type SdkRequestHandler,
} from '../../adapters/aws/index.js';
import { catalogueFor, QUOTED_REGION, type Catalogue } from '../../catalogue/index.js';
import type { Cloud } from '../../ports/cloud.js';
import { clusterUID } from '../../state/cluster-uid.js';
import type { InterruptionQueue } from '../../ports/interruption-queue.js';
import { MemoryCloud, RemoteMemoryCloud } from '../../simulator/memory-cloud/index.js';
import { UsageError } from '../cli/usage-error.js';
import type { Base } from './base.js';
import type { Permits } from './permits.js';

export interface MachineSource {
  readonly cloud: Cloud;
  readonly catalogue: () => Catalogue;
  /** undefined: nobody tells of machines before they go. */
  readonly interruptions: InterruptionQueue | undefined;
  /** What has to be done all the while that this process leads: each runs until its signal is aborted. */
  readonly upkeep: readonly ((signal: AbortSignal) => Promise<void>)[];
  close(): void;
}

type Parts = Pick<Base, 'options' | 'cluster' | 'clock' | 'random' | 'logger' | 'metrics'>;

/**
 * @param permit asked right before each changing call of AWS is sent.
 * @param requestHandler what AWS is asked through; sockets unless given.
 * @throws UsageError, when an option is missing that the cloud needs.
 */
export function makeCloud(
  base: Parts,
  permit?: Permits['aws'],
  requestHandler?: SdkRequestHandler,
): MachineSource {
  return base.options.cloud === 'aws' ? aws(base, permit, requestHandler) : memory(base);
}

/** That which another process serves, or one of this process that ends with it. */
function memory({ options, clock, random, logger }: Parts): MachineSource {
  const { memoryCloud: url, region = QUOTED_REGION } = options;
  const embedded = catalogueFor(region);
  const rest = {
    catalogue: () => embedded,
    interruptions: undefined,
    upkeep: [],
    close: () => undefined,
  };
  if (url !== undefined) return { ...rest, cloud: new RemoteMemoryCloud({ url, clock }) };
  logger.warn('machines are imagined in this process and are forgotten with it', { cloud: 'memory', region });
  return { ...rest, cloud: new MemoryCloud({ clock, random, catalogue: embedded }) };
}

function aws(
  { options, cluster, clock, random, logger: all, metrics }: Parts,
  permit: Permits['aws'] | undefined,
  requestHandler: SdkRequestHandler | undefined,
): MachineSource {
  const { clusterName: name, interruptionQueue: queue } = options;
  if (name === undefined)
    throw new UsageError('--cloud aws requires --cluster-name, which nodes need to join the cluster');
  const { region, awsEndpoint: endpoint } = options;
  const isVirtual = requestHandler !== undefined || options.virtualTime !== undefined;
  if (region === undefined)
    throw new UsageError(
      '--cloud aws requires --region or AWS_REGION (EKS sets it in pods with an IAM role)',
    );
  const logger = all.child({ component: 'aws' });
  const clients = awsClients({
    ...{ region, endpoint, requestHandler, permit, isVirtual },
    ...{ clock, random, logger, metrics },
  });
  const live = new LiveCatalogue({ clients, clock, logger, metrics, isolatedVPC: options.isolatedVPC });
  const catalogue = (): Catalogue => live.current();
  const { clusterEndpoint, clusterCertificateAuthority, clusterServiceCIDR, kubernetesVersion } = options;
  const cloud = new AwsCloud({
    ...{ clients, catalogue, clock, logger },
    cluster: {
      name,
      endpoint: clusterEndpoint,
      certificateAuthority: clusterCertificateAuthority,
      serviceCIDR: clusterServiceCIDR,
      version: kubernetesVersion,
    },
    clusterUID: () => clusterUID(cluster),
    allow: {
      roles: options.nodeRoles,
      instanceProfiles: options.nodeProfiles,
      subnetIDs: options.nodeSubnets,
      imageOwners: options.nodeImageOwners,
    },
    checksPermissions: options.checkPermissions,
  });
  return {
    cloud,
    catalogue,
    interruptions: queue === undefined ? undefined : sqsInterruptionQueue({ clients, queue }),
    upkeep: [(signal) => live.run(signal), (signal) => cloud.run(signal)],
    close: () => {
      clients.close();
    },
  };
}
