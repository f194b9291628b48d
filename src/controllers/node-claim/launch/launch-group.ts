/** A launch group as its claims show it: which have an instance, which wait for an answer, which have none. */
import { isChangingHands } from '../../../domain/nodes/handover.js';
import {
  isLaunchOpen,
  LAUNCH_GROUP_SIZE_ANNOTATION,
  TERMINATION_FINALIZER,
  type LaunchStatus,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import type { Cluster } from '../../../state/cluster/cluster.js';

/** How many claims the group has, where its claims say so. */
export function declaredSize(claims: readonly NodeClaim[]): number | undefined {
  const sizes = claims.map(({ annotations }) => Number(annotations.get(LAUNCH_GROUP_SIZE_ANNOTATION)));
  return sizes.find((size) => Number.isInteger(size) && size > 0);
}

/** An attempt that was not answered yet. */
export interface OpenLaunch {
  /** With the whole request where `keeper` is known. */
  readonly launch: LaunchStatus;
  /** The claim that keeps the whole request; undefined when it was removed by force: the call cannot be repeated. */
  readonly keeper: string | undefined;
}

export interface LaunchGroup {
  readonly name: string;
  /** Those that are not leaving first, else by name. */
  readonly claims: readonly NodeClaim[];
  /** The attempt that was not answered yet, as far as its claims know. */
  readonly open: OpenLaunch | undefined;
  /** The highest attempt so far; 0 before the first. */
  readonly attempt: number;
}

export function launchGroup(cluster: Cluster, name: string): LaunchGroup {
  const members = [...cluster.claimsOfGroup(name)].sort(compareClaims);
  return {
    name,
    claims: members,
    open: openLaunch(members),
    attempt: Math.max(0, ...members.map(({ status }) => status.launch?.attempt ?? 0)),
  };
}

/** The answer is written to the keeper last, so it is open as long as any claim is. */
function openLaunch(members: readonly NodeClaim[]): OpenLaunch | undefined {
  const open = members.filter(isLaunchOpen);
  const launch = open[0]?.status.launch;
  if (launch === undefined) return undefined;
  const keeper = open.find(
    ({ status }) => status.launch?.token === launch.token && status.launch.requestKeptBy === undefined,
  );
  return { launch: keeper?.status.launch ?? launch, keeper: keeper?.name };
}

/** Claims of the group that take part in this attempt, answered or not. */
export function membersOf(group: LaunchGroup, { attempt }: LaunchStatus): readonly NodeClaim[] {
  return group.claims.filter(({ status }) => status.launch?.attempt === attempt);
}

/** Claims that want an instance and for which nothing is under way; without our finalizer nothing would end it again. */
export function waitingClaims({ claims }: LaunchGroup): readonly NodeClaim[] {
  return claims.filter(
    (claim) =>
      claim.deletionTimestamp === undefined &&
      claim.finalizers.includes(TERMINATION_FINALIZER) &&
      claim.status.providerID === undefined &&
      !isChangingHands(claim) &&
      !isLaunchOpen(claim),
  );
}

function compareClaims(left: NodeClaim, right: NodeClaim): number {
  const leaving =
    Number(left.deletionTimestamp !== undefined) - Number(right.deletionTimestamp !== undefined);
  if (leaving !== 0) return leaving;
  return left.name < right.name ? -1 : 1;
}
