/** NodeClaims of berth.sh/v1. */
import { CAPACITY_TYPES, type CapacityType } from '../../domain/instance-type.js';
import {
  RESERVED_MARKETS,
  TERMINATION_FINALIZER,
  type LaunchOverride,
  type LaunchRequest,
  type LaunchStatus,
  type NodeClaim,
  type NodeClaimSpec,
  type NodeClaimStatus,
} from '../../domain/node-claim.js';
import type { NodeClassRef } from '../../domain/node-pool.js';
import type { JsonObject } from '../../domain/policy.js';
import type { ResourceList } from '../../domain/resources.js';
import type { Decoded } from '../kubernetes/finding.js';
import {
  choice,
  field,
  integer,
  list,
  mapped,
  message,
  object,
  optionalChoiceOf,
  optionalObject,
  optionalTextOf,
  optionalTexts,
  price,
  text,
  textOrEmpty,
  time,
  withDefault,
  type Codec,
} from './codec.js';
import { AGE, berthKind, conditionColumn, IMMUTABLE } from './kind.js';
import { conditions, duration, MOST_MESSAGE, requirements, resources, taints } from './values.js';

const NAME = { minLength: 1, maxLength: 253 };
const SHORT_NAME = { minLength: 1, maxLength: 63 };
const REQUIRED = { isRequired: true };

interface SpecJson extends Omit<
  NodeClaimSpec,
  'requests' | 'expireAfterSeconds' | 'terminationGracePeriodSeconds'
> {
  readonly resources: { readonly requests: ResourceList };
  readonly expireAfter: number | undefined;
  readonly terminationGracePeriod: number | undefined;
}

const specJson = object<SpecJson>(
  {
    nodePool: field('Name of the NodePool that allows the machine.', text(SHORT_NAME)),
    nodeClassRef: field(
      'The node class that says how the machine is launched.',
      object<NodeClassRef>({
        group: field('API group of the node class.', text(NAME)),
        kind: field('Kind of the node class.', text(SHORT_NAME)),
        name: field('Name of the node class.', text(NAME)),
      }),
    ),
    requirements: field(
      'What the machine may be; all entries must hold, also several on one key. Values of node.kubernetes.io/instance-type are ranked, cheapest first.',
      requirements,
      REQUIRED,
    ),
    taints: field('Taints of the node.', taints),
    startupTaints: field(
      'Taints that another component removes once the node has started; the node is not Initialized before.',
      taints,
    ),
    resources: field(
      'What the machine is for.',
      object({
        requests: field('What its pods and DaemonSets ask for together.', resources, REQUIRED),
      }),
    ),
    expireAfter: field(
      'Age at which the node is replaced, such as 720h, or Never.',
      duration({ orNever: true }),
      REQUIRED,
    ),
    terminationGracePeriod: field(
      'Longest time that draining the node may take; after it pods are deleted whatever their budgets say.',
      duration({ orNever: false }),
    ),
  },
  { validations: [IMMUTABLE] },
);

const spec: Codec<NodeClaimSpec> = mapped(specJson, {
  read: ({ resources: { requests }, expireAfter, terminationGracePeriod, ...rest }) => ({
    ...rest,
    requests,
    expireAfterSeconds: expireAfter,
    terminationGracePeriodSeconds: terminationGracePeriod,
  }),
  write: ({ requests, expireAfterSeconds, terminationGracePeriodSeconds, ...rest }) => ({
    ...rest,
    resources: { requests },
    expireAfter: expireAfterSeconds,
    terminationGracePeriod: terminationGracePeriodSeconds,
  }),
});

const override = object<LaunchOverride>({
  instanceType: field('Instance type.', text(SHORT_NAME)),
  zone: field('Availability zone.', text(SHORT_NAME)),
  price: field('USD per hour.', withDefault(price({ minimum: 0 }), 0), REQUIRED),
  imageID: field('Machine image for the architecture of the type.', textOrEmpty({ maxLength: 253 })),
  subnetID: field('Subnet that the machine is started in.', optionalTextOf({ maxLength: 253 })),
  launchTemplate: field(
    'Launch template that the machine is made from.',
    optionalObject(
      object<{ readonly id: string; readonly version: string }>({
        id: field('Its identity.', text(NAME)),
        version: field('Its version.', text(SHORT_NAME)),
      }),
    ),
  ),
});

const request = object<LaunchRequest>({
  capacityType: field(
    'How the machine is paid for.',
    withDefault<CapacityType>(choice(CAPACITY_TYPES), 'on-demand'),
  ),
  size: field('Machines wanted.', withDefault(integer({ minimum: 1 }), 1), REQUIRED),
  overrides: field(
    'What may be launched, in the order of preference.',
    list(override, { maxItems: 1000 }),
    REQUIRED,
  ),
  tags: field(
    "What the node class wants on the machine, beside the controller's own tags.",
    optionalTexts({ maxProperties: 50, maxLength: 256 }),
  ),
  market: field(
    'Where reserved capacity is a market of its own. Absent for capacity that EC2 counts as on-demand.',
    optionalChoiceOf(RESERVED_MARKETS),
  ),
  context: field(
    'Reserved field of EC2, handed on as the node class has it.',
    optionalTextOf({ maxLength: 1024 }),
  ),
});

