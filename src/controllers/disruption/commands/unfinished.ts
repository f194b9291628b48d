/** Disruptions that were begun and not finished, as the claims show them. */
import { replacedBy, type NodeClaim } from '../../../domain/nodes/node-claim.js';
import { isMovable } from '../../../domain/pods/movable-pods.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { movedRoom } from '../../../state/ledger/owner-room.js';
import { isLeaving } from '../../../state/nodes/node-state.js';
import { ownerKeyOf } from '../../../state/cluster/owner-key.js';
import { decidedMethod, isForced } from './command.js';
import type { Begun } from './command-run.js';

export interface Unfinished extends Begun {
  /** Whether everything that the command needs is there: it can be gone on with. */
  readonly isWhole: boolean;
}

/** Marked claims that are not deleted and that no running command handles; those that share a replacement together. */
export function unfinished(cluster: Cluster, isRunning: (claim: string) => boolean): readonly Unfinished[] {
  const marked = [...cluster.nodeClaims.values()].filter(
    (claim) =>
      claim.deletionTimestamp === undefined && decidedMethod(claim) !== undefined && !isRunning(claim.name),
  );
  const groups = new Map<string, { claims: NodeClaim[]; replacements: NodeClaim[] }>();
  const replacements = [...cluster.nodeClaims.values()].filter(
    (claim) => replacedBy(claim).length > 0 && claim.deletionTimestamp === undefined,
  );
  for (const claim of marked) {
    const own = replacements.filter((replacement) => replacedBy(replacement).includes(claim.name));
    const key = own.map((replacement) => replacedBy(replacement).join(','))[0] ?? claim.name;
    const group = groups.get(key) ?? { claims: [], replacements: [] };
    groups.set(key, group);
    group.claims.push(claim);
    group.replacements.push(...own.filter((replacement) => !group.replacements.includes(replacement)));
  }
  return [...groups.values()].map(({ claims, replacements: own }) => begun(cluster, claims, own));
}

function begun(
  cluster: Cluster,
  claims: readonly NodeClaim[],
  replacements: readonly NodeClaim[],
): Unfinished {
  const areThere = replacements.every((claim) => !isLeaving(claim, cluster.nodeOfClaim(claim.name)));
  return {
    claims: claims.map(({ name }) => name),
    replacements: replacements.map(({ name }) => name),
    isForced: claims.every((claim) => isForced(cluster, claim, decidedMethod(claim)?.reason ?? '')),
    isHurried: claims.some((claim) => decidedMethod(claim)?.isUrgent === true),
    isWhole: replacements.length > 0 && areThere && isRoomHeld(cluster, claims, replacements),
  };
}

/** Whether room is held for all their pods, or some of them have begun to go, which they do only then. */
function isRoomHeld(
  cluster: Cluster,
  claims: readonly NodeClaim[],
  replacements: readonly NodeClaim[],
): boolean {
  const together = new Set(replacements.flatMap(replacedBy));
  const isAnyGone = [...together].some(
    (name) => cluster.nodeClaims.get(name)?.deletionTimestamp !== undefined,
  );
  if (isAnyGone || together.size > claims.length) return true;
  const needed = new Map<string, number>();
  for (const { status } of claims)
    for (const pod of cluster.podsOn(status.nodeName ?? '')) {
      const owner = isMovable(pod) ? ownerKeyOf(pod) : undefined;
      if (owner !== undefined) needed.set(owner, (needed.get(owner) ?? 0) + 1);
    }
  return [...needed].every(([owner, count]) => movedRoom(cluster, owner) >= count);
}
