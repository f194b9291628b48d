/** The options that `--cloud aws` takes. */
import type { CloudOption } from '../../runtime/process/cloud-provider.js';

const YES_NO = ['yes', 'no'];

/** Values by key. */
export interface AwsOptions {
  /** undefined where neither a flag nor the environment names it. */
  readonly region: string | undefined;
  /** One URL for all services of AWS, for a simulator; undefined: AWS itself. */
  readonly awsEndpoint: string | undefined;
  /** Name or URL of the SQS queue of interruption events; undefined: none. */
  readonly interruptionQueue: string | undefined;
  /** What nodes have to know of the cluster; undefined: EKS is asked. */
  readonly clusterEndpoint: string | undefined;
  /** PEM in base64. */
  readonly clusterCertificateAuthority: string | undefined;
  readonly clusterServiceCIDR: string | undefined;
  /** `1.36`, for the images of aliases. */
  readonly kubernetesVersion: string | undefined;
  /** What node classes may name, with `*` for anything; undefined: everything. */
  readonly nodeRoles: readonly string[] | undefined;
  readonly nodeProfiles: readonly string[] | undefined;
  readonly nodeSubnets: readonly string[] | undefined;
  readonly nodeImageOwners: readonly string[] | undefined;
  /** Whether missing permissions are looked for before they are needed. */
  readonly checkPermissions: boolean;
  /** Without a way to AWS' price list. */
  readonly isolatedVPC: boolean;
  /** Whether zonal shifts of the cluster are followed. */
  readonly zonalShift: boolean;
  /** Whether repair reboots nodes for errors of accelerators that a reboot may cure. */
  readonly rebootForRepair: boolean;
  /** Share of the memory that hypervisor and firmware take, in millionths. */
  readonly memoryOverheadPerMillion: number;
  /** Network interfaces that give pods no addresses. */
  readonly reservedInterfaces: number;
  /** Whether settings of the kubelet may be CEL expressions. */
  readonly kubeletExpressions: boolean;
}

