/** Berth's NodeClaim of a node that it did not launch: as it would be if it had. */
import { decodeNodeClaim, encodeNodeClaim } from '../../apis/berth/node-claim.js';
import { formatDuration } from '../../apis/fields/duration.js';
import { hashAnnotations } from '../../controllers/fingerprint/template-hash.js';
import { ADOPTED_ANNOTATION, HANDOVER_ANNOTATION } from '../../domain/nodes/handover.js';
import { TERMINATION_FINALIZER, type NodeClaim } from '../../domain/nodes/node-claim.js';
import { offeringIn, type InstanceType } from '../../domain/nodes/instance-type.js';
import { TENANCIES, type Tenancy } from '../../domain/nodes/tenancy.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import {
  CAPACITY_TYPE,
  INSTANCE_TENANCY,
  INSTANCE_TYPE,
  NODEPOOL,
  ZONE,
} from '../../domain/values/labels.js';
import { PortError } from '../../ports/port-error.js';
import type { Adopted, HandoverNode } from './handover-node.js';

/** What of Berth the claim is made with. */
export interface ClaimTerms {
  readonly pool: NodePool;
  readonly nodeClass: NodeClass | undefined;
  /** Of the tenancy, or of the pool's own. */
  readonly typesOf: (tenancy?: Tenancy) => readonly InstanceType[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Karpenter's own, and of no use to Berth. */
const NODE_CLASS_LABEL = 'karpenter.k8s.aws/ec2nodeclass';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
/** A node whose expireAfter is nearly or wholly over stays for at least so long. */
const LEAST_SECONDS = 3600;

/** The claim with its status. @throws PortError Invalid, when the API server would not take it. */
export function ownClaim(it: HandoverNode, terms: ClaimTerms): NodeClaim {
  const { value, findings } = decodeNodeClaim({
    apiVersion: 'berth.sh/v1',
    kind: 'NodeClaim',
    metadata: metadataOf(it, terms),
    spec: specOf(it, terms),
    status: statusOf(it, terms),
  });
  const [finding] = findings;
  if (value !== undefined && finding === undefined) return value;
  throw new PortError('Invalid', {
    operation: `make NodeClaim ${it.name}`,
    message: JSON.stringify(finding ?? 'the NodeClaim of Karpenter cannot be read'),
  });
}

function metadataOf(it: HandoverNode, { pool, nodeClass }: ClaimTerms): JsonObject {
  const { theirs, node, name } = it;
  const labels = { ...theirs?.metadata.labels, [NODEPOOL]: pool.name };
  const { annotations = {} } = (theirs ?? node)?.metadata ?? {};
  const wish = annotations[DO_NOT_DISRUPT];
  return {
    name,
    finalizers: [TERMINATION_FINALIZER],
    labels: Object.fromEntries(Object.entries(labels).filter(([key]) => key !== NODE_CLASS_LABEL)),
    annotations: {
      ...Object.fromEntries(hashAnnotations(pool, nodeClass)),
      [HANDOVER_ANNOTATION]: 'adopting',
      [ADOPTED_ANNOTATION]: JSON.stringify(whatItWas(it)),
      ...(wish !== undefined && { [DO_NOT_DISRUPT]: wish }),
    },
  };
}

function specOf(it: HandoverNode, terms: ClaimTerms): JsonObject {
  const { template, name } = terms.pool;
  const source = it.theirs?.spec ?? {};
  return {
    nodePool: name,
    nodeClassRef: { ...template.nodeClassRef },
    requirements: source['requirements'] ?? requirementsOf(it),
    taints: source['taints'] ?? [],
    startupTaints: source['startupTaints'] ?? [],
    resources: { requests: requestsOf(source) },
    expireAfter: expireAfter(it, terms),
    terminationGracePeriod:
      source['terminationGracePeriod'] ?? durationText(template.terminationGracePeriodSeconds),
  };
}

/** Its status as JSON. */
export function statusJson(claim: NodeClaim): JsonObject {
  return encodeNodeClaim(claim)['status'] as JsonObject;
}

function whatItWas({ theirs }: HandoverNode): Adopted {
  if (theirs === undefined) return { from: 'nodegroup' };
  const { labels, annotations } = theirs.metadata;
  return {
    from: 'karpenter',
    nodeClaim: {
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      spec: theirs.spec ?? {},
      status: theirs.status ?? {},
    },
  };
}

/** What the instance is. */
function requirementsOf({ node }: HandoverNode): readonly JsonObject[] {
  const { labels = {} } = node?.metadata ?? {};
  return [INSTANCE_TYPE, ZONE, CAPACITY_TYPE, INSTANCE_TENANCY].flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
}

/** An instance that was not requested for pods was requested for none. */
function requestsOf(source: JsonObject): unknown {
  const { requests } = (source['resources'] ?? {}) as { readonly requests?: JsonObject };
  return requests !== undefined && Object.keys(requests).length > 0 ? requests : { pods: '0' };
}

/** The node expires when it would have: the claim begins to count now, the one that it replaces began long ago. */
function expireAfter({ theirs, node }: HandoverNode, { pool, now }: ClaimTerms): string {
  const seconds = pool.template.expireAfterSeconds;
  if (seconds === undefined) return 'Never';
  const created = Date.parse((theirs ?? node)?.metadata.creationTimestamp ?? '');
  const age = Number.isNaN(created) ? 0 : Math.max(0, Math.floor((now - created) / 1000));
  return formatDuration(Math.max(seconds - age, Math.min(seconds, LEAST_SECONDS)));
}

function durationText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : formatDuration(seconds);
}

const REACHED = ['Launched', 'Registered', 'Initialized', 'Ready'];

function statusOf(it: HandoverNode, { typesOf, now }: ClaimTerms): JsonObject {
  const { node, theirs, instance, providerID } = it;
  const kind = kindOf(it);
  const tenancy = TENANCIES.find((each) => each === node?.metadata.labels?.[INSTANCE_TENANCY]);
  const type = typesOf(tenancy).find(({ name }) => name === kind.instanceType);
  const offering = offeringIn(type, kind);
  const lastTransitionTime = new Date(now).toISOString();
  const { capacity, allocatable } = node?.status ?? {};
  return {
    ...{ providerID, ...kind, capacity, allocatable },
    nodeName: node?.metadata.name,
    hourlyPrice: offering?.price,
    imageID: theirs?.status?.['imageID'] ?? instance?.imageID,
    conditions: REACHED.map((type) => ({
      ...{ type, status: 'True', reason: type, message: '', lastTransitionTime },
    })),
  };
}

/** What the Node says of its instance; the cloud, where it says nothing. */
function kindOf({ node, instance }: HandoverNode): Readonly<Record<OfferingField, string | undefined>> {
  const { labels = {} } = node?.metadata ?? {};
  return {
    instanceType: labels[INSTANCE_TYPE] ?? instance?.instanceType,
    zone: labels[ZONE] ?? instance?.zone,
    capacityType: labels[CAPACITY_TYPE] ?? instance?.capacityType,
  };
}

type OfferingField = 'instanceType' | 'zone' | 'capacityType';
