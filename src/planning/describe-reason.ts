/** Reasons in words: what does not hold, its values, and the nearest change. */
import { formatAmount } from '../domain/values/resources.js';
import { formatTaint } from '../domain/values/taint.js';
import { usdPerHour } from '../domain/values/text.js';
import { DEVICE_WORDS } from './device-reason.js';
import type { ClaimAlternative, ClaimWhy, PoolReason, TooSmall } from './plan.js';
import type {
  IncompatibleLabel,
  InsufficientResource,
  LimitReached,
  LimitShortage,
  NoOffering,
  PodAffinity,
  PodAntiAffinity,
  PoolLabelChange,
  Reason,
  ReasonCode,
  TooComplex,
  TopologySpread,
  UntoleratedTaint,
  VolumeTopology,
} from './reason.js';

/** A reason for people. */
export interface ReasonText {
  /** What does not hold: a clause without a full stop. */
  readonly constraint: string;
  /** What the pod or the rule asks for, and what there is; '' where the constraint is not about amounts or values. */
  readonly wanted: string;
  readonly got: string;
  /** The nearest change that would help; '' where none is known. */
  readonly change: string;
}

type Told = readonly [constraint: string, change: string, wanted?: string, got?: string];
type Words = { readonly [Code in ReasonCode]: (reason: Extract<Reason, { code: Code }>) => Told };

const WORDS: Words = {
  NoNodePools: () => ['there is no NodePool', 'add one that allows this pod'],
  ...DEVICE_WORDS,
  GangIncomplete: ({ gang, minimum, existing }) => [
    `${String(existing)} of the ${String(minimum)} pods that ${gang} needs exist, and the gang is not placed before`,
    `create ${String(minimum - existing)} more or lower its minimum`,
    String(minimum),
    String(existing),
  ],
  PlanRefuted: ({ rule }) => [
    `planning could not place the pod without breaking the rule ${rule}`,
    `this is a bug in Berth: report it with the pod's manifest, or relax that rule of the pod`,
  ],
  GangUnplaceable: ({ gang, minimum, possible }) => [
    `${String(possible)} of the ${String(minimum)} pods that ${gang} needs can be placed, and the gang is placed whole`,
    `make room for ${String(minimum - possible)} more or lower its minimum`,
    String(minimum),
    String(possible),
  ],
  NodeClassNotFound: ({ nodeClass }) => [
    `${nodeClass} does not exist`,
    `add it or change spec.template.spec.nodeClassRef`,
  ],
  NodeClassNotReady: ({ nodeClass, problem }) => [`${nodeClass} is not ready: ${problem}`, ''],
  ExcludedTypes: ({ nodeClass, setting, lacks, types }) => [
    `${nodeClass} excludes the instance types that fit (${shortened(types)}): ${setting} needs ${lacks}, which they lack`,
    `allow instance types with ${lacks}, or use a node class without ${setting}`,
    lacks,
  ],
  StaticPool: () => [
    'the pool is static (spec.replicas): it launches no nodes for pods',
    'raise its replicas',
  ],
  PoolFrozen: ({ nodePool }) => [
    `the pool is frozen: its document was removed from the policy ConfigMaps, so it launches nothing`,
    `restore the document of NodePool ${nodePool}`,
  ],
  GroupTooLarge: () => [
    'no instance type has room for all pods that required pod affinity puts on one node',
    'make that affinity preferred, or lower the requests of the pods',
  ],
  LeftOut: () => [
    'a node of the pool could hold the pod, but this plan has none for it',
    'the pod will be planned again with the next batch',
  ],
  UntoleratedTaint: describeTaints,
  IncompatibleLabel: describeLabel,
  NoOffering: describeNoOffering,
  OutOfStock: ({ types }) => [
    `insufficient capacity: the instance types of the pool that fit are unavailable for now (${shortened(types)})`,
    `wait for a retry, or allow more types, zones or capacity types`,
  ],
  InsufficientResource: describeInsufficient,
  InsufficientTogether: ({ needed, nearestType, short }) => [
    `no single instance type has ${needed}; the closest, ${nearestType}, lacks ${short}`,
    'request that much less or add larger types',
    needed,
    nearestType,
  ],
  LimitReached: describeLimits,
  MinValues: ({ key, wanted, available }) => [
    `minValues asks for ${String(wanted)} values of ${key} and ${String(available)} hold the pod`,
    `lower minValues to ${String(available)} or widen the pool`,
    String(wanted),
    String(available),
  ],
  TopologySpread: describeSpread,
  PodAffinity: describeAffinity,
  PodAntiAffinity: describeAntiAffinity,
  HostPortConflict: ({ port, daemonSet }) => [
    `host port ${String(port)} is in use ${daemonSet === undefined ? 'on every node that fits' : `by DaemonSet ${daemonSet} on every node`}`,
    'use another port',
  ],
  VolumeClaimNotFound: ({ claim }) => [`PersistentVolumeClaim ${claim} does not exist`, `create it`],
  VolumeClaimUnbound: ({ claim }) => [
    `PersistentVolumeClaim ${claim} is not bound although its StorageClass binds immediately`,
    `wait for its volume or use WaitForFirstConsumer`,
  ],
  StorageClassNotFound: ({ claim, storageClass }) => [
    `PersistentVolumeClaim ${claim} names StorageClass ${storageClass}, which does not exist`,
    `create that StorageClass`,
  ],
  NoDefaultStorageClass: ({ claim }) => [
    `PersistentVolumeClaim ${claim} names no StorageClass and no StorageClass is the default`,
    `annotate one with storageclass.kubernetes.io/is-default-class: "true"`,
  ],
  VolumeClaimTerminating: ({ claim }) => [
    `PersistentVolumeClaim ${claim} is being deleted`,
    `create and use a new one`,
  ],
  VolumeNotFound: ({ claim, volume }) => [
    `PersistentVolumeClaim ${claim} is bound to PersistentVolume ${volume}, which does not exist`,
    `restore it or create a new claim`,
  ],
  VolumeClaimInUse: ({ claim }) => [
    `PersistentVolumeClaim ${claim} is ReadWriteOncePod and another pod uses it`,
    `remove that pod or use ReadWriteOnce`,
  ],
  VolumeLimit: ({ claim }) => [
    `no node has an attach slot left for the volume of PersistentVolumeClaim ${claim}`,
    `use more nodes or fewer volumes`,
  ],
  VolumeTopology: describeVolume,
  TooComplex: describeComplex,
};

