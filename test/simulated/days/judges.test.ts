/** Each judge, with what it must never see: the test stands in for Berth, and does what Berth must not do. */
import type { WireHandler } from '../../../world/wire/wire.js';
import type { KubeObject } from '../../../world/kubernetes/objects/kube-object.js';
import { Draw } from '../../fuzz/draw.js';
import { deployment, nodeClass, nodePool, podDisruptionBudget } from '../../scenario/objects.js';
import { SimulatedWorld } from '../simulated-world.js';
import { budgetOverruns } from './judges/budget-overruns.js';
import { doubleEvictions } from './judges/double-evictions.js';
import type { Bench, Finding, Judge } from './judges/judge.js';
import { lateInterruptions } from './judges/late-interruptions.js';
import { leakedInstances } from './judges/leaked-instances.js';
import { limitOverruns } from './judges/limit-overruns.js';
import { pendingPods } from './judges/pending-pods.js';
import { pdbViolations } from './judges/pdb-violations.js';
import { stuckNodes } from './judges/stuck-nodes.js';
import { undoneMoves } from './judges/undone-moves.js';
import type { PoolTerms } from './plan/pools.js';
import { Stage } from './plan/stage.js';
import { History, RequestTap } from './record/history.js';
import { instanceIDOf } from './record/raw.js';

const MINUTE = 60_000;
const REPLICAS = 3;
/** Of each node. */
const CORES = 2;
const TERMS: PoolTerms = {
  name: 'general',
  weight: 1,
  capacityTypes: ['spot'],
  policy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '1m',
  budgets: [{ nodes: '1' }],
  cpuLimit: 1000,
  expireAfter: 'Never',
  terminationGracePeriod: undefined,
  generation: 1,
};
/** Each on a node of its own. */
const APART = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
};

/** A cluster with a pod on each of its nodes, in which Berth has been stopped, unless it is to run on. */
class Planted {
  readonly findings: Omit<Finding, 'at'>[] = [];
  readonly world: SimulatedWorld;
  readonly stage: Stage;
  readonly judge: Judge;
  readonly history: History;
  /** The API server, as Berth reaches it. */
  readonly #handler: WireHandler;

  constructor(world: SimulatedWorld, tap: RequestTap, { judge, terms }: PlantedParts) {
    this.world = world;
    this.#handler = tap.around(world.api.handle);
    this.history = new History(world, tap);
    this.stage = new Stage({ world, draw: new Draw(1), pools: [{ ...TERMS, ...terms }], deployments: [] });
    this.judge = judge({
      ...{ world, history: this.history, stage: this.stage },
      report: (finding) => {
        this.findings.push(finding);
      },
    });
  }

  static async start(parts: PlantedParts): Promise<Planted> {
    const tap = new RequestTap();
    const world = await SimulatedWorld.start();
    const planted = new Planted(world, tap, parts);
    await world.apply([
      nodeClass(),
      nodePool({ requirements: { 'karpenter.sh/capacity-type': ['spot'] } }),
      deployment({ name: 'web', replicas: REPLICAS, pod: { affinity: APART } }),
      podDisruptionBudget('web', { maxUnavailable: parts.maxUnavailable ?? 1 }),
    ]);
    await world.until(
      'each pod is Ready',
      async () => (await world.pods()).filter(({ ready }) => ready).length === REPLICAS,
      60,
    );
    if (parts.berthRuns !== true) await world.stopBerth();
    return planted;
  }

  names(resource: string): readonly string[] {
    return this.world.api.list(resource).map(({ metadata }) => metadata.name);
  }

  first(resource: string): string {
    return this.names(resource)[0] ?? '';
  }

