/** The fields of API objects that the record and its judges read. */
import type { KubeObject } from '../../../../world/kubernetes/objects/kube-object.js';
import type { Condition, Pod } from '../../../../world/cluster/objects.js';

export const DISRUPTED = 'karpenter.sh/disrupted';
export const POOL = 'karpenter.sh/nodepool';
export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const INITIALIZED = 'karpenter.sh/initialized';

export interface RawNode extends KubeObject {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface RawClaim extends KubeObject {
  readonly spec: { readonly nodePool: string; readonly terminationGracePeriod?: string };
  readonly status?: {
    readonly providerID?: string;
    readonly nodeName?: string;
    readonly conditions?: readonly Condition[];
    readonly disruption?: { readonly reason: string; readonly decidedAt?: string };
  };
}

/** `i-…`; '' before it is launched. */
export function instanceIDOf(claim: RawClaim | undefined): string {
  return claim?.status?.providerID?.split('/').at(-1) ?? '';
}

export function hasCondition({ status }: RawNode | RawClaim | Pod, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}

export function isReady(object: RawNode | Pod): boolean {
  return hasCondition(object, 'Ready');
}

export function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isTainted({ spec }: RawNode): boolean {
  return spec?.taints?.some(({ key }) => key === DISRUPTED) ?? false;
}

export function isInitialized({ metadata }: RawNode): boolean {
  return metadata.labels?.[INITIALIZED] === 'true';
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function controllerOf({
  metadata,
}: KubeObject): { readonly kind: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isOfDaemonSet(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'DaemonSet';
}

export function protects(object: KubeObject): boolean {
  return object.metadata.annotations?.[DO_NOT_DISRUPT] === 'true';
}
