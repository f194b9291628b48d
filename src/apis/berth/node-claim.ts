/** NodeClaims of berth.sh/v1. */
import { REBOOT_RESULTS, type ClaimReboot } from '../../domain/nodes/claim-reboot.js';
import { CAPACITY_TYPES } from '../../domain/nodes/instance-type.js';
import {
  TERMINATION_FINALIZER,
  type ClaimDisruption,
  type LaunchStatus,
  type NodeClaim,
  type NodeClaimSpec,
  type NodeClaimStatus,
} from '../../domain/nodes/node-claim.js';
import type { NodeClassRef } from '../../domain/policies/node-pool.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import {
  field,
  integer,
  mapped,
  message,
  object,
  optionalChoiceOf,
  optionalList,
  optionalObject,
  optionalTextOf,
  price,
  text,
  time,
  withDefault,
  type Codec,
} from './codec.js';
import { launchRequest } from './launch-request.js';
import { AGE, berthKind, conditionColumn, IMMUTABLE } from './kind.js';
import { conditions, duration, MOST_MESSAGE, requirements, resources, taints } from './values.js';

const NAME = { minLength: 1, maxLength: 253 };
const SHORT_NAME = { minLength: 1, maxLength: 63 };
const REQUIRED = { isRequired: true };

const spec = object<NodeClaimSpec>(
  {
    nodePool: field('Name of the NodePool of the instance.', text(SHORT_NAME)),
    nodeClassRef: field(
      'The node class that configures the launch.',
      object<NodeClassRef>({
        group: field('API group of the node class.', text(NAME)),
        kind: field('Kind of the node class.', text(SHORT_NAME)),
        name: field('Name of the node class.', text(NAME)),
      }),
    ),
    requirements: field(
      'Requirements on the instance; all must be met, also several for one key. Values of node.kubernetes.io/instance-type are ranked, cheapest first.',
      requirements,
      REQUIRED,
    ),
    taints: field('Taints of the node.', taints),
    startupTaints: field(
      'Taints that another component removes once the node has started; the node is not Initialized before.',
      taints,
    ),
    requests: field(
      'Resources that the instance is requested for.',
      mapped(
        object<Pick<NodeClaimSpec, 'requests'>>({
          requests: field('Total requests of its pods and DaemonSet pods.', resources, REQUIRED),
        }),
        { read: ({ requests }) => requests, write: (requests) => ({ requests }) },
      ),
      { name: 'resources' },
    ),
    expireAfterSeconds: field(
      'Age at which the node is replaced, such as 720h, or Never.',
      duration({ orNever: true }),
      { ...REQUIRED, name: 'expireAfter' },
    ),
    terminationGracePeriodSeconds: field(
      'Maximum time to drain the node; afterwards pods are deleted regardless of PodDisruptionBudgets.',
      duration({ orNever: false }),
      { name: 'terminationGracePeriod' },
    ),
  },
  { validations: [IMMUTABLE] },
);

/** Exactly what was asked of the cloud, so that it can be asked again. */
const launch = object<LaunchStatus>({
  group: field('The launch group; its instances have it as the tag berth.sh/launch-group.', text(NAME)),
  attempt: field('Number of the launch attempt, from 1.', withDefault(integer({ minimum: 1 }), 1), REQUIRED),
  token: field(
    'Client token, derived from group and attempt; the same token returns the same instances.',
    text({ minLength: 1, maxLength: 64 }),
  ),
  requestHash: field('Hash of the request.', text({ minLength: 1, maxLength: 128 })),
  request: field(
    'The exact request, sent again when the response was lost. On NodeClaims with requestKeptBy, and once an instance is known, only its first offerings and the one that was launched are kept.',
    launchRequest,
  ),
  requestKeptBy: field(
    'Name of the NodeClaim of the launch group that has the whole request. Absent on that NodeClaim.',
    optionalTextOf({ maxLength: 253 }),
  ),
  answeredAt: field('Time of the response of the cloud provider. Absent until it is known.', time),
  error: field('Error in the response, when no instance was launched for this NodeClaim.', optionalMessage()),
});

