/** Initialization: the node can hold what it was launched for. Until then nothing about it is taken for granted. */
import { currentReboot, lastRebootEnd } from '../../domain/nodes/claim-reboot.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { INITIALIZED } from '../../domain/values/labels.js';
import { formatTaint } from '../../domain/values/taint.js';
import type { Requeue } from '../../runtime/concurrency/work-queue.js';
import { isPassing, missingResource } from '../../state/nodes/node-state.js';
import { is, since, withConditions } from './claim-conditions.js';
import { consistencyOf, tellInconsistent } from './consistency.js';
import type { LifecycleContext } from './lifecycle-context.js';
import { recordClaim, settleClaim } from './record-claim.js';

/** One step; undefined when there is nothing to do before something changes. */
export async function initialize(
  { cluster, writer, clock, recorder, logger }: LifecycleContext,
  claim: NodeClaim,
  signal: AbortSignal,
): Promise<Requeue | undefined> {
  const node = cluster.nodeOfClaim(claim.name);
  if (node === undefined || is(claim, 'Initialized') || whatIsMissing(claim, node) !== undefined)
    return undefined;
  if (currentReboot(claim) !== undefined) return undefined;
  if (node.labels.get(INITIALIZED) !== 'true') {
    await writer.patchNode(node, { labels: { [INITIALIZED]: 'true' } }, signal);
    return undefined;
  }
  const now = clock.now();
  const { capacity, allocatable } = node;
  const consistency = consistencyOf(claim, node, claim.status.capacity);
  const conditions = withConditions(claim, [{ type: 'Initialized', status: 'True' }, consistency], now);
  await writer.updateStatus(claim, { capacity, allocatable, conditions }, signal);
  const rebooted = lastRebootEnd(claim);
  const seconds = Math.round((now - (rebooted ?? since(claim, 'Launched') ?? now)) / 1000);
  const after = rebooted === undefined ? 'launch' : 'reboot';
  logger.info('Initialized node', { nodeClaim: claim.name, node: node.name, seconds });
  recordClaim(recorder, claim, {
    action: 'Register',
    reason: 'Initialized',
    message: `initialized node ${node.name} ${String(seconds)} s after its ${after}`,
    trigger: 'Node',
    event: 'Normal',
  });
  tellInconsistent(recorder, claim, conditions);
  settleClaim(recorder, claim, 'Launch', `node ${node.name} was initialized after ${String(seconds)} s`);
  return undefined;
}

/** What the node still lacks, in words; undefined when it can hold pods. */
export function whatIsMissing(claim: NodeClaim, node: ObservedNode): string | undefined {
  if (!node.ready) return 'the node is not Ready';
  const taint = node.taints.find((present) => isPassing(present, claim.spec.startupTaints));
  if (taint !== undefined) return `the taint ${formatTaint(taint)}`;
  const resource = missingResource(node, claim.spec.requests);
  return resource === undefined ? undefined : `the resource ${resource}`;
}