  /** As Berth would: over the wire. */
  async evict(pod: string): Promise<void> {
    await this.#send('POST', `/api/v1/namespaces/default/pods/${pod}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod, namespace: 'default' },
    });
  }

  async deletePod(pod: string): Promise<void> {
    await this.#send('DELETE', `/api/v1/namespaces/default/pods/${pod}`);
  }

  async deleteClaim(claim: string): Promise<void> {
    await this.#send('DELETE', `/apis/berth.sh/v1/nodeclaims/${claim}`);
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const request = { method, path, headers, body: body === undefined ? '' : JSON.stringify(body) };
    await this.#handler(request, new AbortController().signal);
    await this.world.clock.settle();
  }

  /** The kubelets of so many nodes say that they are not Ready. */
  breakNodes(count: number): void {
    for (const name of this.names('nodes').slice(0, count))
      this.world.actors.kubelets.of(name).setReady(false);
  }

  /** The claim of the node with the name, or of any. */
  claimOf(node?: string): string {
    return this.history.claimOf(node ?? '')?.metadata.name ?? this.first('nodeclaims.berth.sh');
  }

  async decide(claim: string, reason: string, condition?: string): Promise<void> {
    const at = new Date(this.world.clock.now()).toISOString();
    await this.world.api.change(
      'nodeclaims.berth.sh',
      { name: claim },
      (object) => {
        const status = object['status'] as { readonly conditions?: readonly object[] };
        const added = {
          type: condition,
          status: 'True',
          reason: condition,
          message: '',
          lastTransitionTime: at,
        };
        const conditions = [...(status.conditions ?? []), ...(condition === undefined ? [] : [added])];
        return { ...object, status: { ...status, conditions, disruption: { reason, decidedAt: at } } };
      },
      { subresource: 'status' },
    );
  }

  async taint(node: string): Promise<void> {
    const taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
    await this.world.api.change('nodes', { name: node }, (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), taints: [taint] },
    }));
  }

  /** Nothing of Berth keeps it. */
  async forget(resource: string, name: string): Promise<void> {
    const without = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, finalizers: [] },
    });
    await this.world.api.change(resource, { name }, without);
    await this.world.api.delete(resource, { name });
  }

  async pass(minutes: number): Promise<void> {
    for (let look = 0; look < 2 * minutes; look++) {
      await this.world.clock.advance(MINUTE / 2);
      this.judge.look?.();
    }
  }
}

interface PlantedParts {
  readonly judge: (bench: Bench) => Judge;
  readonly terms?: Partial<PoolTerms>;
  readonly maxUnavailable?: number;
  readonly berthRuns?: boolean;
}

async function findingsOf(
  parts: PlantedParts,
  act: (planted: Planted) => Promise<void>,
): Promise<readonly string[]> {
  const planted = await Planted.start(parts);
  await act(planted);
  await planted.world.close();
  return planted.findings.map(({ kind }) => kind);
}

describe('PodDisruptionBudgets', () => {
  test('a pod that is deleted although its budget lets none go is a violation', async () => {
    const found = await findingsOf({ judge: pdbViolations, maxUnavailable: 0 }, async (planted) => {
      await planted.deletePod(planted.first('pods'));
    });
    expect(found).toEqual(['pdbViolations']);
  });

  test('an instance that ends with such a pod on it is a violation', async () => {
    const found = await findingsOf({ judge: pdbViolations, maxUnavailable: 0 }, async ({ world }) => {
      world.aws.terminate(world.aws.instances()[0]?.id ?? '');
      await world.clock.settle();
    });
    expect(found).toEqual(['pdbViolations']);
  });

  test('an eviction that the budget allows is none', async () => {
    const found = await findingsOf({ judge: pdbViolations }, async (planted) => {
      await planted.evict(planted.first('pods'));
    });
    expect(found).toEqual([]);
  });
});

describe('disruption budgets', () => {
  test('a second node that is disrupted where one may be is an overrun', async () => {
    const found = await findingsOf({ judge: budgetOverruns }, async (planted) => {
      for (const node of planted.names('nodes').slice(0, 2)) {
        await planted.decide(planted.claimOf(node), 'Underutilized');
        await planted.taint(node);
      }
      await planted.world.clock.settle();
    });
    expect(found).toEqual(['budgetOverruns']);
  });

  test('a node that is disrupted in a window that forbids its reason is an overrun', async () => {
    const budgets = [{ nodes: '0', reasons: ['Drifted'] as const, window: { hour: 0, hours: 8 } }];
    const found = await findingsOf({ judge: budgetOverruns, terms: { budgets } }, async (planted) => {
      for (const [index, reason] of ['Underutilized', 'Drifted'].entries()) {
        const node = planted.names('nodes')[index] ?? '';
        await planted.decide(planted.claimOf(node), reason);
        await planted.taint(node);
      }
      await planted.world.clock.settle();
    });
    expect(found).toEqual(['budgetOverruns']);
  });
});

test('an instance launched above the limit of its NodePool is an overrun, one below is none', async () => {
  const judge = limitOverruns;
  const nothing = (): Promise<void> => Promise.resolve();
  expect(await findingsOf({ judge, terms: { cpuLimit: 100 } }, nothing)).toEqual([]);
  expect(await findingsOf({ judge, terms: { cpuLimit: 1 } }, nothing)).toEqual(
    Array.from({ length: REPLICAS }, () => 'limitOverruns'),
  );
});

test('a node and its replacement count as one: nodes of a pool at its limit that have drifted are replaced', async () => {
  const cpuLimit = REPLICAS * CORES;
  const parts = { judge: limitOverruns, terms: { cpuLimit }, berthRuns: true };
  const found = await findingsOf(parts, async ({ world }) => {
    const ids = new Set(world.instances().map(({ id }) => id));
    world.aws.publishImage({ family: 'AL2023' });
    const left = (): number =>
      world.instances().filter(({ id, state }) => ids.has(id) && state === 'running').length;
    await world.until('all are replaced', () => Promise.resolve(left() === 0), 3600);
  });
  expect(found).toEqual([]);
});

