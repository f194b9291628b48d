/** The cloud that the options name: its port, the instance types that it sells, and its interruption notices. */
import {
  AwsCloud,
  awsClients,
  LiveCatalogue,
  sqsInterruptionQueue,
  type SdkRequestHandler,
} from '../../clouds/aws/adapter/index.js';
import type { Catalogue } from '../../clouds/aws/catalogue/index.js';
import type { Cloud } from '../../ports/cloud.js';
import { clusterUID } from '../../state/cluster/cluster-uid.js';
import type { InterruptionQueue } from '../../ports/interruption-queue.js';
import { UsageError } from '../command/usage-error.js';
import type { Base } from './base.js';
import type { Permits } from './permits.js';
import { CLOUDS, type CloudName, type ServiceOptions } from './options/service-options.js';

export interface CloudSource {
  readonly cloud: Cloud;
  readonly catalogue: () => Catalogue;
  /** undefined: no notices of interruptions. */
  readonly interruptions: InterruptionQueue | undefined;
  /** What has to be done all the while that this process leads: each runs until its signal is aborted. */
  readonly upkeep: readonly ((signal: AbortSignal) => Promise<void>)[];
  close(): void;
}

type Parts = Pick<Base, 'options' | 'cluster' | 'clock' | 'random' | 'logger' | 'metrics'>;

/** The options that launching instances needs. */
interface CloudOptions {
  readonly cloud: CloudName;
  readonly clusterName: string;
  readonly region: string;
}

/** @throws UsageError, when one of them is missing. */
export function requireCloudOptions({ cloud, clusterName, region }: ServiceOptions): CloudOptions {
  if (cloud === undefined)
    throw new UsageError(`--cloud (or BERTH_CLOUD) is required; expected one of: ${CLOUDS.join(', ')}`);
  if (clusterName === undefined)
    throw new UsageError(`--cloud ${cloud} requires --cluster-name, which nodes need to join the cluster`);
  if (region === undefined)
    throw new UsageError(
      `--cloud ${cloud} requires --region or AWS_REGION (EKS sets it in pods with an IAM role)`,
    );
  return { cloud, clusterName, region };
}

/**
 * @param permit asked right before each changing call of AWS is sent.
 * @param requestHandler what AWS is asked through; sockets unless given.
 * @throws UsageError, when an option is missing that the cloud needs.
 */
export function makeCloud(
  base: Parts,
  permit?: Permits['aws'],
  requestHandler?: SdkRequestHandler,
): CloudSource {
  const { options, cluster, clock, random, logger: all, metrics } = base;
  const { clusterName: name, region } = requireCloudOptions(options);
  const { interruptionQueue: queue, awsEndpoint: endpoint } = options;
  const isVirtual = requestHandler !== undefined || options.virtualTime !== undefined;
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
