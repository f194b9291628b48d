/** NodePools with replicas: how many nodes they have, and which go when there are too many. */
import { requirement } from '../../../../../src/domain/values/requirement.js';
import type { Condition } from '../../../../../src/domain/values/condition.js';
import type { JsonObject } from '../../../../../src/domain/policies/policy.js';
import { scalePool, type Replica } from '../../../../../src/planning/replicas/scale-pool.js';
import { StaticPoolsWorld } from '../../../../controllers/static-pools/static-pools-world.js';
import { leftOut, planFor } from '../../../../planning/read-plan.js';
import { nodeClaim } from '../../../../support/builders/node-claim.js';
import { poolOffer } from '../../../../support/builders/node-pool.js';
import { observedNode } from '../../../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../../../support/builders/observed-pod.js';
import { pod } from '../../../../support/builders/pod.js';
import type { Suite } from '../../fact.js';

const WEB = { owner: { kind: 'ReplicaSet', name: 'web' }, phase: 'Running' } as const;
const AGENT = { owner: { kind: 'DaemonSet', name: 'agent' }, phase: 'Running' } as const;
const PROTECTED = { 'karpenter.sh/do-not-disrupt': 'true' };

const IN_ZONE = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1b'] };
const TEMPLATE = {
  metadata: { labels: { team: 'a' } },
  spec: {
    requirements: [IN_ZONE],
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  },
};

async function withPool(spec: JsonObject, run: (world: StaticPoolsWorld) => Promise<void>): Promise<void> {
  const world = new StaticPoolsWorld(spec);
  try {
    await run(world);
  } finally {
    world.stop();
  }
}

function isSet(type: string): Condition {
  return { type, status: 'True', reason: '', message: '', lastTransitionTime: 0 };
}

/** A claim of the pool with an initialized node, on which these pods run. */
function put(
  world: StaticPoolsWorld,
  name: string,
  pods: readonly ObservedPodOverrides[] = [],
  annotations: Readonly<Record<string, string>> = {},
): void {
  const providerID = `aws:///us-east-1a/i-${name}`;
  const status = { providerID, nodeName: name, conditions: [isSet('Launched'), isSet('Initialized')] };
  world.kube.objects.put('NodeClaim', nodeClaim({ name, spec: { nodePool: 'static' }, status }));
  world.kube.objects.put('Node', observedNode({ name, providerID, annotations }));
  for (const [index, each] of pods.entries())
    world.kube.objects.put('Pod', observedPod({ ...each, name: `${name}-${String(index)}`, nodeName: name }));
}

/** A claim of the pool that has not been launched. */
function putUnlaunched(world: StaticPoolsWorld, name: string): void {
  world.kube.objects.put('NodeClaim', nodeClaim({ name, spec: { nodePool: 'static' } }));
}

function names(world: StaticPoolsWorld): readonly string[] {
  return world
    .claims()
    .map(({ name }) => name)
    .sort();
}

/** Once the controller had time to do all that there is to do. */
async function left(world: StaticPoolsWorld): Promise<readonly string[]> {
  await world.pass(120_000);
  return names(world);
}

/** An empty node that is up, or what is said of it. */
function replica(name: string, overrides: Partial<Replica> = {}): Replica {
  const plain = { isProtected: false, hasDrifted: false, evictions: 0, createdAt: 0 };
  return { name, fate: 'Staying', stage: 'Empty', ...plain, ...overrides };
}

const GOING = { fate: 'Going' } as const;