test('a node whose NodeClaim is deleted takes nothing of the limit while it is drained; any other does', async () => {
  const oneMore = (before: (planted: Planted) => Promise<unknown>): Promise<readonly string[]> =>
    findingsOf(
      { judge: limitOverruns, terms: { cpuLimit: REPLICAS * CORES }, berthRuns: true, maxUnavailable: 0 },
      async (planted) => {
        const { world, stage } = planted;
        await before(planted);
        await stage.scale('web', REPLICAS + 1);
        const isThere = (): boolean => world.instances().length === REPLICAS + 1;
        await world.until('one more instance', () => Promise.resolve(isThere()), 600);
      },
    );
  const deleted = oneMore((planted) =>
    planted.world.api.delete('nodeclaims.berth.sh', { name: planted.claimOf() }),
  );
  expect(await deleted).toEqual([]);
  expect(await oneMore(() => Promise.resolve())).toEqual(['limitOverruns']);
});

test('a pod without a node counts as pending unless the limit of its pool leaves no room for one', async () => {
  const pending = async (cpuLimit: number): Promise<number> => {
    let count = NaN;
    const judge = (bench: Bench): Judge => ({ end: () => (count = pendingPods(bench)) });
    await findingsOf({ judge, terms: { cpuLimit } }, async (planted) => {
      await planted.stage.scale('web', REPLICAS + 1);
      await planted.pass(1);
      planted.judge.end?.();
    });
    return count;
  };
  expect(await pending(REPLICAS * CORES)).toBe(0);
  expect(await pending((REPLICAS + 1) * CORES)).toBe(1);
});

test('an instance without a NodeClaim for five minutes is leaked', async () => {
  const found = await findingsOf({ judge: leakedInstances }, async (planted) => {
    await planted.pass(6);
    await planted.forget('nodeclaims.berth.sh', planted.claimOf());
    await planted.pass(6);
  });
  expect(found).toEqual(['leakedInstances']);
});

test('a pod that is moved from a drifted node to a drifted node, and evicted again, is evicted twice for one cause, unless a user took the first node meanwhile', async () => {
  const moveTwice =
    (before: (planted: Planted, node: string) => Promise<void>, reason = 'Drifted') =>
    async (planted: Planted): Promise<void> => {
      const { world } = planted;
      for (const node of planted.names('nodes')) await planted.decide(planted.claimOf(node), reason, reason);
      const pod = world.api.list('pods')[0];
      await before(planted, (pod?.['spec'] as { readonly nodeName: string }).nodeName);
      await planted.evict(pod?.metadata.name ?? '');
      await world.clock.advance(2 * MINUTE);
      const moved = world.api
        .list('pods')
        .find(({ metadata }) => Date.parse(metadata.creationTimestamp) > world.clock.now() - 2.5 * MINUTE);
      await planted.evict(moved?.metadata.name ?? '');
    };
  const byBerth = moveTwice(() => Promise.resolve());
  expect(await findingsOf({ judge: doubleEvictions }, byBerth)).toEqual(['doubleEvictions']);
  const deletedByBerth = moveTwice((planted, node) => planted.deleteClaim(planted.claimOf(node)));
  expect(await findingsOf({ judge: doubleEvictions }, deletedByBerth)).toEqual(['doubleEvictions']);
  const byUser = moveTwice(async (planted, node) => {
    await planted.world.api.delete('nodeclaims.berth.sh', { name: planted.claimOf(node) });
  });
  expect(await findingsOf({ judge: doubleEvictions }, byUser)).toEqual([]);
  const takenAs = (reason: string): ((planted: Planted) => Promise<void>) =>
    moveTwice(({ history, stage }, node) => {
      stage.take(instanceIDOf(history.claimOf(node)), 'a user terminates the instance');
      return Promise.resolve();
    }, reason);
  expect(await findingsOf({ judge: doubleEvictions }, takenAs('Drifted'))).toEqual([]);
  expect(await findingsOf({ judge: doubleEvictions }, takenAs('Interrupted'))).toEqual(['doubleEvictions']);
});

