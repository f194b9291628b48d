/** PolicyStatuses of berth.sh/v1. */
import type { Condition } from '../../domain/values/condition.js';
import {
  isPolicyKind,
  type AcceptedPolicy,
  type JsonObject,
  type PolicyKind,
  type PolicySource,
  type PolicyStatus,
} from '../../domain/policies/policy.js';
import type { PoolScale } from '../../domain/policies/pool-scale.js';
import {
  OBSERVATION_KIND,
  OBSERVATION_NAME,
  OBSERVATION_POLICY,
  type Observation,
  type ObservationContent,
} from '../../domain/records/observation.js';
import type { ResolvedObjects } from '../../domain/policies/resolved-objects.js';
import { NO_RESOURCES, type ResourceList } from '../../domain/values/resources.js';
import { plainObject } from '../decode/plain.js';
import { hasObject, member, refuse, refuseMissing } from '../kubernetes/object/field.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import { decodeAcceptedPolicy } from './accepted-policy.js';
import { field, integer, object, optionalObject, text, textOf, validated, type Codec } from './codec.js';
import { AGE, berthKind, conditionColumn, type BerthMeta } from './kind.js';
import { observation } from './observation.js';
import { resolvedObjects } from './resolved-objects.js';
import { conditions, resources } from './values.js';

const NAME = text({ minLength: 1, maxLength: 253 });
/** The kinds of all clouds, so that a new one needs no other definition. */
const POLICY_KIND = '^(NodePool|NodeOverlay|PodDefaults|Observation|[A-Za-z0-9]*NodeClass)$';

type StatusKind = PolicyKind | typeof OBSERVATION_KIND;

interface PolicyRef {
  readonly kind: StatusKind | undefined;
  readonly name: string;
}

/** Any object, kept as it is; undefined where there is none. */
const document: Codec<JsonObject | undefined> = {
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  isRequired: true,
  read: (at) => {
    const value = plainObject(at.value);
    if (value === undefined && !hasObject(at) && at.value === undefined) refuseMissing(at);
    return value;
  },
  write: (value) => value,
};

interface AcceptedJson {
  readonly source: PolicySource;
  readonly hash: string;
  readonly document: JsonObject | undefined;
}

const acceptedJson = object<AcceptedJson>({
  source: field(
    'Source of the version.',
    object<PolicySource>({
      configMap: field('Name of the ConfigMap.', NAME),
      key: field('Key of its data.', NAME),
    }),
  ),
  hash: field('Hash of the document.', text({ minLength: 1, maxLength: 128 })),
  document: field('The document, converted to its newest API version, without defaults.', document),
});

/** The document is kept even where this version of Berth cannot read it, so that another one may. */
const accepted: Codec<AcceptedPolicy | undefined> = validated(optionalObject(acceptedJson), {
  read: (json, at) => {
    if (json?.document === undefined) return undefined;
    const value = decodeAcceptedPolicy(json.document);
    if (value === undefined) refuse(member(at, 'document'), 'cannot be read by this version of Berth');
    return { ...json, document: json.document, value };
  },
  write: ({ source, hash, document: kept }: AcceptedPolicy) => ({ source, hash, document: kept }),
});

function isStatusKind(kind: string): kind is StatusKind {
  return kind === OBSERVATION_KIND || isPolicyKind(kind);
}

/** Absent for a dynamic pool and any other policy. */
const REPLICAS = integer({ format: 'int32', minimum: 0 });

interface Spec extends Partial<PoolScale> {
  readonly policy: PolicyRef;
  readonly lastAccepted: AcceptedPolicy | undefined;
}

const spec = object<Spec>({
  policy: field(
    'The policy document.',
    object<PolicyRef>({
      kind: field(
        'Kind of the document; Observation for what --mode observe found, which has none.',
        textOf(POLICY_KIND, isStatusKind),
      ),
      name: field('Name of the document.', text({ minLength: 1, maxLength: 63 })),
    }),
  ),
  lastAccepted: field(
    'The last valid version. It stays active while the current version has errors.',
    accepted,
  ),
  replicas: field(
    'How many nodes a static NodePool is to have; kubectl scale changes it. It is set to spec.replicas of the policy whenever that is changed.',
    REPLICAS,
  ),
  policyReplicas: field(
    'spec.replicas of the policy that replicas was set under. While the policy says another number, replicas does not count.',
    REPLICAS,
  ),
});

interface Status {
  readonly nodes: number | undefined;
  readonly conditions: readonly Condition[];
  readonly driftedNodes: number | undefined;
  readonly observation: ObservationContent | undefined;
  readonly resolved: ResolvedObjects | undefined;
  readonly resources: ResourceList;
}

