/** CapacityBuffers: how many pods they are for, what is launched for them, and which nodes they keep. */
import {
  bufferReplicas,
  virtualPods,
  type CapacityBuffer,
} from '../../../../src/domain/pods/capacity-buffer.js';
import type { Pod } from '../../../../src/domain/pods/pod.js';
import {
  ALONE,
  bufferWorld,
  conditions,
  expectNodes,
  putBuffer,
  putTemplate,
} from '../../../controllers/capacity-buffers/buffers-world.js';
import type { DisruptionWorld } from '../../../controllers/disruption/disruption-world.js';
import { placeOf, planFor } from '../../../planning/read-plan.js';
import { clusterInput } from '../../../support/builders/cluster-input.js';
import { selecting } from '../../../support/builders/constraints.js';
import {
  disruptionTerms,
  fleet,
  podDisruptionBudget,
  typeNamed,
  type FleetNode,
} from '../../../support/builders/disruption-input.js';
import { node } from '../../../support/builders/node.js';
import { poolOffer } from '../../../support/builders/node-pool.js';
import { amounts, pod, type Quantities } from '../../../support/builders/pod.js';
import type { Suite } from '../fact.js';
import { going, staying } from '../fleets.js';

const M6I = typeNamed('m6i.large');
/** Two of these fill an m6i.large. */
const HALF = { requests: { cpu: '900m', memory: '512Mi' } };

interface Asked {
  readonly replicas?: number;
  readonly percentage?: number;
  readonly limits?: Quantities;
}

/** How many pods of one vCPU a buffer is for, of a workload with so many replicas. */
function count({ replicas, percentage, limits = {} }: Asked, workload?: number): number {
  const { spec } = pod({ requests: { cpu: '1', memory: '1Gi' } });
  const buffer = { replicas, percentage, limits: amounts(limits) };
  return bufferReplicas(buffer, { spec, generation: 1, replicas: workload });
}

/** Pods of the buffer, each planned on the node of its place; undefined: on none yet. */
function buffer(...nodes: readonly (string | undefined)[]): readonly Pod[] {
  const { spec } = pod(HALF);
  const pods = virtualPods({ namespace: 'default', name: 'spare', count: nodes.length, spec });
  return pods.map((each, index) => ({ ...each, nodeName: nodes[index] }));
}

/** Spot nodes of one type, as all of their pool are: none is cheaper. */
function fleetWith(
  nodes: readonly Pick<FleetNode, 'name' | 'pods' | 'managed'>[],
  pods: readonly Pod[],
  { terms, ...overrides }: Parameters<typeof fleet>[1] = {},
): ReturnType<typeof fleet> {
  const pools = [poolOffer({ disruption: disruptionTerms(terms) }, [M6I])];
  const spot = nodes.map((each): FleetNode => ({ ...each, type: M6I, capacityType: 'spot' }));
  return fleet(spot, { ...overrides, cluster: clusterInput({ pools, pods }) });
}

/** A cluster with this buffer, once there was time for all that there is to do. */
async function settled(buffer: Partial<CapacityBuffer>, spec: object = {}): Promise<DisruptionWorld> {
  const world = bufferWorld({ ...spec });
  world.start();
  putTemplate(world);
  putBuffer(world, buffer);
  await world.rest(90);
  return world;
}

