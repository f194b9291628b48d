/** NodeClaims as they are going to be created for a plan: names, launch groups, and the pods of each. */
import { placeLabels, type InstanceType } from '../../domain/nodes/instance-type.js';
import {
  ARCH,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  type LabelLookup,
  type Labels,
  NODEPOOL,
  OS,
  ZONE,
} from '../../domain/values/labels.js';
import {
  LAUNCH_GROUP_ANNOTATION,
  LAUNCH_GROUP_SIZE_ANNOTATION,
  MIN_VALUES_RELAXED_ANNOTATION,
} from '../../domain/nodes/node-claim.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PlannedClaim } from '../../planning/plan.js';
import type { NewNodeClaim } from '../../ports/kube-writer.js';
import type { Random } from '../../ports/random.js';
import { requirement, type Requirement } from '../../domain/values/requirement.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import { minValuesShortfall } from '../../domain/values/min-values.js';

/** A claim of a plan with its pool and the pods that still need it. */
export interface WantedClaim {
  readonly planned: PlannedClaim;
  readonly pool: NodePool;
  /** Of the pool's node class. */
  readonly types: readonly InstanceType[];
  readonly pods: readonly ObservedPod[];
  /** Further annotations of the claim: fingerprints of its pool and class, the claims that it replaces. */
  readonly annotations?: Labels | undefined;
  /** It was planned without minValues, which it keeps as far as it can. */
  readonly relaxesMinValues?: boolean | undefined;
}

export interface ClaimDraft extends WantedClaim {
  readonly claim: NewNodeClaim;
}

/** What claims are named with, besides the pool. */
const SUFFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const SUFFIX_LENGTH = 5;
/** Names are values of tags and labels too. */
const LONGEST_NAME = 63;
const GROUP_LENGTH = 16;

/** Drafts in the order of the claims; `isTaken` tells names that are in use. */
export function draftClaims(
  wanted: readonly WantedClaim[],
  random: Random,
  isTaken: (name: string) => boolean,
): readonly ClaimDraft[] {
  const names = new Set<string>();
  const groups = new Map<string, { readonly id: string; size: number }>();
  const grouped = wanted.map((item) => {
    const key = groupKey(item.planned);
    const group = groups.get(key) ?? { id: random.hex(GROUP_LENGTH), size: 0 };
    group.size++;
    groups.set(key, group);
    return { item, group };
  });
  return grouped.map(({ item, group }) => {
    const name = newName(item.pool.name, random, (candidate) => names.has(candidate) || isTaken(candidate));
    names.add(name);
    return { ...item, claim: newClaim(name, item, group) };
  });
}

/**
 * Equal for claims that any instance of one launch can serve; how much their pods request may differ, but not of which extended
 * resources: instances can be launched with devices or without.
 */
function groupKey({
  nodePool,
  instanceTypes,
  zones,
  capacityTypes,
  chosenLabels,
  requests,
}: PlannedClaim): string {
  const extended = [...requests].flatMap(([name, amount]) =>
    name.includes('/') && amount > 0 ? [name] : [],
  );
  return JSON.stringify([
    ...[nodePool, instanceTypes, zones, capacityTypes],
    ...[[...chosenLabels].sort(), extended.sort()],
  ]);
}

function newName(pool: string, random: Random, isTaken: (name: string) => boolean): string {
  const prefix = pool.slice(0, LONGEST_NAME - SUFFIX_LENGTH - 1).replace(/[-.]+$/, '');
  for (;;) {
    const suffix = Array.from({ length: SUFFIX_LENGTH }, () => characterAt(random.next())).join('');
    const name = `${prefix}-${suffix}`;
    if (!isTaken(name)) return name;
  }
}

function characterAt(chance: number): string {
  return SUFFIX_ALPHABET.charAt(Math.floor(chance * SUFFIX_ALPHABET.length));
}

function newClaim(
  name: string,
  { planned, pool, types, annotations, relaxesMinValues = false }: WantedClaim,
  group: { readonly id: string; readonly size: number },
): NewNodeClaim {
  const { template } = pool;
  const asked = claimRequirements(planned, pool, types);
  const requirements = relaxesMinValues ? withReachedMinValues(asked, planned, types) : asked;
  const isRelaxed = requirements.some((item, index) => item.minValues !== asked[index]?.minValues);
  return {
    name,
    labels: new Map([...template.labels, ...planned.chosenLabels, [NODEPOOL, pool.name]]),
    annotations: new Map([
      ...template.annotations,
      ...(annotations ?? []),
      ...(isRelaxed ? [[MIN_VALUES_RELAXED_ANNOTATION, 'true'] as const] : []),
      [LAUNCH_GROUP_ANNOTATION, group.id],
      [LAUNCH_GROUP_SIZE_ANNOTATION, String(group.size)],
    ]),
    spec: {
      nodePool: pool.name,
      nodeClassRef: template.nodeClassRef,
      requirements,
      taints: template.taints,
      startupTaints: template.startupTaints,
      requests: planned.requests,
      expireAfterSeconds: template.expireAfterSeconds,
      terminationGracePeriodSeconds: template.terminationGracePeriodSeconds,
    },
  };
}

/**
 * The pool's own requirements, narrowed to what the plan lists. Instance types keep their rank, minValues are kept.
 * `types` are those of the pool's node class.
 */
function claimRequirements(
  planned: PlannedClaim,
  pool: NodePool,
  types: readonly InstanceType[],
): readonly Requirement[] {
  const result = new Map(requirementsOf(pool.template.requirements));
  const narrow = (key: string, values: readonly string[]): void => {
    if (values.length > 0) result.set(key, requirement(key, 'In', values, result.get(key)?.minValues));
  };
  const listed = new Set(planned.instanceTypes);
  const chosen = types.filter(({ name }) => listed.has(name));
  narrow(INSTANCE_TYPE, planned.instanceTypes);
  narrow(ZONE, planned.zones);
  narrow(CAPACITY_TYPE, planned.capacityTypes);
  for (const key of [ARCH, OS]) narrow(key, valuesOf(chosen, key));
  for (const [key, value] of planned.chosenLabels) narrow(key, [value]);
  narrow(NODEPOOL, [pool.name]);
  return [...result.values()];
}

/** The requirements with minValues of no more than what the plan lists has. */
function withReachedMinValues(
  requirements: readonly Requirement[],
  planned: PlannedClaim,
  types: readonly InstanceType[],
): readonly Requirement[] {
  const listed = offeringLabels(planned, types);
  return requirements.map((item) => {
    const short = minValuesShortfall(new Map([[item.key, item]]), listed);
    return short === undefined ? item : { ...item, minValues: short.found };
  });
}

/** Labels that nodes of each listed offering would have. */
function offeringLabels(
  { instanceTypes, zones, capacityTypes }: PlannedClaim,
  types: readonly InstanceType[],
): readonly LabelLookup[] {
  const listed = new Set(instanceTypes);
  return types
    .filter(({ name }) => listed.has(name))
    .flatMap(({ labels, offerings }) =>
      offerings
        .filter(({ zone, capacityType }) => zones.includes(zone) && capacityTypes.includes(capacityType))
        .map((offering) => new Map([...labels, ...placeLabels(offering)])),
    );
}

function valuesOf(types: readonly InstanceType[], key: string): readonly string[] {
  return [...new Set(types.flatMap(({ labels }) => labels.get(key) ?? []))].sort();
}