/** A reason of a pool with its code, to be kept as a value. */
export interface CodedText extends ReasonText {
  readonly code: string;
}

/** What a pool lacks: the first constraint that fails, then what would still be in the way if its change were made alone. */
export function poolReasonTexts({ reason, also = [], untried }: PoolReason): readonly CodedText[] {
  const [first, ...others] = [reason, ...also].map((each) => ({ code: each.code, ...reasonText(each) }));
  if (first === undefined) return [];
  if (untried !== true || others.length > 0) return [first, ...others];
  const unchecked = 'it was not checked whether that is enough';
  return [{ ...first, change: first.change === '' ? unchecked : `${first.change}; ${unchecked}` }];
}

/** The same in one line. */
export function describePoolReason(reason: PoolReason): string {
  const texts = poolReasonTexts(reason);
  return sentence({ constraint: texts[0]?.constraint ?? '', change: describeChange(texts) });
}

/** What would have to change, given all that a pool lacks, the first constraint first; '' where nothing is known. */
export function describeChange([first, ...others]: readonly ReasonText[]): string {
  if (first === undefined) return '';
  const further = others.map(sentence).filter((text) => text !== sentence(first));
  const [next] = further;
  const more = further.length > 1 ? ` (and ${String(further.length - 1)} more)` : '';
  return [
    ...(first.change === '' ? [] : [first.change]),
    ...(others.length === 0
      ? []
      : [
          next === undefined
            ? 'that alone is not enough, because another rule of the pod has the same effect'
            : `that alone is not enough, because then: ${next}${more}`,
        ]),
  ].join('; ');
}

/** The reason in one sentence: what does not hold, and the nearest change that would help. */
export function describeReason(reason: Reason): string {
  return sentence(reasonText(reason));
}

function sentence({ constraint, change }: Pick<ReasonText, 'constraint' | 'change'>): string {
  return change === '' ? constraint : `${constraint}; ${change}`;
}