export const STATIC_POOLS: Suite = {
  name: 'Static pools',
  facts: [
    {
      fact: 'launches as many nodes as spec.replicas says, though there are no pods',
      run: () =>
        withPool({ replicas: 3 }, async (world) => {
          await world.pass();
          expect(world.claims().map(({ spec }) => spec.nodePool)).toEqual(['static', 'static', 'static']);
        }),
    },
    {
      fact: 'launches only the nodes that are missing, and keeps those that are there',
      run: () =>
        withPool({ replicas: 3 }, async (world) => {
          put(world, 'old', [WEB]);
          expect(await left(world)).toHaveLength(3);
          expect(names(world)).toContain('old');
        }),
    },
    {
      fact: 'counts claims without a node, and nodes that have not registered, as there',
      run: () =>
        withPool({ replicas: 2 }, async (world) => {
          putUnlaunched(world, 'asked-for');
          const status = { providerID: 'aws:///us-east-1a/i-1', conditions: [isSet('Launched')] };
          const spec = { nodePool: 'static' };
          world.kube.objects.put('NodeClaim', nodeClaim({ name: 'launched', spec, status }));
          expect(await left(world)).toEqual(['asked-for', 'launched']);
        }),
    },
    {
      fact: 'launches nothing for a NodePool without replicas',
      run: () =>
        withPool({}, async (world) => {
          expect(await left(world)).toEqual([]);
        }),
    },
    {
      fact: 'launches nothing at zero replicas',
      run: () =>
        withPool({ replicas: 0 }, async (world) => {
          expect(await left(world)).toEqual([]);
        }),
    },
    {
      fact: 'launches no more nodes than limits.nodes, and the rest once it is raised',
      run: () =>
        withPool({ replicas: 15, limits: { nodes: 10 } }, async (world) => {
          expect(await left(world)).toHaveLength(10);
          world.pool({ replicas: 15, limits: { nodes: 20 } });
          expect(await left(world)).toHaveLength(15);
        }),
    },
    {
      fact: 'launches nothing while its node class is not ready',
      run: () =>
        withPool({ replicas: 2 }, async (world) => {
          const { answer } = world.cloud;
          world.cloud.answer = { ...(answer as object), problems: ['no subnet'] } as never;
          expect(await left(world)).toEqual([]);
          world.cloud.answer = answer;
          expect(await left(world)).toHaveLength(2);
        }),
    },
    {
      fact: 'gives each node what the template of the NodePool says',
      run: () =>
        withPool({ replicas: 2, template: TEMPLATE }, async (world) => {
          await world.pass();
          expect(world.claims()).toHaveLength(2);
          for (const { labels, spec } of world.claims()) {
            expect([labels.get('team'), spec.nodeClassRef.name]).toEqual(['a', 'default']);
            expect(spec.requirements).toContainEqual(requirement(IN_ZONE.key, 'In', IN_ZONE.values));
          }
        }),
    },
    {
      fact: 'launches no node for pods that a static NodePool could hold',
      run: (): void => {
        const pods = [pod()];
        expect(leftOut(planFor({ pods, pools: [poolOffer({ replicas: 1 })] }))).toEqual(['pod']);
        expect(leftOut(planFor({ pods, pools: [poolOffer()] }))).toEqual([]);
      },
    },
    {
      fact: 'deletes as many nodes as there are too many',
      run: () =>
        withPool({ replicas: 2 }, async (world) => {
          for (const name of ['a', 'b', 'c', 'd']) put(world, name);
          expect(await left(world)).toHaveLength(2);
        }),
    },
    {
      fact: 'deletes all nodes at zero replicas, protected ones too',
      run: () =>
        withPool({ replicas: 0 }, async (world) => {
          put(world, 'empty');
          put(world, 'used', [WEB]);
          put(world, 'protected', [{ ...WEB, annotations: PROTECTED }]);
          expect(await left(world)).toEqual([]);
        }),
    },
    {
      fact: 'does not count nodes that are being deleted as too many',
      run: (): void => {
        const going = [replica('a', GOING), replica('b', GOING), replica('c', GOING)];
        expect(scalePool(1, [...going, replica('d')], undefined).remove).toEqual([]);
        expect(scalePool(1, [...going, replica('d'), replica('e')], undefined).remove).toEqual(['d']);
      },
    },
    {
      fact: 'deletes claims that have not been launched before empty nodes',
      run: () =>
        withPool({ replicas: 2 }, async (world) => {
          for (const name of ['a', 'b']) put(world, name);
          for (const name of ['y', 'z']) putUnlaunched(world, name);
          expect(await left(world)).toEqual(['a', 'b']);
        }),
    },
    {
      fact: 'deletes nodes that have only pods of DaemonSets before those with other pods',
      run: () =>
        withPool({ replicas: 2 }, async (world) => {
          for (const name of ['a', 'b']) put(world, name, [WEB]);
          for (const name of ['y', 'z']) put(world, name, [AGENT]);
          expect(await left(world)).toEqual(['a', 'b']);
        }),
    },
    {
      fact: 'deletes nodes with pods where empty ones are too few',
      run: () =>
        withPool({ replicas: 1 }, async (world) => {
          for (const name of ['a', 'b']) put(world, name, [WEB]);
          for (const name of ['y', 'z']) put(world, name);
          expect(await left(world)).toHaveLength(1);
          expect(['a', 'b']).toContain(names(world)[0]);
        }),
    },
    {
      fact: 'deletes the nodes whose pods are the least to evict first',
      run: () =>
        withPool({ replicas: 2 }, async (world) => {
          for (const name of ['a', 'b']) put(world, name, [WEB, WEB]);
          for (const name of ['y', 'z']) put(world, name, [WEB]);
          expect(await left(world)).toEqual(['a', 'b']);
        }),
    },
    {
      fact: 'deletes nodes with a pod annotated do-not-disrupt last, however few pods they have',
      run: () =>
        withPool({ replicas: 1 }, async (world) => {
          put(world, 'a', [{ ...WEB, annotations: PROTECTED }]);
          for (const name of ['x', 'y', 'z']) put(world, name, [WEB, WEB]);
          expect(await left(world)).toEqual(['a']);
        }),
    },
    {
      fact: 'deletes an empty node annotated do-not-disrupt before a node with pods',
      differs:
        'it is deleted last, as one with such a pod: who annotates a node wants to keep it, whatever pods it has',
      run: () =>
        withPool({ replicas: 1 }, async (world) => {
          put(world, 'a', [], PROTECTED);
          put(world, 'z', [WEB]);
          expect(await left(world)).toEqual(['a']);
        }),
    },
  ],
};
