/** The closed union of reasons for which a pool cannot hold a pod, and their words. */
import { formatAmount } from '../domain/resources.js';
import { formatTaint, type Taint } from '../domain/taint.js';

export type Reason =
  | { readonly code: 'NoNodePools' }
  | { readonly code: 'DynamicResources' }
  | GangIncomplete
  | GangUnplaceable
  | PlanRefuted
  | { readonly code: 'NodeClassNotFound'; readonly nodeClass: string }
  | { readonly code: 'NodeClassNotReady'; readonly nodeClass: string; readonly problem: string }
  | { readonly code: 'StaticPool' }
  | UntoleratedTaint
  | IncompatibleLabel
  | NoOffering
  | { readonly code: 'OutOfStock'; readonly types: readonly string[] }
  | InsufficientResource
  | {
      readonly code: 'InsufficientTogether';
      readonly needed: string;
      readonly nearestType: string;
      /** What that type has too little of: as much less, all of it, is what the pod would have to ask for. */
      readonly short: string;
    }
  | LimitReached
  | { readonly code: 'MinValues'; readonly key: string; readonly wanted: number; readonly available: number }
  | TopologySpread
  | PodAffinity
  | PodAntiAffinity
  | HostPortConflict
  | { readonly code: 'VolumeClaimNotFound'; readonly claim: string }
  | { readonly code: 'VolumeClaimUnbound'; readonly claim: string }
  | { readonly code: 'VolumeClaimTerminating'; readonly claim: string }
  | { readonly code: 'VolumeNotFound'; readonly claim: string; readonly volume: string }
  | { readonly code: 'VolumeClaimInUse'; readonly claim: string }
  | { readonly code: 'VolumeLimit'; readonly claim: string }
  | VolumeTopology
  | TooComplex;

/** Planning the pod would take more than its share of the work; it is set aside, and the other pods are planned. */
export interface TooComplex {
  readonly code: 'TooComplex';
  /** Requirements, values, terms, tolerations, ports and volumes of its spec, where these are too many. */
  readonly rules?: number | undefined;
  readonly most?: number | undefined;
}

/** Fewer members of the pod's gang exist than are of use. */
export interface GangIncomplete {
  readonly code: 'GangIncomplete';
  /** `PodGroup default/train`. */
  readonly gang: string;
  readonly minimum: number;
  readonly existing: number;
}

/** Fewer members of the pod's gang have a place, or could have one, than are of use. */
export interface GangUnplaceable {
  readonly code: 'GangUnplaceable';
  /** `PodGroup default/train`. */
  readonly gang: string;
  readonly minimum: number;
  readonly possible: number;
}

/** Every plan that gave the pod a place broke a rule: a defect of planning, so that the pod is left out. */
export interface PlanRefuted {
  readonly code: 'PlanRefuted';
  /** The rule, as `Refutation.rule`. */
  readonly rule: string;
}

/** The pool's nodes repel the pod. */
export interface UntoleratedTaint {
  readonly code: 'UntoleratedTaint';
  readonly taint: Taint;
  /** Further taints of the pool that the pod does not tolerate. */
  readonly others?: readonly Taint[] | undefined;
}

/** Nothing that the pool can launch has the label that the pod wants. */
export interface IncompatibleLabel {
  readonly code: 'IncompatibleLabel';
  readonly key: string;
  readonly wanted: string;
  readonly offered: string;
  /** What the pool could do about it; absent where only the pod can change. */
  readonly pool?: PoolLabelChange | undefined;
}

/** `allow`: its requirements leave out values that its types have; `label`: its nodes bear whatever label it says. */
export interface PoolLabelChange {
  readonly kind: 'allow' | 'label';
  /** Any of these would do. */
  readonly values: readonly string[];
}

/** Each label alone can be had, but not all together. */
export interface NoOffering {
  readonly code: 'NoOffering';
  readonly wanted: string;
  /** Keys of which any one, left open, would do; empty where a single one is not enough, absent where nobody looked. */
  readonly widen?: readonly string[] | undefined;
}

/** No type of the pool has enough of one resource; amounts in the resource's unit. */
export interface InsufficientResource {
  readonly code: 'InsufficientResource';
  readonly resource: string;
  readonly needed: number;
  /** Most that any type has left beside its DaemonSets: 0 when none offers the resource, less when they lack some. */
  readonly largest: number;
  readonly largestType: string;
  /** Instance families that pool and pod leave, where they are few. */
  readonly families?: readonly string[] | undefined;
}

/** A limit of the pool that one more node would break; amounts in the resource's unit. */
export interface LimitShortage {
  readonly resource: string;
  readonly limit: number;
  readonly inUse: number;
  readonly needed: number;
}

/** The pool's limits leave no room for the type that fits and lacks least. */
export interface LimitReached extends LimitShortage {
  readonly code: 'LimitReached';
  /** Further limits that the same type would break. */
  readonly others?: readonly LimitShortage[] | undefined;
}

/** Pods that a rule counts in one domain: a zone, a node. */
export interface DomainCount {
  readonly domain: string;
  readonly pods: number;
}