export const BUFFERS: Suite = {
  name: 'Capacity buffer',
  facts: [
    {
      fact: 'is for as many pods as its replicas',
      run: (): void => {
        expect(count({ replicas: 7 })).toBe(7);
      },
    },
    {
      fact: 'is for a share of the replicas of its workload, rounded up',
      run: (): void => {
        expect(count({ percentage: 20 }, 10)).toBe(2);
        expect(count({ percentage: 10 }, 3)).toBe(1);
        expect(count({ percentage: 200 }, 5)).toBe(10);
      },
    },
    {
      fact: 'is for nothing where the workload has no replicas, or the share is zero',
      run: (): void => {
        expect([count({ percentage: 50 }, 0), count({ percentage: 0 }, 10)]).toEqual([0, 0]);
        expect(count({ percentage: 50 }, 1)).toBe(1);
      },
    },
    {
      fact: 'is for the larger of its replicas and its share',
      run: (): void => {
        expect(count({ replicas: 5, percentage: 20 }, 10)).toBe(5);
        expect(count({ replicas: 5, percentage: 80 }, 10)).toBe(8);
      },
    },
    {
      fact: 'is for no more pods than its limits have room for, of replicas and of a share',
      run: (): void => {
        expect(count({ replicas: 10, limits: { cpu: '3' } })).toBe(3);
        expect(count({ replicas: 5, percentage: 80, limits: { cpu: '4' } }, 10)).toBe(4);
        expect(count({ replicas: 3, limits: { cpu: '10' } })).toBe(3);
      },
    },
    {
      fact: 'is for as many pods as its limits have room for where nothing else is said',
      run: (): void => {
        expect(count({ limits: { cpu: '5' } })).toBe(5);
      },
    },
    {
      fact: 'counts the limit that has room for the fewest pods, whole pods only',
      run: (): void => {
        expect(count({ limits: { cpu: '8', memory: '4Gi' } })).toBe(4);
        expect(count({ limits: { cpu: '3900m' } })).toBe(3);
        expect(count({ replicas: 2, limits: { cpu: '900m' } })).toBe(0);
      },
    },
    {
      fact: 'leaves out limits of resources that its pods do not request',
      run: (): void => {
        expect(count({ replicas: 2, limits: { 'nvidia.com/gpu': '1' } })).toBe(2);
      },
    },
    {
      fact: 'launches nodes for its pods, and says that they fit once the nodes are there',
      run: async (): Promise<void> => {
        const world = await settled({ replicas: 2 });
        expect(world.claimsWith('Initialized')).toHaveLength(2);
        expect(conditions(world)).toEqual([
          expect.stringMatching(/^ReadyForProvisioning True Resolved/),
          expect.stringMatching(/^Provisioning True FitsExistingCapacity/),
        ]);
      },
    },
    {
      fact: 'is not ready, and nothing is launched for it, while there is no such PodTemplate',
      run: async (): Promise<void> => {
        const world = await settled({ template: { kind: 'PodTemplate', apiGroup: '', name: 'gone' } });
        expect(world.claims()).toEqual([]);
        expect(conditions(world)).toEqual([
          expect.stringMatching(/^ReadyForProvisioning False PodTemplateNotFound/),
          expect.stringMatching(/^Provisioning False NotReadyForProvisioning/),
        ]);
      },
    },
    {
      fact: 'is not ready while there is no such workload',
      run: async (): Promise<void> => {
        const world = await settled({ template: { kind: 'Deployment', apiGroup: 'apps', name: 'gone' } });
        expect(conditions(world)[0]).toMatch(/^ReadyForProvisioning False ScalableRefNotFound/);
      },
    },
    {
      fact: 'is not resolved where it refers to another kind than Deployment, ReplicaSet and StatefulSet',
      run: async (): Promise<void> => {
        const world = await settled({ template: { kind: 'Job', apiGroup: 'batch', name: 'work' } });
        expect(world.claims()).toEqual([]);
        expect(conditions(world)[0]).toMatch(/^ReadyForProvisioning False ResolutionFailed: .*Job of batch/);
      },
    },
    {
      fact: 'says that it is empty at zero replicas',
      run: async (): Promise<void> => {
        const world = await settled({ replicas: 0 });
        expect(world.claims()).toEqual([]);
        expect(conditions(world)).toContainEqual(expect.stringMatching(/^Provisioning False BufferEmpty/));
      },
    },
    {
      fact: 'says that it needs new capacity while limits of the NodePool leave pods without room',
      run: async (): Promise<void> => {
        const world = await settled({ replicas: 2 }, { limits: { nodes: '1' } });
        expect(world.claims()).toHaveLength(1);
        expect(conditions(world)[1]).toMatch(/^Provisioning False RequiresNewCapacity/);
      },
    },
    {
      fact: 'follows its PodTemplate when that changes',
      run: async (): Promise<void> => {
        const world = await settled({ replicas: 2 });
        expect(world.claims()).toHaveLength(2);
        putTemplate(world, 'PodTemplate/default/spare', { requests: { cpu: '100m' } });
        await expectNodes(world, 1);
      },
    },
    {
      fact: 'leaves a buffer of another provisioning strategy alone',
      run: async (): Promise<void> => {
        const world = await settled({ strategy: 'example.com/other' });
        expect([world.claims(), conditions(world)]).toEqual([[], []]);
      },
    },
    {
      fact: 'gives its nodes up to pods that come, and launches others instead',
      run: async (): Promise<void> => {
        const world = await settled({ replicas: 1 });
        world.deploy('web', 1, ALONE);
        expect(await world.until(() => world.unbound().length === 0)).toBeLessThan(5);
        await expectNodes(world, 2);
      },
    },
    {
      fact: 'places real pods before its own',
      run: (): void => {
        const pods = [...buffer(undefined), pod({ name: 'web', ...HALF })];
        const full = pod({ name: 'runs', nodeName: 'node', ...HALF });
        const plan = planFor({ nodes: [node({ type: M6I })], pods: [full, ...pods] });
        expect(placeOf(plan, 'web')).toBe('node');
        expect(placeOf(plan, 'spare#1')).toBe('default-1');
      },
    },
    {
      fact: 'tells buffers of one name in two namespaces apart',
      run: (): void => {
        const { spec } = pod(HALF);
        const [one] = virtualPods({ namespace: 'a', name: 'spare', count: 1, spec });
        const [other] = virtualPods({ namespace: 'b', name: 'spare', count: 1, spec });
        expect(one?.uid).not.toBe(other?.uid);
      },
    },
    {
      fact: 'keeps an empty node that has its room',
      run: (): void => {
        expect(going(fleetWith([{ name: 'a' }], []))).toEqual(['Empty a']);
        expect(going(fleetWith([{ name: 'a' }], buffer('a')))).toEqual([]);
      },
    },
    {
      fact: 'keeps the node under WhenEmpty as well',
      run: (): void => {
        const terms = { consolidationPolicy: 'WhenEmpty' } as const;
        expect(going(fleetWith([{ name: 'a' }], [], { terms }))).toEqual(['Empty a']);
        expect(going(fleetWith([{ name: 'a' }], buffer('a'), { terms }))).toEqual([]);
        expect(staying(fleetWith([{ name: 'a' }], buffer('a'), { terms }))).toContain(
          'a Underutilized NotEmpty',
        );
      },
    },
    {
      fact: 'lets a node go where its room is free on another node',
      run: (): void => {
        const nodes = [{ name: 'a' }, { name: 'b', pods: [HALF] }];
        expect(going(fleetWith(nodes, buffer('a')))).toHaveLength(1);
        expect(going(fleetWith(nodes, buffer('a', 'b')))).toEqual([]);
      },
    },
    {
      fact: 'is not protected by PodDisruptionBudgets',
      run: (): void => {
        const maxUnavailable = { unit: 'pods', amount: 0 } as const;
        const podDisruptionBudgets = [podDisruptionBudget({ selector: selecting({}), maxUnavailable })];
        const nodes = [{ name: 'a' }, { name: 'b', pods: [HALF] }];
        expect(going(fleetWith(nodes, buffer('a'), { podDisruptionBudgets }))).toHaveLength(1);
        const taken = [
          { name: 'a', pods: [HALF] },
          { name: 'b', pods: [HALF] },
        ];
        expect(going(fleetWith(taken, [], { podDisruptionBudgets }))).toEqual([]);
      },
    },
  ],
};
