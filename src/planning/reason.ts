/** The closed union of reasons for which a pool cannot hold a pod, and their words. */
import { formatAmount } from '../domain/resources.js';
import { formatTaint, type Taint } from '../domain/taint.js';

export type Reason =
  | { readonly code: 'NoNodePools' }
  | { readonly code: 'DynamicResources' }
  | { readonly code: 'NodeClassNotFound'; readonly nodeClass: string }
  | { readonly code: 'NodeClassNotReady'; readonly nodeClass: string; readonly problem: string }
  | { readonly code: 'StaticPool' }
  | { readonly code: 'UntoleratedTaint'; readonly taint: Taint }
  | {
      readonly code: 'IncompatibleLabel';
      readonly key: string;
      readonly wanted: string;
      readonly offered: string;
    }
  | { readonly code: 'NoOffering'; readonly wanted: string }
  | { readonly code: 'OutOfStock'; readonly types: readonly string[] }
  | InsufficientResource
  | {
      readonly code: 'InsufficientTogether';
      readonly needed: string;
      readonly nearestType: string;
      readonly short: string;
    }
  | LimitReached
  | { readonly code: 'MinValues'; readonly key: string; readonly wanted: number; readonly available: number }
  | { readonly code: 'TopologySpread'; readonly key: string; readonly maxSkew: number }
  | { readonly code: 'PodAffinity'; readonly key: string }
  | { readonly code: 'PodAntiAffinity'; readonly key: string }
  | { readonly code: 'HostPortConflict'; readonly port: number }
  | { readonly code: 'VolumeClaimNotFound'; readonly claim: string }
  | { readonly code: 'VolumeClaimUnbound'; readonly claim: string }
  | { readonly code: 'VolumeClaimTerminating'; readonly claim: string }
  | { readonly code: 'VolumeNotFound'; readonly claim: string; readonly volume: string }
  | { readonly code: 'VolumeClaimInUse'; readonly claim: string }
  | { readonly code: 'VolumeLimit'; readonly claim: string }
  | { readonly code: 'VolumeTopology'; readonly claim: string };

/** No type of the pool has enough of one resource; amounts in the resource's unit. */
export interface InsufficientResource {
  readonly code: 'InsufficientResource';
  readonly resource: string;
  readonly needed: number;
  /** Most that any type has left beside its DaemonSets: 0 when none offers the resource, less when they lack some. */
  readonly largest: number;
  readonly largestType: string;
}

/** The pool's limit leaves no room for the smallest type that fits; amounts in the resource's unit. */
export interface LimitReached {
  readonly code: 'LimitReached';
  readonly resource: string;
  readonly limit: number;
  readonly inUse: number;
  readonly needed: number;
}

export type ReasonCode = Reason['code'];

type Words = { readonly [Code in ReasonCode]: (reason: Extract<Reason, { code: Code }>) => string };

const WORDS: Words = {
  NoNodePools: () => 'there is no NodePool; add one that allows this pod',
  DynamicResources: () =>
    'the pod has resourceClaims, and dynamic resource allocation is not planned yet; drop spec.resourceClaims or place the pod by hand',
  NodeClassNotFound: ({ nodeClass }) =>
    `EC2NodeClass ${nodeClass} does not exist; add it or change spec.template.spec.nodeClassRef`,
  NodeClassNotReady: ({ nodeClass, problem }) => `EC2NodeClass ${nodeClass} is not ready: ${problem}`,
  StaticPool: () => 'the pool is static (spec.replicas) and launches nothing for pods; raise its replicas',
  UntoleratedTaint: ({ taint }) =>
    `taint ${formatTaint(taint)} is not tolerated; add a toleration for key ${taint.key}`,
  IncompatibleLabel: ({ key, wanted, offered }) =>
    `label ${key}: the pod wants ${wanted}, the pool offers ${offered}; change either`,
  NoOffering: ({ wanted }) => `nothing is offered that has ${wanted} together; widen one of them`,
  OutOfStock: ({ types }) =>
    `the pool's types that could hold it are out of stock for now (${shortened(types)}); it is tried again, or allow more types, zones or capacity types`,
  InsufficientResource: describeInsufficient,
  InsufficientTogether: ({ needed, nearestType, short }) =>
    `no one type holds ${needed} together; the nearest, ${nearestType}, is short of ${short}; ask for that much less or add larger types`,
  LimitReached: describeLimit,
  MinValues: ({ key, wanted, available }) =>
    `minValues asks for ${String(wanted)} values of ${key} and ${String(available)} hold the pod; lower minValues or widen the pool`,
  TopologySpread: ({ key, maxSkew }) =>
    `topology spread over ${key} leaves no domain within maxSkew ${String(maxSkew)}; raise maxSkew or use ScheduleAnyway`,
  PodAffinity: ({ key }) =>
    `pod affinity over ${key} finds no matching pod in a domain with room; place or add the pod it wants first`,
  PodAntiAffinity: ({ key }) =>
    `pod anti-affinity over ${key} excludes every domain the pool can launch in; allow more domains or fewer replicas`,
  HostPortConflict: ({ port }) =>
    `host port ${String(port)} is taken on every node it could go to; use another port`,
  VolumeClaimNotFound: ({ claim }) => `PersistentVolumeClaim ${claim} does not exist; create it`,
  VolumeClaimUnbound: ({ claim }) =>
    `PersistentVolumeClaim ${claim} is not bound though its class binds at once; wait for its volume or use WaitForFirstConsumer`,
  VolumeClaimTerminating: ({ claim }) =>
    `PersistentVolumeClaim ${claim} is being deleted; make a new one and use that`,
  VolumeNotFound: ({ claim, volume }) =>
    `PersistentVolumeClaim ${claim} is bound to PersistentVolume ${volume}, which does not exist; restore it or make a new claim`,
  VolumeClaimInUse: ({ claim }) =>
    `PersistentVolumeClaim ${claim} is ReadWriteOncePod and another pod uses it; remove that pod or use ReadWriteOnce`,
  VolumeLimit: ({ claim }) =>
    `no node has an attach slot left for the volume of PersistentVolumeClaim ${claim}; use more nodes or fewer volumes`,
  VolumeTopology: ({ claim }) =>
    `the volume of PersistentVolumeClaim ${claim} is where the pool cannot launch; allow its zone in the pool`,
};

/** The reason in one sentence: what does not hold, and the nearest change that would help. */
export function describeReason(reason: Reason): string {
  return (WORDS[reason.code] as (reason: Reason) => string)(reason);
}

const MOST_NAMES = 5;

function shortened(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
}

function describeInsufficient({ resource, needed, largest, largestType }: InsufficientResource): string {
  const wanted = `${formatAmount(resource, needed)} ${resource}`;
  if (largest < 0)
    return `DaemonSets alone ask for more ${resource} than any type of the pool has; the largest, ${largestType}, is short of ${formatAmount(resource, -largest)}: add larger types`;
  if (largest <= 0)
    return `no type of the pool offers ${resource} (the pod needs ${formatAmount(resource, needed)}); widen the pool's types`;
  return `no type of the pool has ${wanted} beside its DaemonSets; the largest, ${largestType}, has ${formatAmount(resource, largest)}: ask for ${formatAmount(resource, needed - largest)} less or add larger types`;
}

function describeLimit({ resource, limit, inUse, needed }: LimitReached): string {
  const amount = (value: number): string => formatAmount(resource, value);
  return `${resource} limit ${amount(limit)} reached (${amount(inUse)} in use, the smallest fitting type adds ${amount(needed)}): ${amount(inUse + needed - limit)} more needed`;
}