/** The pod's own spread keeps it out of every domain that it could go to. */
export interface TopologySpread {
  readonly code: 'TopologySpread';
  readonly key: string;
  readonly maxSkew: number;
  /** The pool's nodes lack the label, and so are in no domain. */
  readonly unlabelled?: true | undefined;
  /** The domain nearest to taking the pod. */
  readonly nearest?: DomainCount | undefined;
  /** The domain with the fewest pods, which cannot take this one; absent where minDomains alone is in the way. */
  readonly least?: DomainCount | undefined;
  /** The least maxSkew under which the nearest domain would take the pod. */
  readonly needed?: number | undefined;
  /** Domains that there are, and that minDomains asks for, where these are more. */
  readonly domains?: number | undefined;
  readonly minDomains?: number | undefined;
}

/** No pod that the affinity looks for is where the pool could place this one. */
export interface PodAffinity {
  readonly code: 'PodAffinity';
  readonly key: string;
  /** Domains with pods that match; absent where nobody looked, empty where no pod matches. */
  readonly matching?: readonly string[] | undefined;
}

/** Pods that shun this one, or that it shuns, are in every domain that the pool could place it in. */
export interface PodAntiAffinity {
  readonly code: 'PodAntiAffinity';
  readonly key: string;
  /** These domains. */
  readonly taken?: readonly string[] | undefined;
}

export interface HostPortConflict {
  readonly code: 'HostPortConflict';
  readonly port: number;
  /** `namespace/name` of the DaemonSet that has it on every node. */
  readonly daemonSet?: string | undefined;
}

/** The pod's volume can be used only where the pool cannot launch. */
export interface VolumeTopology {
  readonly code: 'VolumeTopology';
  readonly claim: string;
  /** Where it can be used, and what the pool offers of that. */
  readonly wanted?: string | undefined;
  readonly offered?: string | undefined;
}

export type ReasonCode = Reason['code'];

type Words = { readonly [Code in ReasonCode]: (reason: Extract<Reason, { code: Code }>) => string };

