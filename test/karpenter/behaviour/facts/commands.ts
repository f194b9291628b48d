/** The life of a decision to take nodes away: what comes first, what ends it, and what is taken back. */
import { stateOf } from '../../../../src/controllers/disruption/commands/replacements.js';
import { podKey } from '../../../../src/domain/pods/pod.js';
import type { JsonObject } from '../../../../src/domain/policies/policy.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { DisruptionWorld } from '../../../controllers/disruption/disruption-world.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { observedNode } from '../../../support/builders/observed-node.js';
import type { Suite } from '../fact.js';

/** One fills a node. */
const BIG = { requests: { cpu: '3500m' } };

function pool(nodes = '100%', disruption: JsonObject = {}): JsonObject {
  return { disruption: { consolidateAfter: '0s', budgets: [{ nodes }], ...disruption } };
}

const OTHER_TEMPLATE = {
  metadata: { labels: { version: 'two' } },
  spec: {
    requirements: [],
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  },
};

interface Cast {
  readonly world: DisruptionWorld;
  /** Names of the NodeClaims that there were at first. */
  readonly old: readonly string[];
  readonly kill: () => void;
}

/** So many nodes with a pod each, ready. */
async function cast(count = 1, spec = pool()): Promise<Cast> {
  const world = new DisruptionWorld(spec);
  const { kill } = world.start();
  world.deploy('web', count, BIG);
  await world.until(() => world.claimsWith('Initialized').length === count && world.unbound().length === 0);
  await world.pass(20);
  return { world, kill, old: world.claims().map(({ name }) => name) };
}

/** The same once the nodes are of an image that is no longer selected. */
async function drifting(
  count = 1,
  prepare: (world: DisruptionWorld) => void = () => undefined,
): Promise<Cast> {
  const made = await cast(count);
  prepare(made.world);
  made.world.resolution = { imageIDs: ['ami-newer'] };
  await made.world.until(() => made.world.tainted().length > 0);
  return made;
}

/** Kubelets of instances that are launched from now on do not start. */
function silence({ instances }: DisruptionWorld): void {
  for (const { facts } of instances.catalogue.entries) instances.deaf.add(facts.name);
}

/** Nodes of the claims that go: marked, tainted or being deleted. */
function going(world: DisruptionWorld, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const claim = world.claim(name);
    return claim?.status.disruption !== undefined || claim?.deletionTimestamp !== undefined;
  });
}

function expectAsBefore({ world, old }: Cast): void {
  expect(world.claims().map(({ name }) => name)).toEqual(old);
  expect(world.tainted()).toEqual([]);
  expect(going(world, old)).toEqual([]);
  expect(world.writes('evictPod')).toEqual([]);
}

/** What replaces claims, of which these are initialized and these are there. */
function replacements(initialized: readonly string[], there: readonly string[]): Cluster {
  const cluster = new Cluster();
  for (const name of there) {
    const providerID = `aws:///zone/i-${name}`;
    const up = initialized.includes(name) ? ['Registered', 'Initialized'] : ['Registered'];
    const conditions = up.map((type) => ({
      ...{ type, status: 'True' as const, reason: type, message: '' },
      lastTransitionTime: 0,
    }));
    cluster.put('NodeClaim', nodeClaim({ name, status: { providerID, nodeName: name, conditions } }));
    cluster.put('Node', observedNode({ name, providerID }));
  }
  return cluster;
}

