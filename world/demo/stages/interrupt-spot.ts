/** The fourth stage: EC2 takes a spot instance back with two minutes' warning, and its pods are elsewhere before it is gone. */
import { counted } from '../../../src/domain/values/text.js';
import { instanceID, type NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import { isCalm, livePods, readyClaims } from './cluster-view.js';
import { finding, type Finding, type Stage, type StageContext } from './stage.js';

/** Two minutes of warning, the instance's end, and its replacement's boot. */
const MOST_SECONDS = 420;

export const INTERRUPT_SPOT: Stage = {
  name: 'interrupt',
  announcement: 'EC2 interrupts a spot instance, with two minutes of notice',
  run,
};

async function run(context: StageContext): Promise<readonly Finding[]> {
  const { cluster, levers, say } = context;
  const victim = busiestSpotClaim(cluster);
  if (victim?.status.providerID === undefined)
    return [finding('spot nodes with pods', 'at least one', 'none')];
  const id = instanceID(victim.status.providerID);
  const isAlive = (): boolean =>
    levers.instances().some((instance) => instance.id === id && instance.state === 'running');
  const pods = podsOf(cluster, victim).length;
  const hurried = levers.hurriedPods().length;
  const stranded = levers.strandedPods().length;
  const replaced = liveBefore(cluster);
  say(
    'warning',
    `${victim.status.nodeName ?? victim.name}, ${victim.status.instanceType ?? '?'}, with ${counted(pods, 'pod')}`,
  );
  levers.interrupt(id);
  await context.until(
    MOST_SECONDS,
    () => !isAlive() && cluster.nodeClaims.get(victim.name) === undefined && isCalm(cluster),
  );
  const waiting = livePods(cluster).filter(({ nodeName }) => nodeName === undefined).length;
  const fresh = readyClaims(cluster).filter(({ name }) => !replaced.has(name)).length;
  return [
    finding(
      'pods still on the node when its instance was terminated',
      0,
      levers.strandedPods().length - stranded,
    ),
    finding('pods terminated before their grace period ended', 0, levers.hurriedPods().length - hurried),
    finding('the interrupted instance', 'ended', isAlive() ? 'runs' : 'ended'),
    { what: 'replacement instances', expected: 'at least 1', seen: String(fresh), isMet: fresh > 0 },
    finding('pods without a node', 0, waiting),
  ];
}

function liveBefore(cluster: Cluster): ReadonlySet<string> {
  return new Set([...cluster.nodeClaims.values()].map(({ name }) => name));
}

function podsOf(cluster: Cluster, { status }: NodeClaim): readonly unknown[] {
  return [...cluster.pods.values()].filter(
    ({ nodeName, owner }) =>
      nodeName !== undefined && nodeName === status.nodeName && owner?.kind !== 'DaemonSet',
  );
}

function busiestSpotClaim(cluster: Cluster): NodeClaim | undefined {
  const spot = readyClaims(cluster).filter(({ status }) => status.capacityType === 'spot');
  return spot.toSorted((left, right) => podsOf(cluster, right).length - podsOf(cluster, left).length)[0];
}