function reasonText(reason: Reason): ReasonText {
  const tell = WORDS[reason.code] as (reason: Reason) => Told;
  const [constraint, change, wanted = '', got = ''] = tell(reason);
  return { constraint, wanted, got, change };
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

function describeTaints({ taint, others = [] }: UntoleratedTaint): Told {
  const taints = [taint, ...others];
  const keys = listed([...new Set(taints.map(({ key }) => key))], 'and');
  const single = taints.length === 1;
  const names = listed(taints.map(formatTaint), 'and');
  return [
    `${single ? 'taint' : 'taints'} ${names} ${single ? 'is' : 'are'} not tolerated`,
    `add a toleration for key ${keys}`,
    'toleration',
    'none',
  ];
}

function describeLabel({ key, wanted, offered, pool }: IncompatibleLabel): Told {
  return [
    `label ${key}: the pod requires ${wanted}, the pool offers ${offered}`,
    labelChange(key, pool),
    wanted,
    offered,
  ];
}

function labelChange(key: string, pool: PoolLabelChange | undefined): string {
  if (pool === undefined) return `only the pod can change: drop its requirement for ${key}`;
  const values = listed(pool.values, 'or');
  return pool.kind === 'allow'
    ? `allow ${values} in the pool's requirements`
    : `label the pool's nodes ${key}=${values}`;
}

function describeNoOffering({ wanted, widen, of }: NoOffering): Told {
  if (of === 'terms')
    return [
      `nothing that the pool can launch matches any of the pod's required node affinity terms ${wanted}`,
      'drop them or change one to what the pool offers',
      wanted,
    ];
  const whose = of === 'pool' ? " in the pool's requirements" : ' in the pod';
  return [`no offering has ${wanted} together`, `${widening(widen)}${whose}`, wanted];
}

function widening(keys: readonly string[] | undefined): string {
  if (keys === undefined) return 'widen more than one of them';
  return keys.length === 0
    ? 'no single one is enough: widen more than one of them'
    : `widen ${listed(keys, 'or')}`;
}

function describeInsufficient(reason: InsufficientResource): Told {
  const { resource, needed, largest, largestType, families = [] } = reason;
  const wanted = `${formatAmount(resource, needed)} ${resource}`;
  const types = families.length === 0 ? 'no type of the pool' : `no type in ${families.join(', ')}`;
  const amount = (value: number): string => formatAmount(resource, value);
  if (largest < 0)
    return [
      `DaemonSets alone request more ${resource} than any type of the pool has; the largest, ${largestType}, lacks ${amount(-largest)}`,
      `request no ${resource}, or add larger types`,
      wanted,
      'none',
    ];
  if (largest <= 0)
    return [
      `${types} offers ${resource} (the pod needs ${amount(needed)})`,
      'request none, or allow more types in the pool',
      wanted,
      'none',
    ];
  return [
    `${types} has ${wanted} in addition to its DaemonSets; the largest, ${largestType}, has ${amount(largest)}`,
    `request ${amount(needed - largest)} less or add larger types`,
    wanted,
    `${amount(largest)} ${resource} (${largestType})`,
  ];
}

function describeLimits({ others = [], ...first }: LimitReached): Told {
  const { resource, limit, inUse, needed } = first;
  return [
    [first, ...others].map(describeLimit).join('; '),
    '',
    `${formatAmount(resource, inUse + needed)} ${resource}`,
    `${formatAmount(resource, limit)} ${resource}`,
  ];
}

function describeLimit({ resource, limit, inUse, leaving = 0, needed }: LimitShortage): string {
  const amount = (value: number): string => formatAmount(resource, value);
  const going = leaving > 0 ? `, ${amount(leaving)} of them by nodes that are being removed` : '';
  return `${resource} limit ${amount(limit)} reached (${amount(inUse)} in use${going}, the smallest fitting type adds ${amount(needed)}): ${amount(inUse + needed - limit)} more needed`;
}

function describeSpread(reason: TopologySpread): Told {
  const { key, maxSkew, nearest, least, needed, domains, minDomains } = reason;
  if (reason.unlabelled === true)
    return [
      `topology spread over ${key}: the nodes of the pool do not have that label`,
      'label them, or use ScheduleAnyway',
    ];
  const what = `topology spread over ${key} leaves no domain within maxSkew ${String(maxSkew)}`;
  if (needed === undefined || nearest === undefined) return [what, 'raise maxSkew or use ScheduleAnyway'];
  const relax = `raise maxSkew to ${String(needed)} or use ScheduleAnyway`;
  if (minDomains !== undefined && domains !== undefined)
    return [
      `${what}: minDomains asks for ${String(minDomains)} domains and there are ${String(domains)}`,
      `lower it to ${String(domains)}, ${relax}`,
      `${String(minDomains)} domains`,
      String(domains),
    ];
  const other =
    least === undefined || least.domain === nearest.domain
      ? ''
      : `: ${least.domain} has ${String(least.pods)} and cannot take it, ${nearest.domain} has ${String(nearest.pods)}`;
  return [`${what}${other}`, relax, `maxSkew ${String(maxSkew)}`, `maxSkew ${String(needed)}`];
}

function describeAffinity({ key, matching, planned = 0, allow }: PodAffinity): Told {
  const what = `pod affinity over ${key} finds no matching pod in a domain with room`;
  const relax = 'make the affinity preferred';
  if (matching === undefined) return [what, `${relax}, or place a matching pod first`];
  if (matching.length > 0) {
    const there = allow === true ? 'let the pool launch there' : relax;
    return [`${what}: they are in ${shortened(matching)}`, there];
  }
  if (planned > 0)
    return [
      `${what}: they are planned on ${planned === 1 ? 'a node' : `${String(planned)} nodes`} without room for this pod`,
      relax,
    ];
  return [
    `${what}: none exists or is planned`,
    `add a matching pod, let the affinity match the pod itself, or ${relax}`,
  ];
}

function describeAntiAffinity({ key, taken = [], allow }: PodAntiAffinity): Told {
  const what = `pod anti-affinity over ${key} excludes every domain the pool can launch in`;
  const where = taken.length === 0 ? '' : ` (${shortened(taken)})`;
  return [
    `${what}${where}`,
    allow === true ? 'allow more domains in the pool' : 'make the anti-affinity preferred',
  ];
}

function describeComplex({ rules, most }: TooComplex): Told {
  if (rules === undefined || most === undefined)
    return [
      'the planner failed on pods like this one; the pod is skipped for a while, and planned again later',
      'simplify its affinity, spread and tolerations',
    ];
  return [
    `the pod has ${String(rules)} rules (requirements, values, terms, tolerations, ports and volumes), and at most ${String(most)} are supported`,
    `remove at least ${String(rules - most)} from its affinity, tolerations or volumes`,
    String(most),
    String(rules),
  ];
}

function describeVolume({ claim, wanted, offered, allow }: VolumeTopology): Told {
  const what = `the pool cannot launch in the zone of the volume of PersistentVolumeClaim ${claim}`;
  const change =
    allow === true
      ? 'allow its zone in the pool'
      : 'use a volume where the pool launches, or give its node class subnets there';
  if (wanted === undefined) return [what, change];
  const there = offered ?? 'nothing';
  return [`${what}: it needs ${wanted}, the pool offers ${there}`, change, wanted, there];
}

/** How many types hold the pods, what is cheaper and too small, and what the next best pool costs. */
export function describeWhy({ holding, cheaper, alternative }: ClaimWhy): string {
  const types =
    holding === 1
      ? '1 instance type of the pool fits its pods'
      : `${String(holding)} instance types of the pool fit its pods`;
  return [types, cheaperText(cheaper), alternativeText(alternative)].filter((part) => part !== '').join('; ');
}

function cheaperText(cheaper: TooSmall | undefined): string {
  if (cheaper === undefined) return 'no type is cheaper';
  const { instanceType, hourlyPrice, short } = cheaper;
  const lacks = [...short].map(([name, amount]) => `${formatAmount(name, amount)} ${name}`);
  return `${instanceType} at ${usdPerHour(hourlyPrice)} lacks ${lacks.join(' and ')}`;
}

function alternativeText(alternative: ClaimAlternative | undefined): string {
  if (alternative === undefined) return 'no other pool fits them';
  const { nodePool, instanceType, zone, capacityType, hourlyPrice } = alternative;
  return `the next best pool, ${nodePool}, would launch ${instanceType} ${capacityType} in ${zone} at ${usdPerHour(hourlyPrice)}`;
}