test.each(['Interrupted', 'Underutilized'])(
  'one pod may have been moved to a drifted node for each of its owner that left a node as %s meanwhile',
  async (reason) => {
    const found = await findingsOf({ judge: doubleEvictions, maxUnavailable: REPLICAS }, async (planted) => {
      const { world } = planted;
      const [drifted = '', other = ''] = planted.names('nodes');
      await planted.decide(planted.claimOf(drifted), 'Drifted', 'Drifted');
      await planted.decide(planted.claimOf(other), reason, reason);
      // Each comes back to the node that is free.
      const evictFrom = async (node: string): Promise<void> => {
        const pod = world.api
          .list('pods')
          .find(({ spec }) => (spec as { nodeName?: string }).nodeName === node);
        await planted.evict(pod?.metadata.name ?? '');
        await world.clock.advance(2 * MINUTE);
      };
      for (const node of [drifted, other, drifted]) await evictFrom(node);
      expect(planted.findings).toEqual([]);
      await evictFrom(drifted);
    });
    expect(found).toEqual(['doubleEvictions']);
  },
);

test('a pod that consolidation moves twice within the hour is an undone move, unless demand changed in between', async () => {
  const moveTwice =
    (between: (planted: Planted) => Promise<void>) =>
    async (planted: Planted): Promise<void> => {
      const { world } = planted;
      for (let move = 0; move < 2; move++) {
        const pod = world.api
          .list('pods')
          .toSorted(
            (left, right) =>
              Date.parse(right.metadata.creationTimestamp) - Date.parse(left.metadata.creationTimestamp),
          )[0];
        const { nodeName } = pod?.['spec'] as { readonly nodeName: string };
        await planted.decide(planted.claimOf(nodeName), 'Underutilized');
        await planted.evict(pod?.metadata.name ?? '');
        await world.clock.advance(2 * MINUTE);
        if (move === 0) await between(planted);
      }
    };
  expect(
    await findingsOf(
      { judge: undoneMoves },
      moveTwice(() => Promise.resolve()),
    ),
  ).toEqual(['undoneMoves']);
  const scaled = async ({ stage, world }: Planted): Promise<void> => {
    await stage.scale('web', REPLICAS + 1);
    await world.clock.advance(MINUTE);
  };
  expect(await findingsOf({ judge: undoneMoves }, moveTwice(scaled))).toEqual([]);
});

describe('nodes that are stuck', () => {
  test('one that is on its way out for half an hour, and no pod keeps it, is stuck', async () => {
    const found = await findingsOf({ judge: stuckNodes, maxUnavailable: 1 }, async (planted) => {
      await planted.world.api.delete('nodeclaims.berth.sh', { name: planted.claimOf() });
      await planted.pass(29);
      expect(planted.findings).toEqual([]);
      await planted.pass(3);
    });
    expect(found).toEqual(['stuckNodes']);
  });

  test('one that is not Ready for an hour is, unless more than a fifth of its pool is', async () => {
    const stuck = async (nodes: number): Promise<readonly string[]> =>
      findingsOf({ judge: stuckNodes }, async (planted) => {
        planted.breakNodes(nodes);
        await planted.pass(62);
      });
    expect(await stuck(1)).toEqual(['stuckNodes']);
    expect(await stuck(2)).toEqual([]);
  });

  test('one that is not Ready is not while all that budgets allow is taken by a node that a pod keeps', async () => {
    const broken = (nodes: string): Promise<readonly string[]> => {
      const parts = { judge: stuckNodes, maxUnavailable: 0, terms: { budgets: [{ nodes }] } };
      return findingsOf(parts, async (planted) => {
        const kept = planted.claimOf(planted.names('nodes')[1]);
        await planted.world.api.delete('nodeclaims.berth.sh', { name: kept });
        planted.breakNodes(1);
        await planted.pass(62);
      });
    };
    expect(await broken('1')).toEqual([]);
    expect(await broken('2')).toEqual(['stuckNodes']);
  });

  test('one whose pod may not be evicted is not', async () => {
    const found = await findingsOf({ judge: stuckNodes, maxUnavailable: 0 }, async (planted) => {
      await planted.world.api.delete('nodeclaims.berth.sh', { name: planted.claimOf() });
      await planted.pass(40);
    });
    expect(found).toEqual([]);
  });
});

describe('a pod of an interrupted node that does not run elsewhere after two minutes', () => {
  const interrupted = (act: (planted: Planted) => Promise<void>): Promise<readonly string[]> =>
    findingsOf({ judge: lateInterruptions }, async (planted) => {
      const { world, stage } = planted;
      const [instance] = world.aws.instances();
      const pod = world.api
        .list('pods')
        .find(({ spec }) => (spec as { readonly nodeName?: string }).nodeName === instance?.privateDnsName);
      if (instance !== undefined) stage.interrupt(instance);
      await planted.evict(pod?.metadata.name ?? '');
      await act(planted);
      await world.clock.advance(3 * MINUTE);
    });

  test('is late', async () => {
    expect(await interrupted(() => Promise.resolve())).toEqual(['lateInterruptions']);
  });

  test('is not when the pod in its place was one too many', async () => {
    expect(await interrupted(({ stage }) => stage.scale('web', REPLICAS - 1))).toEqual([]);
  });
});