export const COMMANDS: Suite = {
  name: 'Disruption commands',
  facts: [
    {
      fact: 'taints the node before it launches a replacement',
      run: async (): Promise<void> => {
        const { world, old } = await drifting();
        expect(world.claims().map(({ name }) => name)).toEqual(old);
        expect(await world.until(() => world.claims().length === 2)).toBeLessThan(60);
        expect(world.tainted()).toHaveLength(1);
      },
    },
    {
      fact: 'keeps the node tainted, and its pods on it, while the replacement is not initialized',
      run: async (): Promise<void> => {
        const { world, old } = await drifting(1, silence);
        await world.until(() => world.claims().length === 2);
        const [pod] = world.pods('web');
        await world.rest(300);
        expect(world.claims().map(({ name }) => name)).toEqual(expect.arrayContaining([...old]));
        expect(world.tainted()).toHaveLength(1);
        expect(world.pods('web').map(podKey)).toEqual(pod && [podKey(pod)]);
        expect(going(world, old)).toEqual(old);
      },
    },
    {
      fact: 'gives up after ten minutes without a ready replacement: the taint goes, and the node stays',
      run: async (): Promise<void> => {
        const made = await drifting(1, silence);
        const { world } = made;
        await world.until(() => world.claims().length === 2);
        world.resolution = {};
        await world.rest(560);
        expect(world.tainted()).toHaveLength(1);
        await world.rest(120);
        expectAsBefore(made);
      },
    },
    {
      fact: 'removes the taint from a node whose replacement cannot be launched',
      run: async (): Promise<void> => {
        const made = await drifting(1, (world) => {
          world.instances.cloud.stock.set({}, 0);
        });
        const { world } = made;
        expect(await world.until(() => world.writes('createNodeClaim').length === 2)).toBeLessThan(60);
        expect(await world.until(() => world.tainted().length === 0)).toBeLessThan(120);
        expectAsBefore(made);
      },
    },
    {
      fact: 'ends the command when its replacement is deleted, and leaves the node as it was',
      run: async (): Promise<void> => {
        const made = await drifting(1, silence);
        const { world, old } = made;
        await world.until(() => world.claims().length === 2);
        const [replacement] = world.claims().filter(({ name }) => !old.includes(name));
        if (replacement === undefined) throw new Error('nothing replaces the node');
        world.resolution = {};
        await world.pass(60);
        expect(world.tainted()).toHaveLength(1);
        await world.kube.deleteNodeClaim(replacement);
        expect(await world.until(() => world.tainted().length === 0)).toBeLessThan(60);
        await world.pass(60);
        expectAsBefore(made);
      },
    },
    {
      fact: 'finishes only when all replacements of the command are initialized, and not when one of them is lost',
      run: (): void => {
        const both = ['a', 'b'];
        expect(stateOf(replacements([], both), both)).toBe('waiting');
        expect(stateOf(replacements(['a'], both), both)).toBe('waiting');
        expect(stateOf(replacements(both, both), both)).toBe('ready');
        expect(stateOf(replacements(['a'], ['a']), both)).toBe('lost');
      },
    },
    {
      fact: 'waits for no replacement where none is needed',
      run: async (): Promise<void> => {
        const { world, old } = await cast();
        world.scale('web', 0);
        const launches = world.writes('createNodeClaim').length;
        expect(await world.until(() => world.claims().length === 0)).toBeLessThan(60);
        expect(old).toHaveLength(1);
        expect(world.writes('createNodeClaim')).toHaveLength(launches);
      },
    },
    {
      fact: 'deletes each node once its own replacement is initialized, and leaves no pod behind',
      run: async (): Promise<void> => {
        const { world, old } = await cast(2);
        world.policies({ ...pool(), template: OTHER_TEMPLATE });
        const early: string[] = [];
        const isDone = (): boolean => {
          for (const claim of world.claims()) {
            if (!old.includes(claim.name) || claim.deletionTimestamp === undefined) continue;
            const own = world
              .claims()
              .filter(({ annotations }) => annotations.get('berth.sh/replaces') === claim.name);
            const isReady = own.some(({ name }) => world.claimsWith('Initialized').includes(name));
            if (!isReady) early.push(claim.name);
          }
          return world.claims().length === 2 && old.every((name) => world.claim(name) === undefined);
        };
        expect(await world.until(isDone)).toBeLessThan(300);
        expect(early).toEqual([]);
        await world.pass(20);
        expect(world.unbound()).toEqual([]);
        expect(world.tainted()).toEqual([]);
      },
    },
    {
      fact: 'validates again before it acts: an empty node that a pod has come to stays',
      run: async (): Promise<void> => {
        const { world, old } = await cast();
        world.scale('web', 0);
        await world.until(() => going(world, old).length > 0);
        // As a pod of another scheduler, which asks no extender.
        world.deploy('late', 1, { ...BIG, schedulerName: 'other' });
        const [late] = world.pods('late');
        const [node] = world.nodes();
        if (late !== undefined) world.objects.put('Pod', { ...late, nodeName: node?.name, phase: 'Running' });
        await world.pass(30);
        expect(world.claims().map(({ name }) => name)).toEqual(old);
        expect(world.tainted()).toEqual([]);
      },
    },
    {
      fact: 'validates again before it acts: a node stays when its budget has become 0',
      run: async (): Promise<void> => {
        const made = await cast();
        const { world, old } = made;
        world.scale('web', 0);
        await world.until(() => going(world, old).length > 0);
        world.policies(pool('0'));
        await world.pass(60);
        expectAsBefore(made);
      },
    },
    {
      fact: 'validates again before it acts: a node stays when a pod on it has become do-not-disrupt',
      run: async (): Promise<void> => {
        const made = await drifting();
        const { world } = made;
        const annotations = new Map([['karpenter.sh/do-not-disrupt', 'true']]);
        for (const pod of world.pods('web'))
          world.objects.put('Pod', { ...pod, annotations, isAnnotated: true });
        await world.pass(60);
        expectAsBefore(made);
      },
    },
    {
      fact: 'removes taints that a process left behind which ended before its command',
      run: async (): Promise<void> => {
        const made = await drifting();
        const { world, kill } = made;
        kill();
        world.policies(pool('0'));
        expect(world.tainted()).toHaveLength(1);
        world.start();
        expect(await world.until(() => world.tainted().length === 0)).toBeLessThan(120);
        await world.pass(30);
        expectAsBefore(made);
      },
    },
    {
      fact: 'counts a drifted node as eligible once no pod on it is do-not-disrupt any more',
      run: async (): Promise<void> => {
        const { world } = await cast(1, pool('0'));
        const annotate = (...annotations: readonly (readonly [string, string])[]): void => {
          for (const pod of world.pods('web'))
            world.objects.put('Pod', { ...pod, annotations: new Map(annotations), isAnnotated: true });
        };
        const eligible = async (): Promise<number | undefined> => {
          const { values } = await world.metrics.disruptionEligibleNodes.get();
          return values.find(({ labels }) => labels.reason === 'drifted')?.value;
        };
        annotate(['karpenter.sh/do-not-disrupt', 'true']);
        world.resolution = { imageIDs: ['ami-newer'] };
        await world.until(() => world.claimsWith('Drifted').length === 1);
        await world.pass(90);
        expect(await eligible()).toBe(0);
        annotate();
        await world.pass(90);
        expect(await eligible()).toBe(1);
      },
    },
    {
      fact: 'counts a node that goes once in karpenter_nodeclaims_disrupted_total, by its reason and NodePool',
      run: async (): Promise<void> => {
        const { world, old } = await cast();
        world.policies({ ...pool(), template: OTHER_TEMPLATE });
        expect(await world.until(() => old.every((name) => world.claim(name) === undefined))).toBeLessThan(
          300,
        );
        await world.pass(60);
        const { values } = await world.metrics.nodeClaimsDisrupted.get();
        expect(world.claims()).toHaveLength(1);
        expect(values.map(({ value, labels: { reason, nodepool } }) => [value, reason, nodepool])).toEqual([
          [1, 'drifted', 'general'],
        ]);
      },
    },
    {
      fact: 'sets the condition DisruptionReason of the NodeClaim while its node is to go, and removes it when that is taken back',
      differs:
        'status.disruption of the NodeClaim has the reason, with the time of the decision and the bound of the drain',
      run: async (): Promise<void> => {
        const { world, old } = await drifting(1, silence);
        const disruption = () => world.claim(old[0] ?? '')?.status.disruption;
        expect(disruption()).toMatchObject({ reason: 'Drifted', decidedAt: expect.any(Number) as number });
        world.policies(pool('0'));
        await world.pass(60);
        expect(disruption()).toBeUndefined();
      },
    },
  ],
};
