/** Gangs: nothing is launched for a part of one, and none of its pods is bound before all have room. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { World } from '../world.js';

const MEMBERS = 4;
/** Pods of this group are a gang of all four. */
const TOGETHER = (group: string) => ({
  'pod-group.scheduling.sigs.k8s.io/name': group,
  'pod-group.scheduling.sigs.k8s.io/min-available': String(MEMBERS),
});
/** More than half of an m5.large, which has two cpus. */
const ALONE = { cpu: '1500m' };

/** kube-controller-manager takes it off up to five seconds after the node is Ready; pods tolerate it meanwhile. */
const TOLERATED = 'node.kubernetes.io/not-ready=:NoExecute';

export const GANGS: readonly ScenarioCase[] = [
  { name: 'a gang that the limits have no room for launches nothing, and all once they have', run: limited },
  { name: 'no pod of a gang is bound to a node with room before the others have theirs', run: heldBack },
  {
    name: 'a gang is planned again when a node that holds room for one of its pods is cordoned while it waits for the others',
    run: cordoned,
  },
];

async function limited(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('gang-limited');
  await scenario.given(nodeClass(), pool.manifest({ spec: { limits: { cpu: '6' } } }));
  await scenario.whenApplied(gang(pool, 'limited-gang'));
  await scenario.expectDecision('Pod/default/limited-gang', 'Refuse', 'GangUnplaceable');
  await scenario.expectQuiet(60, { pools: [pool.name], namespaces: ['default'] });
  expect(pool.instances(world)).toEqual([]);
  await scenario.whenApplied(pool.manifest({ spec: { limits: { cpu: '8' } } }));
  await scenario.expectScheduled({ app: 'limited-gang', pods: MEMBERS });
  await pool.expectSettled(world, MEMBERS);
}

async function heldBack(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('gang-held');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ name: 'gang-first', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'gang-first', pods: 1 });
  const [first] = await pool.expectSettled(world, 1);
  await scenario.whenApplied(gang(pool, 'held-gang', { cpu: '1100m' }));
  const readyAtFirst = await world.until(
    'some pod of the gang is bound',
    async () => {
      const bound = (await pool.podsOf(world, 'held-gang')).filter(({ nodeName }) => nodeName !== undefined);
      const nodes = (await world.nodes()).filter(({ labels }) => labels['scenario'] === pool.name);
      const ready = nodes.filter((node) => node.ready && node.taints.every((taint) => taint === TOLERATED));
      return bound.length > 0 && ready.map(({ name }) => name);
    },
    60,
  );
  expect(readyAtFirst).toHaveLength(MEMBERS);
  expect(readyAtFirst).toContain(first?.nodeName);
  const pods = await scenario.expectScheduled({ app: 'held-gang', pods: MEMBERS });
  expect(pods.map(({ nodeName }) => nodeName)).toContain(first?.nodeName);
}

async function cordoned(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('gang-cordoned');
  // The cordoned node is left as it is.
  const spec = { disruption: { consolidateAfter: 'Never' } };
  await scenario.given(nodeClass(), pool.manifest({ spec }));
  await scenario.whenApplied(deployment({ name: 'gang-there', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'gang-there', pods: 1 });
  const [there] = await pool.expectSettled(world, 1);
  const name = there?.nodeName ?? '';
  await scenario.whenApplied(gang(pool, 'cordoned-gang', { cpu: '1100m' }));
  await world.until(
    'room for a pod of the gang is held on the node that is there',
    async () => {
      const waiting = await pool.podsOf(world, 'cordoned-gang');
      const plans = await world.plans();
      const places = waiting.flatMap(({ uid }) => plans.get(uid)?.targets ?? []);
      return places.includes(`Node/${name}`) || places.includes(`NodeClaim/${there?.name ?? ''}`);
    },
    60,
  );
  await scenario.whenApplied({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { unschedulable: true },
  });
  const again = { app: 'cordoned-gang', pods: MEMBERS, whereFirstPlanned: false };
  const pods = await scenario.expectScheduled(again);
  expect(pods.map(({ nodeName }) => nodeName)).not.toContain(name);
}

function gang(pool: OwnPool, name: string, requests = ALONE) {
  return deployment({ name, replicas: MEMBERS, requests, labels: TOGETHER(name), pod: pool.wanted() });
}