function optionalMessage(): Codec<string | undefined> {
  const whole = message(MOST_MESSAGE);
  const write = (value: string | undefined): unknown =>
    value === undefined ? undefined : (whole.write(value) ?? '');
  return { ...optionalTextOf({}), schema: whole.schema, write };
}

const reboot = object<ClaimReboot>({
  // A reboot whose time cannot be read is one all the same.
  requestedAt: field(
    'Time of the decision; the node is drained from then on.',
    withDefault(time, 0),
    REQUIRED,
  ),
  terminationGracePeriodSeconds: field(
    'Maximum time to drain the node; pods that are left then go down with it. Without it, the drain has no bound.',
    duration({ orNever: false }),
    { name: 'terminationGracePeriod' },
  ),
  askedAt: field('Time when the cloud provider was first asked, after the drain.', time),
  bootID: field(
    'Boot ID of the node before the reboot; a different one shows that the instance was rebooted.',
    optionalTextOf({ maxLength: 253 }),
  ),
  issuedAt: field('Time when the cloud provider accepted the reboot.', time),
  endedAt: field('Time when the reboot succeeded or failed. Absent while it is in progress.', time),
  result: field('Result of the reboot.', optionalChoiceOf(REBOOT_RESULTS)),
});

const status = object<NodeClaimStatus>(
  {
    launch: field(
      'Launch of the group of equal NodeClaims that this one belongs to, written before the cloud provider is called.',
      optionalObject(launch),
    ),
    providerID: field(
      'Provider ID of the instance, as in spec.providerID of its node.',
      optionalTextOf({ maxLength: 253 }),
    ),
    nodeName: field('Name of the node.', optionalTextOf({ maxLength: 253 })),
    instanceType: field('Instance type.', optionalTextOf({ maxLength: 63 })),
    zone: field('Availability zone.', optionalTextOf({ maxLength: 63 })),
    capacityType: field('Capacity type.', optionalChoiceOf(CAPACITY_TYPES)),
    hourlyPrice: field('Price of the instance in USD per hour.', price({ minimum: 0 })),
    imageID: field('Image of the instance.', optionalTextOf({ maxLength: 253 })),
    capacity: field('Total resources of the instance.', resources),
    allocatable: field('Resources that are allocatable to pods.', resources),
    conditions: field(
      'Launched, Registered, Initialized and Ready, in this order; ConsistentStateFound once the node is Initialized; Consolidatable, Drifted, Expired, Unhealthy and Interrupted when they may lead to disruption; Rebooting once the instance was to be rebooted; Drained, VolumesDetached and InstanceTerminating during termination.',
      conditions,
    ),
    lastPodEventTime: field(
      "Time when a pod was last added to or removed from the node. Written only where the NodePool's consolidateAfter is a time above 0s, and only when it would change by more than a quarter of that, or by 10 s where that is more.",
      time,
    ),
    disruption: field(
      'Set when the node is selected for disruption; from then on no pods are scheduled on it.',
      optionalObject(
        object<ClaimDisruption>({
          reason: field(
            'Reason of the disruption.',
            text({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z]+$' }),
          ),
          // A disruption whose time cannot be read is one all the same: the node must not get pods.
          decidedAt: field('Time of the decision.', withDefault(time, 0), REQUIRED),
          terminationGracePeriodSeconds: field(
            'Maximum time to drain the node for this reason, if it is shorter than that of the specification.',
            duration({ orNever: false }),
            { name: 'terminationGracePeriod' },
          ),
        }),
      ),
    ),
    reboots: field(
      'Reboots of the instance by node repair, the oldest first: those of the last 24 hours, and the last one.',
      optionalList(reboot, { maxItems: 10 }),
    ),
  },
  { isOptional: true },
);

export const nodeClaimKind = berthKind<NodeClaimSpec, NodeClaimStatus>({
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  shortName: 'bnc',
  about:
    'A request for one instance. Berth creates it before the cloud provider is called, and removes it after the instance is terminated.',
  description:
    'NodeClaim is a request for one instance. It is created before the cloud provider is called, and exists as long as the instance.',
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
    'The requested instance. It is immutable; a NodeClaim that cannot be launched is deleted, and its pods are planned again.',
    spec,
  ),
  status: field('Observed state of the instance.', status),
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
