/** What the cloud is asked for, as a function of the claims and the durable record alone: asked again, it is the same text. */
import { createHash } from 'node:crypto';
import { CAPACITY_TYPE, NODEPOOL, type Labels } from '../../../domain/values/labels.js';
import {
  UNREGISTERED_TAINT,
  type LaunchRequest,
  type LaunchStatus,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import {
  launchTags,
  type CloudInstance,
  type ClusterIdentity,
  type LaunchCall,
  type LaunchIntent,
} from '../../../ports/cloud.js';

export interface TokenParts {
  readonly clusterUID: string;
  readonly group: string;
  readonly attempt: number;
  /** Of the first claim: a group's name that is used again must not find the instances of the one before. */
  readonly claimUID: string;
}

/** The ClientToken of an attempt: 64 ASCII characters, as LAUNCH_TOKEN has them. */
export function launchToken({ clusterUID, group, attempt, claimUID }: TokenParts): string {
  return sha256(JSON.stringify([clusterUID, group, attempt, claimUID]));
}

/** A fingerprint of a request, to tell people and tests that it did not change. */
export function requestHash(request: LaunchRequest): string {
  const tags = request.tags && [...request.tags].sort(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify({ ...request, tags })).slice(0, 16);
}

/** What the nodes of these claims register with. */
export function launchLabels(
  { labels, spec }: NodeClaim,
  { capacityType }: Pick<LaunchRequest, 'capacityType'>,
): Labels {
  return new Map([...labels, [NODEPOOL, spec.nodePool], [CAPACITY_TYPE, capacityType]]);
}

/** The pool's taints, the start-up taints, and the one that keeps pods away until Berth has seen the node. */
export function launchTaints({ spec }: NodeClaim): LaunchIntent['taints'] {
  return [...spec.taints, ...spec.startupTaints, UNREGISTERED_TAINT];
}

/** The call of an attempt for any of its claims. */
export function launchCall(
  claim: NodeClaim,
  launch: { readonly group: string; readonly token: string; readonly request: LaunchRequest },
  cluster: ClusterIdentity,
): LaunchCall {
  return {
    token: launch.token,
    request: launch.request,
    tags: launchTags(cluster, { nodePool: claim.spec.nodePool, group: launch.group }),
    labels: launchLabels(claim, launch.request),
    taints: launchTaints(claim),
  };
}

/** Offerings of a request that people are still shown where it is not kept whole. */
const MOST_KEPT = 12;

/**
 * What every claim has of a request: sixty types in three zones would be written and watched with each change of the claim for
 * the rest of its life. The first offerings stay, for people, and the one that was launched, where there is an instance.
 */
export function shortRequest(
  request: LaunchRequest,
  launched?: Pick<CloudInstance, 'instanceType' | 'zone'>,
): LaunchRequest {
  const chosen = request.overrides.findIndex(
    (override) => override.instanceType === launched?.instanceType && override.zone === launched.zone,
  );
  const overrides = request.overrides.filter((_, index) => index < MOST_KEPT || index === chosen);
  return { ...request, overrides };
}

/** The launch as a claim of the group has it that does not keep the request. */
export function memberLaunch(launch: LaunchStatus, keeper: string): LaunchStatus {
  return { ...launch, request: shortRequest(launch.request), requestKeptBy: keeper };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