export const AWS_OPTIONS: readonly CloudOption[] = [
  {
    key: 'region',
    flag: {
      name: 'region',
      value: 'NAME',
      help: 'AWS region of the cluster (default: as the metadata service of the EC2 instance reports it)',
    },
    env: 'AWS_REGION',
    fallback: undefined,
    isAddress: true,
    parse: (text) => text,
  },
  {
    key: 'awsEndpoint',
    flag: {
      name: 'aws-endpoint',
      value: 'URL',
      help: 'one endpoint URL for all AWS services, for simulators',
    },
    env: 'BERTH_AWS_ENDPOINT',
    fallback: undefined,
    isAddress: true,
    parse: (text) => text,
  },
  {
    key: 'interruptionQueue',
    flag: {
      name: 'interruption-queue',
      value: 'NAME',
      help: 'name or URL of the SQS queue of interruption events (default: none)',
    },
    env: 'INTERRUPTION_QUEUE',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'clusterEndpoint',
    flag: {
      name: 'cluster-endpoint',
      value: 'URL',
      help: 'API server URL for nodes (default: as EKS reports it)',
    },
    env: 'CLUSTER_ENDPOINT',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'clusterCertificateAuthority',
    flag: {
      name: 'cluster-ca-bundle',
      value: 'BASE64',
      help: 'CA of the API server for nodes, PEM in base64 (default: as EKS reports it)',
    },
    env: 'CLUSTER_CA_BUNDLE',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'clusterServiceCIDR',
    flag: {
      name: 'cluster-service-cidr',
      value: 'CIDR',
      help: 'CIDR of Services (default: as EKS reports it)',
    },
    env: 'BERTH_CLUSTER_SERVICE_CIDR',
    fallback: undefined,
    parse: (text) => text,
  },
  {
    key: 'kubernetesVersion',
    flag: {
      name: 'kubernetes-version',
      value: 'MINOR',
      help: 'Kubernetes version of nodes, such as 1.36, for AMI aliases (default: as EKS reports it)',
    },
    env: 'BERTH_KUBERNETES_VERSION',
    fallback: undefined,
    parse: parseMinor,
  },
  {
    key: 'nodeRoles',
    flag: { name: 'node-role', value: 'LIST', help: allowed('IAM roles') },
    env: 'BERTH_NODE_ROLES',
    fallback: undefined,
    parse: parsePatterns,
  },
  {
    key: 'nodeProfiles',
    flag: { name: 'node-profile', value: 'LIST', help: allowed('instance profiles') },
    env: 'BERTH_NODE_PROFILES',
    fallback: undefined,
    parse: parsePatterns,
  },
  {
    key: 'nodeSubnets',
    flag: { name: 'node-subnet', value: 'LIST', help: allowed('subnet IDs') },
    env: 'BERTH_NODE_SUBNETS',
    fallback: undefined,
    parse: parsePatterns,
  },
  {
    key: 'nodeImageOwners',
    flag: { name: 'node-image-owner', value: 'LIST', help: allowed('AMI owners') },
    env: 'BERTH_NODE_IMAGE_OWNERS',
    fallback: undefined,
    parse: parsePatterns,
  },
  {
    key: 'checkPermissions',
    flag: {
      name: 'check-permissions',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether to check IAM permissions with dry runs before they are needed',
    },
    env: 'BERTH_CHECK_PERMISSIONS',
    fallback: 'yes',
    parse: isYes,
  },
  {
    key: 'isolatedVPC',
    flag: {
      name: 'isolated-vpc',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'isolated VPC: do not call the Pricing API; use built-in on-demand price estimates',
    },
    env: 'ISOLATED_VPC',
    fallback: 'no',
    parse: isYes,
  },
  {
    key: 'zonalShift',
    flag: {
      name: 'zonal-shift',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether to launch nothing in zones that ARC shifts the EKS cluster away from, and to pause consolidation meanwhile',
    },
    env: 'ENABLE_ZONAL_SHIFT',
    fallback: 'no',
    parse: isYes,
  },
  {
    key: 'rebootForRepair',
    flag: {
      name: 'reboot-for-repair',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether to reboot nodes instead of replacing them for NVIDIA XID errors that a reboot may cure; berth.repair of a NodePool says it for any condition',
    },
    env: 'BERTH_REBOOT_FOR_REPAIR',
    fallback: 'no',
    parse: isYes,
  },
  {
    key: 'memoryOverheadPerMillion',
    flag: {
      name: 'vm-memory-overhead',
      value: 'SHARE',
      help: 'share of the memory of an instance that hypervisor and firmware take, until a node of its type and image has reported its memory',
    },
    env: 'VM_MEMORY_OVERHEAD_PERCENT',
    fallback: '0.075',
    parse: parseShare,
  },
  {
    key: 'reservedInterfaces',
    flag: {
      name: 'reserved-enis',
      value: 'N',
      help: 'network interfaces of an instance that give pods no addresses, as with custom networking of the VPC CNI',
    },
    env: 'RESERVED_ENIS',
    fallback: '0',
    parse: parseInterfaces,
  },
  {
    key: 'kubeletExpressions',
    flag: {
      name: 'kubelet-expressions',
      value: 'yes|no',
      allowed: YES_NO,
      help: 'whether maxPods, kubeReserved and systemReserved of an EC2NodeClass may be CEL expressions',
    },
    env: 'BERTH_KUBELET_EXPRESSIONS',
    fallback: 'no',
    parse: isYes,
  },
];

function allowed(what: string): string {
  return `${what} that EC2NodeClasses may use; * matches any text (default: all)`;
}

function parsePatterns(text: string): readonly string[] {
  const patterns = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (patterns.length === 0) throw new RangeError('expected a list such as berth-node,other-*');
  return patterns;
}

function parseMinor(text: string): string {
  if (/^1\.\d{1,3}$/.test(text)) return text;
  throw new RangeError('expected a minor version such as 1.36');
}

/** As millionths. */
function parseShare(text: string): number {
  const share = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (share < 1) return Math.round(share * 1e6);
  throw new RangeError('expected a share from 0 to below 1, such as 0.075');
}

function parseInterfaces(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new RangeError('expected a number of interfaces such as 0 or 1');
}

function isYes(text: string): boolean {
  return text === 'yes';
}