/** Exactly what was asked of the cloud, so that it can be asked again. */
const launch = object<LaunchStatus>({
  group: field('The launch group; its machines bear it as the tag berth.sh/launch-group.', text(NAME)),
  attempt: field('Counted from 1.', withDefault(integer({ minimum: 1 }), 1), REQUIRED),
  token: field(
    'Client token, a function of group and attempt; the same one gives the same machines.',
    text({ minLength: 1, maxLength: 64 }),
  ),
  requestHash: field('Hash of the request.', text({ minLength: 1, maxLength: 128 })),
  request: field('Exactly what is asked for, repeated when the answer was lost.', request),
  answeredAt: field('When the cloud answered. Absent while that is not known.', time),
  error: field(
    'What the answer complained about, when it launched nothing for this claim.',
    optionalMessage(),
  ),
});

function optionalMessage(): Codec<string | undefined> {
  const whole = message(MOST_MESSAGE);
  const write = (value: string | undefined): unknown =>
    value === undefined ? undefined : whole.write(value);
  return { ...optionalTextOf({}), schema: whole.schema, write };
}

const status = object<NodeClaimStatus>(
  {
    launch: field(
      'The launch of the group of equal claims that this one belongs to, written before the cloud is asked.',
      optionalObject(launch),
    ),
    providerID: field(
      'The machine, as its node names it in spec.providerID.',
      optionalTextOf({ maxLength: 253 }),
    ),
    nodeName: field('The node that the machine became.', optionalTextOf({ maxLength: 253 })),
    instanceType: field('Instance type of the machine.', optionalTextOf({ maxLength: 63 })),
    zone: field('Availability zone of the machine.', optionalTextOf({ maxLength: 63 })),
    capacityType: field('How the machine is paid for.', optionalChoiceOf(CAPACITY_TYPES)),
    hourlyPrice: field('What the machine costs, in USD per hour.', price({ minimum: 0 })),
    imageID: field('Image of the machine.', optionalTextOf({ maxLength: 253 })),
    capacity: field('What the machine has.', resources),
    allocatable: field('What it leaves to pods.', resources),
    conditions: field(
      'Launched, Registered, Initialized and Ready, in this order; Consolidatable, Drifted, Expired, Unhealthy and Interrupted where they may have it taken away; Drained, VolumesDetached and InstanceTerminating while it goes.',
      conditions,
    ),
    lastPodEventTime: field('When a pod last came to its node or left it.', time),
    disruption: field(
      'Set once it is decided that the node goes; from then on it gets no pods.',
      optionalObject(
        object<NonNullable<NodeClaimStatus['disruption']>>({
          reason: field('Why it goes.', text({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z]+$' })),
          // A disruption whose time cannot be read is one all the same: the node must not get pods.
          decidedAt: field('When that was decided.', withDefault(time, 0), REQUIRED),
        }),
      ),
    ),
  },
  { isOptional: true },
);

export const nodeClaimKind = berthKind<NodeClaimSpec, NodeClaimStatus>({
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  shortName: 'bnc',
  about:
    'One machine asked for. Berth writes it before the cloud is called, and takes it away once the machine is gone.',
  description:
    'NodeClaim is one machine asked for. It exists before the cloud is called, and as long as the machine does.',
  selectableFields: ['.spec.nodePool', '.spec.nodeClassRef.name', '.status.nodeName', '.status.providerID'],
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.status.instanceType' },
    { name: 'Capacity', type: 'string', jsonPath: '.status.capacityType' },
    { name: 'Zone', type: 'string', jsonPath: '.status.zone' },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName' },
    conditionColumn('Ready'),
    conditionColumn('Drifted'),
    AGE,
    { name: 'ImageID', type: 'string', jsonPath: '.status.imageID', isWide: true },
    { name: 'ID', type: 'string', jsonPath: '.status.providerID', isWide: true },
    { name: 'NodePool', type: 'string', jsonPath: '.spec.nodePool', isWide: true },
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.nodeClassRef.name', isWide: true },
    { name: 'Disrupted', type: 'string', jsonPath: '.status.disruption.reason', isWide: true },
  ],
  spec: field(
    'What is asked for. It never changes; a claim that cannot be had is deleted, and its pods are planned again.',
    spec,
  ),
  status: field('How far the machine is.', status),
});

/** The object that is created for a claim: with the finalizer, without a status. */
export function encodeNewNodeClaim(
  claim: Pick<NodeClaim, 'name' | 'labels' | 'annotations' | 'spec'>,
): JsonObject {
  const { name, labels, annotations } = claim;
  return nodeClaimKind.encode({ name, labels, annotations, finalizers: [TERMINATION_FINALIZER] }, claim.spec);
}

/** The whole object. */
export function encodeNodeClaim(claim: NodeClaim): JsonObject {
  return nodeClaimKind.encode(claim, claim.spec, claim.status);
}

/** Decodes a claim; what its specification or status lacks is reported and left empty. Never throws. */
export function decodeNodeClaim(json: unknown): Decoded<NodeClaim> {
  return nodeClaimKind.decode(json, ({ meta, ...parts }) => ({ ...meta, ...parts }));
}