const WORDS: Words = {
  NoNodePools: () => 'there is no NodePool; add one that allows this pod',
  DynamicResources: () =>
    'the pod has resourceClaims, and dynamic resource allocation is not planned yet; drop spec.resourceClaims or place the pod by hand',
  GangIncomplete: ({ gang, minimum, existing }) =>
    `${String(existing)} of the ${String(minimum)} pods that ${gang} needs run or wait for a place, and none is placed before; create ${String(minimum - existing)} more or lower its minimum`,
  PlanRefuted: ({ rule }) =>
    `planning found no place for the pod that keeps to the rule ${rule}; this is a defect of Berth: report it with the pod's manifest, or relax that rule of the pod`,
  GangUnplaceable: ({ gang, minimum, possible }) =>
    `${String(possible)} of the ${String(minimum)} pods that ${gang} needs can be placed, and none is before all can; make room for ${String(minimum - possible)} more or lower its minimum`,
  NodeClassNotFound: ({ nodeClass }) =>
    `EC2NodeClass ${nodeClass} does not exist; add it or change spec.template.spec.nodeClassRef`,
  NodeClassNotReady: ({ nodeClass, problem }) => `EC2NodeClass ${nodeClass} is not ready: ${problem}`,
  StaticPool: () => 'the pool is static (spec.replicas), which is not supported; remove replicas',
  UntoleratedTaint: describeTaints,
  IncompatibleLabel: describeLabel,
  NoOffering: ({ wanted, widen }) => `nothing is offered that has ${wanted} together; ${widening(widen)}`,
  OutOfStock: ({ types }) =>
    `the pool's types that could hold it are out of stock for now (${shortened(types)}); it is tried again, or allow more types, zones or capacity types`,
  InsufficientResource: describeInsufficient,
  InsufficientTogether: ({ needed, nearestType, short }) =>
    `no one type holds ${needed} together; the nearest, ${nearestType}, is short of ${short}: ask for that much less or add larger types`,
  LimitReached: ({ others = [], ...first }) => [first, ...others].map(describeLimit).join('; '),
  MinValues: ({ key, wanted, available }) =>
    `minValues asks for ${String(wanted)} values of ${key} and ${String(available)} hold the pod; lower minValues to ${String(available)} or widen the pool`,
  TopologySpread: describeSpread,
  PodAffinity: describeAffinity,
  PodAntiAffinity: describeAntiAffinity,
  HostPortConflict: ({ port, daemonSet }) =>
    `host port ${String(port)} is taken ${daemonSet === undefined ? 'on every node it could go to' : `by DaemonSet ${daemonSet} on every node`}; use another port`,
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
  VolumeTopology: describeVolume,
  TooComplex: describeComplex,
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

/** `a, b or c`; a long list is cut. */
function listed(names: readonly string[], word: 'and' | 'or'): string {
  if (names.length > MOST_NAMES) return shortened(names);
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}

function describeTaints({ taint, others = [] }: UntoleratedTaint): string {
  const taints = [taint, ...others];
  const keys = listed([...new Set(taints.map(({ key }) => key))], 'and');
  const single = taints.length === 1;
  return `${single ? 'taint' : 'taints'} ${listed(taints.map(formatTaint), 'and')} ${single ? 'is' : 'are'} not tolerated; add a toleration for key ${keys}`;
}

function describeLabel({ key, wanted, offered, pool }: IncompatibleLabel): string {
  return `label ${key}: the pod wants ${wanted}, the pool offers ${offered}; ${labelChange(key, pool)}`;
}

function labelChange(key: string, pool: PoolLabelChange | undefined): string {
  if (pool === undefined) return 'only the pod can change';
  const values = listed(pool.values, 'or');
  return pool.kind === 'allow'
    ? `allow ${values} in the pool's requirements, or change the pod`
    : `label the pool's nodes ${key}${values === '' ? '' : `=${values}`}, or change the pod`;
}

function widening(keys: readonly string[] | undefined): string {
  if (keys === undefined) return 'widen one of them';
  return keys.length === 0 ? 'widen more than one of them' : `widen ${listed(keys, 'or')}`;
}

function describeInsufficient(reason: InsufficientResource): string {
  const { resource, needed, largest, largestType, families = [] } = reason;
  const wanted = `${formatAmount(resource, needed)} ${resource}`;
  const types = families.length === 0 ? 'no type of the pool' : `no type in ${families.join(', ')}`;
  if (largest < 0)
    return `DaemonSets alone ask for more ${resource} than any type of the pool has; the largest, ${largestType}, is short of ${formatAmount(resource, -largest)}: add larger types`;
  if (largest <= 0)
    return `${types} offers ${resource} (the pod needs ${formatAmount(resource, needed)}); widen the pool's types`;
  return `${types} has ${wanted} beside its DaemonSets; the largest, ${largestType}, has ${formatAmount(resource, largest)}: ask for ${formatAmount(resource, needed - largest)} less or add larger types`;
}

function describeLimit({ resource, limit, inUse, needed }: LimitShortage): string {
  const amount = (value: number): string => formatAmount(resource, value);
  return `${resource} limit ${amount(limit)} reached (${amount(inUse)} in use, the smallest fitting type adds ${amount(needed)}): ${amount(inUse + needed - limit)} more needed`;
}

function describeSpread(reason: TopologySpread): string {
  const { key, maxSkew, nearest, least, needed, domains, minDomains } = reason;
  if (reason.unlabelled === true)
    return `topology spread over ${key}: the pool's nodes have no such label; label them, or use ScheduleAnyway`;
  const what = `topology spread over ${key} leaves no domain within maxSkew ${String(maxSkew)}`;
  if (needed === undefined || nearest === undefined) return `${what}; raise maxSkew or use ScheduleAnyway`;
  const relax = `raise maxSkew to ${String(needed)} or use ScheduleAnyway`;
  if (minDomains !== undefined && domains !== undefined)
    return `${what}: minDomains asks for ${String(minDomains)} domains and there are ${String(domains)}; lower it to ${String(domains)}, ${relax}`;
  const other =
    least === undefined || least.domain === nearest.domain
      ? ''
      : `: ${least.domain} has ${String(least.pods)} and cannot take it, ${nearest.domain} has ${String(nearest.pods)}; make room in ${least.domain} for ${String(needed - maxSkew)}`;
  return `${what}${other}${other === '' ? ';' : ','} ${relax}`;
}

function describeAffinity({ key, matching }: PodAffinity): string {
  const what = `pod affinity over ${key} finds no matching pod in a domain with room`;
  if (matching === undefined) return `${what}; place or add the pod it wants first`;
  if (matching.length === 0)
    return `${what}: none runs or is placed; add the pod it wants, or let it match itself`;
  return `${what}: they are in ${shortened(matching)}; make room there, or add the pod it wants elsewhere`;
}

function describeAntiAffinity({ key, taken = [] }: PodAntiAffinity): string {
  const what = `pod anti-affinity over ${key} excludes every domain the pool can launch in`;
  const where = taken.length === 0 ? '' : ` (${shortened(taken)})`;
  return `${what}${where}; allow more domains or fewer replicas`;
}

function describeComplex({ rules, most }: TooComplex): string {
  if (rules === undefined || most === undefined)
    return 'planning ended while it planned pods like this one; the pod is set aside for a while, and planned again later; simplify its affinity, spread and tolerations';
  return `the pod's rules (requirements, values, terms, tolerations, ports and volumes) are ${String(rules)}, more than the ${String(most)} that are planned; shorten its affinity, tolerations or volumes by ${String(rules - most)}`;
}

function describeVolume({ claim, wanted, offered }: VolumeTopology): string {
  const what = `the volume of PersistentVolumeClaim ${claim} is where the pool cannot launch`;
  if (wanted === undefined) return `${what}; allow its zone in the pool`;
  return `${what}: it needs ${wanted}, the pool offers ${offered ?? 'nothing'}; allow its zone in the pool`;
}
