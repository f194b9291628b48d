/** Label names that Kubernetes, Karpenter and its providers give meaning to, and the syntax of labels. */

/** Label key → value. */
export type Labels = ReadonlyMap<string, string>;

/** Anything that answers what a label's value is; a Labels map, or a view put together on the fly. */
export interface LabelLookup {
  get(key: string): string | undefined;
}

export const NO_LABELS: Labels = new Map();

export const ARCH = 'kubernetes.io/arch';
export const OS = 'kubernetes.io/os';
export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const WINDOWS_BUILD = 'node.kubernetes.io/windows-build';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
/** Of an instance that was launched into a capacity reservation: which one. */
export const CAPACITY_RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';
/** Of such an instance: `default` or `capacity-block`. */
export const CAPACITY_RESERVATION_TYPE = 'karpenter.k8s.aws/capacity-reservation-type';
/** Of such an instance: `true` when the owner of the reservation may take the capacity back. */
export const CAPACITY_RESERVATION_INTERRUPTIBLE = 'karpenter.k8s.aws/capacity-reservation-interruptible';
/** Of an instance in a placement group: which one, */
export const PLACEMENT_GROUP_ID = 'karpenter.k8s.aws/placement-group-id';
/** and in which of its partitions, from 1. */
export const PLACEMENT_GROUP_PARTITION = 'karpenter.k8s.aws/placement-group-partition';
export const NODEPOOL = 'karpenter.sh/nodepool';
/** Of a node that can run the pods that are planned for it. */
export const INITIALIZED = 'karpenter.sh/initialized';
/** Prefix of the labels that describe an instance type: `karpenter.k8s.aws/instance-family` and so on. */
export const INSTANCE_PREFIX = 'karpenter.k8s.aws/instance-';
/** `default` or `dedicated`. */
export const INSTANCE_TENANCY = `${INSTANCE_PREFIX}tenancy`;
export const ZONE_ID = 'topology.k8s.aws/zone-id';

const OF_INSTANCE_TYPES: ReadonlySet<string> = new Set([ARCH, OS, INSTANCE_TYPE, REGION]);

/** Whether the instance type decides what a node's label says. */
export function isDecidedByInstanceType(key: string): boolean {
  return OF_INSTANCE_TYPES.has(key) || key.startsWith(INSTANCE_PREFIX);
}

/** Old spellings that kubelets and users still write, by what they are read as (Kubernetes well-known labels page). */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', ARCH],
  ['beta.kubernetes.io/os', OS],
  ['beta.kubernetes.io/instance-type', INSTANCE_TYPE],
  ['failure-domain.beta.kubernetes.io/zone', ZONE],
  ['failure-domain.beta.kubernetes.io/region', REGION],
  ['topology.ebs.csi.aws.com/zone', ZONE],
]);

/** The current name of a label key. */
export function canonicalLabel(key: string): string {
  return ALIASES.get(key) ?? key;
}

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Whether the key is a qualified name: optional DNS prefix up to 253 characters, `/`, name up to 63. */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return NAME.test(key);
  const prefix = key.slice(0, slash);
  return prefix.length <= 253 && DNS_SUBDOMAIN.test(prefix) && NAME.test(key.slice(slash + 1));
}

/** Whether the value is empty or a name of at most 63 characters. */
export function isLabelValue(value: string): boolean {
  return value === '' || NAME.test(value);
}
