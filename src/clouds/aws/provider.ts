/** AWS as the program uses it: instances of EC2, their prices, and the notices of an SQS queue. */
import type {
  CloudParts,
  CloudProvider,
  CloudSettings,
  CloudSource,
} from '../../runtime/process/cloud-provider.js';
import {
  accountChecks,
  AwsCloud,
  awsClients,
  capacityBlockEnds,
  ClusterSource,
  ec2Handover,
  instanceRegion,
  instanceStatuses,
  LiveCatalogue,
  ReportedMemory,
  sqsInterruptionQueue,
  zonalShifts,
  type AllowLists,
  type ClusterOptions,
  type SdkRequestHandler,
} from './adapter/index.js';
import type { Catalogue } from './catalogue/index.js';
import type { AwsOptions } from './options.js';

/** Calls that launch, reboot or end instances. */
const PAUSABLE_CALLS: ReadonlySet<string> = new Set([
  ...['CreateFleet', 'RunInstances', 'RebootInstances', 'TerminateInstances'],
]);

export const provider: CloudProvider = {
  discover,
  check: (settings) => {
    required(settings);
  },
  make,
};

/** The region, unless it is given; not of a simulator, which has the one that it is asked for. */
async function discover({ own }: CloudSettings): Promise<Readonly<Record<string, unknown>>> {
  const { region, awsEndpoint } = own as unknown as AwsOptions;
  if (region !== undefined || awsEndpoint !== undefined) return {};
  return { region: await instanceRegion() };
}

/** The settings that launching instances needs. */
function required({ clusterName, own }: CloudSettings): {
  readonly clusterName: string;
  readonly region: string;
} {
  const { region } = own as unknown as AwsOptions;
  if (clusterName === undefined)
    throw new RangeError('--cloud aws requires --cluster-name, which nodes need to join the cluster');
  if (region === undefined)
    throw new RangeError(
      '--cloud aws requires --region or AWS_REGION (EKS sets it in pods with an IAM role), or the metadata service of an EC2 instance',
    );
  return { clusterName, region };
}

/** What node classes may name. */
function allowLists(own: AwsOptions): AllowLists {
  return {
    roles: own.nodeRoles,
    instanceProfiles: own.nodeProfiles,
    subnetIDs: own.nodeSubnets,
    imageOwners: own.nodeImageOwners,
  };
}

/** What nodes have to know of the cluster, as far as an operator says it. */
function clusterOptions(name: string, own: AwsOptions): ClusterOptions {
  return {
    name,
    endpoint: own.clusterEndpoint,
    certificateAuthority: own.clusterCertificateAuthority,
    serviceCIDR: own.clusterServiceCIDR,
    version: own.kubernetesVersion,
  };
}

function make(parts: CloudParts): CloudSource {
  const { settings, permit, refuse, isVirtual, clock, random, metrics } = parts;
  const { clusterName, region } = required(settings);
  // Each row's parse answers the type of its key.
  const own = settings.own as unknown as AwsOptions;
  const logger = parts.logger.child({ component: 'aws' });
  const clients = awsClients({
    ...{ region, endpoint: own.awsEndpoint, isVirtual },
    requestHandler: parts.wire as SdkRequestHandler | undefined,
    permit:
      permit &&
      ((operation) => {
        permit(operation, PAUSABLE_CALLS.has(operation));
      }),
    refuse,
    ...{ clock, random, logger, metrics },
  });
  const reported = new ReportedMemory({ clock, logger });
  const live = new LiveCatalogue({
    ...{ clients, clock, logger, metrics, reported },
    isolatedVPC: own.isolatedVPC,
    terms: {
      memoryOverheadPerMillion: own.memoryOverheadPerMillion,
      reservedInterfaces: own.reservedInterfaces,
    },
  });
  const catalogue = (): Catalogue => live.current();
  const cluster = clusterOptions(clusterName, own);
  const cloud = new AwsCloud({
    ...{ clients, catalogue, clock, logger, cluster },
    onImages: reported.launchWith,
    takesExpressions: own.kubeletExpressions,
    clusterUID: parts.clusterUID,
    allow: allowLists(own),
    // Dry runs are asked as changes are.
    checksPermissions: own.checkPermissions && refuse === undefined,
    ...{ rebootsForRepair: own.rebootForRepair, onlyReads: refuse !== undefined },
  });
  const { interruptionQueue: queue } = own;
  return {
    cloud,
    handover: ec2Handover(clients, clusterName),
    catalogue,
    hearMemory: reported.hear,
    interruptions: queue === undefined ? undefined : sqsInterruptionQueue({ clients, queue }),
    reservationEnds: capacityBlockEnds(clients),
    statuses: instanceStatuses({ clients, clock, logger }),
    zonalShifts: own.zonalShift
      ? zonalShifts({ clients, catalogue, cluster: new ClusterSource({ clients, clock, cluster }) })
      : undefined,
    checks: accountChecks({ clients, clusterName, ...own, region, queue }),
    upkeep: [
      (signal) => live.run(signal),
      ...(refuse === undefined ? [(signal: AbortSignal) => cloud.run(signal)] : []),
    ],
    close: () => {
      clients.close();
    },
  };
}
