/** From objects of the API to what scenarios see of them, the same for every backend. */
import type {
  SeenClaim,
  SeenDecision,
  SeenEvent,
  SeenNode,
  SeenPod,
  SeenPolicy,
  SeenRequest,
} from './world.js';

interface Metadata {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly { readonly kind: string }[] | undefined;
  readonly deletionTimestamp?: string | undefined;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface Pod {
  readonly metadata: Metadata;
  readonly spec: { readonly nodeName?: string | undefined };
  readonly status: { readonly conditions?: readonly Condition[] | undefined };
}

interface Node {
  readonly metadata: Metadata;
  readonly spec: {
    readonly taints?:
      | readonly { readonly key: string; readonly value?: string | undefined; readonly effect: string }[]
      | undefined;
  };
  readonly status: { readonly conditions?: readonly Condition[] | undefined };
}

interface NodeClaim {
  readonly metadata: Metadata;
  readonly spec: { readonly nodePool: string };
  readonly status?:
    | {
        readonly nodeName?: string | undefined;
        readonly instanceType?: string | undefined;
        readonly zone?: string | undefined;
        readonly capacityType?: string | undefined;
        readonly hourlyPrice?: number | undefined;
        readonly imageID?: string | undefined;
        readonly disruption?: { readonly reason: string } | undefined;
        readonly conditions?: readonly Condition[] | undefined;
      }
    | undefined;
}

interface Reference {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

interface ProvisioningRequest {
  readonly metadata: Metadata;
  readonly status?:
    | {
        readonly conditions?: readonly Condition[] | undefined;
        readonly provisioningClassDetails?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
}

interface PolicyStatus {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** As core/v1 has it, or as events.k8s.io/v1 does. */
interface Event {
  readonly involvedObject?: Reference | undefined;
  readonly regarding?: Reference | undefined;
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly note?: string | undefined;
}

interface Decision {
  readonly metadata: { readonly name: string };
  readonly status?:
    { readonly phase?: string | undefined; readonly outcome?: string | undefined } | undefined;
  readonly spec: {
    readonly subject: Reference;
    readonly action: string;
    readonly reason: string;
    readonly message: string;
  };
}

export function seenPod({ metadata, spec, status }: Pod): SeenPod {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    labels: metadata.labels ?? {},
    nodeName: spec.nodeName,
    ready: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    ofDaemonSet: metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') ?? false,
    refusal: scheduled?.status === 'False' ? (scheduled.message ?? '') : '',
  };
}

export function seenNode({ metadata, spec, status }: Node): SeenNode {
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: (spec.taints ?? []).map(({ key, value = '', effect }) => `${key}=${value}:${effect}`),
    ready: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
  };
}

export function seenClaim({ metadata, spec, status = {} }: NodeClaim): SeenClaim {
  const { nodeName, instanceType, zone, capacityType, hourlyPrice, imageID, conditions = [] } = status;
  return {
    name: metadata.name,
    nodePool: spec.nodePool,
    ...{ nodeName, instanceType, zone, capacityType, hourlyPrice, imageID },
    disruption: status.disruption?.reason,
    conditions: conditions.filter(({ status: is }) => is === 'True').map(({ type }) => type),
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

export function seenDecision({ metadata, spec, status }: Decision): SeenDecision {
  const { action, reason, message } = spec;
  const subject = subjectText(spec.subject);
  return { name: metadata.name, subject, action, reason, message, phase: status?.phase };
}

export function seenPolicy({ metadata, status }: PolicyStatus): SeenPolicy {
  return {
    name: metadata.name,
    conditions: (status?.conditions ?? []).map(({ type, status: is, reason = '', message = '' }) => ({
      type,
      status: is,
      reason,
      message,
    })),
  };
}

export function seenRequest({ metadata, status }: ProvisioningRequest): SeenRequest {
  return {
    name: metadata.name,
    conditions: (status?.conditions ?? []).map(
      ({ type, status: is, reason = '' }) => `${type}=${is} ${reason}`,
    ),
    schedulablePodSets: status?.provisioningClassDetails?.['schedulablePodSets'],
  };
}

export function seenEvent(event: Event): SeenEvent {
  const { involvedObject, regarding = involvedObject, type = '', reason = '', note, message = note } = event;
  return {
    subject: regarding === undefined ? '' : subjectText(regarding),
    type,
    reason,
    message: message ?? '',
  };
}

function subjectText({ kind, namespace = '', name }: Reference): string {
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