const status = object<Status>(
  {
    conditions: field(
      'Conditions about the document and its references; Ready is their summary.',
      conditions,
    ),
    driftedNodes: field(
      'Number of NodeClaims of a NodePool with the condition Drifted; absent when there is none.',
      integer({ format: 'int64', minimum: 0 }),
    ),
    observation: field(
      'What Berth would have done and saved beside another system (--mode observe).',
      observation,
    ),
    nodes: field('Number of nodes of a static NodePool, as kubectl scale shows it.', REPLICAS),
    resolved: field('What a node class has selected in the cloud.', optionalObject(resolvedObjects)),
    resources: field('Total resources of the nodes of a NodePool; nodes is their number.', resources),
  },
  { isOptional: true },
);

export const policyStatusKind = berthKind<Spec, Status>({
  kind: 'PolicyStatus',
  plural: 'policystatuses',
  shortName: 'bpol',
  about:
    'What Berth made of one policy document. The document itself stands in a ConfigMap, which Berth never writes.',
  description:
    'PolicyStatus is the status of one policy document. When the document was removed, the annotation berth.sh/delete decides about its nodes, drain or orphan.',
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
  selectableFields: ['.spec.policy.kind', '.spec.policy.name'],
  columns: [
    { name: 'Kind', type: 'string', jsonPath: '.spec.policy.kind' },
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.lastAccepted.document.spec.template.spec.nodeClassRef.name',
    },
    { name: 'Nodes', type: 'string', jsonPath: '.status.resources.nodes' },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', isWide: true },
    { name: 'Drifted', type: 'integer', jsonPath: '.status.driftedNodes' },
    { name: 'Saving', type: 'number', jsonPath: '.status.observation.now.savingHourly', isWide: true },
    conditionColumn('Ready'),
    AGE,
    { name: 'Weight', type: 'integer', jsonPath: '.spec.lastAccepted.document.spec.weight', isWide: true },
    { name: 'CPU', type: 'string', jsonPath: '.status.resources.cpu', isWide: true },
    { name: 'Memory', type: 'string', jsonPath: '.status.resources.memory', isWide: true },
  ],
  validations: [
    {
      rule: "self.metadata.name == self.spec.policy.kind.lowerAscii() + '.' + self.spec.policy.name",
      message: 'metadata.name must be <kind of the policy in lower case>.<name of the policy>',
    },
  ],
  spec: field('The policy document and its active version.', spec),
  status: field('Observed state of the policy.', status),
});

type Content = Pick<
  PolicyStatus,
  | 'name'
  | 'kind'
  | 'policy'
  | 'lastAccepted'
  | 'scale'
  | 'conditions'
  | 'resources'
  | 'driftedNodes'
  | 'resolved'
>;

/** The object. Of identity and version it says as much as it is given. */
export function encodePolicyStatus(content: Content & BerthMeta): JsonObject {
  const { kind, policy, lastAccepted, scale, driftedNodes } = content;
  const drifted = driftedNodes === 0 ? undefined : driftedNodes;
  return policyStatusKind.encode(
    content,
    { policy: { kind, name: policy }, lastAccepted, ...scale },
    {
      nodes: scale && (content.resources.get('nodes') ?? 0),
      conditions: content.conditions,
      driftedNodes: drifted,
      observation: undefined,
      resolved: content.resolved,
      resources: content.resources,
    },
  );
}

/** Decodes a status; undefined when it is about no policy, or does not say which. Never throws. */
export function decodePolicyStatus(json: unknown): Decoded<PolicyStatus> {
  return policyStatusKind.decode(json, ({ meta, spec: own, status: seen }) => {
    const { policy, lastAccepted, replicas, policyReplicas } = own;
    const { name, uid, resourceVersion, annotations } = meta;
    const { kind, name: policyName } = policy;
    if (kind === undefined || kind === OBSERVATION_KIND || policyName === '') return undefined;
    const { conditions: found, resources: amounts, resolved, driftedNodes = 0 } = seen;
    return {
      conditions: found,
      resources: amounts,
      driftedNodes,
      ...(resolved && { resolved }),
      name,
      uid,
      resourceVersion,
      annotations,
      kind,
      policy: policyName,
      lastAccepted,
      ...(replicas !== undefined && policyReplicas !== undefined && { scale: { replicas, policyReplicas } }),
    };
  });
}

/** The PolicyStatus that an observation is kept in. Of identity and version it says as much as it is given. */
export function encodeObservation(content: ObservationContent, meta: Partial<BerthMeta> = {}): JsonObject {
  const policy = { kind: OBSERVATION_KIND, name: OBSERVATION_POLICY } as const;
  return policyStatusKind.encode(
    { ...meta, name: OBSERVATION_NAME },
    { policy, lastAccepted: undefined },
    {
      nodes: undefined,
      conditions: [],
      driftedNodes: undefined,
      observation: content,
      resolved: undefined,
      resources: NO_RESOURCES,
    },
  );
}

/** Decodes that PolicyStatus; undefined where it is another one, or has no observation yet. Never throws. */
export function decodeObservation(json: unknown): Decoded<Observation> {
  return policyStatusKind.decode(json, ({ meta: { name, uid, resourceVersion }, status: seen }) => {
    return seen.observation && { ...seen.observation, name, uid, resourceVersion };
  });
}
