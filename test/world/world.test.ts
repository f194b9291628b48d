import fc from 'fast-check';
import {
  conditionOf,
  deployment,
  isPodReady,
  podSpec,
  SimulatedCluster,
} from '../support/simulated-cluster.js';

/** A day with a bit of everything: all workloads, an extender with moods, instances that fail. */
async function story(seed: number): Promise<SimulatedCluster> {
  const cluster: SimulatedCluster = new SimulatedCluster({
    seed,
    kubeletPlan: { neverJoins: 0.2, failsLater: 0.3 },
    callExtender: (verb, args) => {
      const { NodeNames: names = [] } = args as { readonly NodeNames?: readonly string[] };
      if (verb === 'prioritize') return Promise.resolve(names.map((Host, Score) => ({ Host, Score })));
      const NodeNames = names.filter((name) => (cluster.clock.now() / 1000 + name.length) % 3 >= 1);
      return Promise.resolve({ NodeNames, FailedNodes: {}, NodeNameToMetaVictims: {} });
    },
  });
  for (const zone of ['eu-west-3a', 'eu-west-3b', 'eu-west-3c', 'eu-west-3a']) cluster.addInstance({ zone });
  await cluster.create('deployments.apps', deployment('web', 5));
  const template = {
    metadata: { labels: { app: 'batch' } },
    spec: podSpec({ cpu: '100m' }, { restartPolicy: 'Never' }),
  };
  await cluster.create('jobs.batch', {
    metadata: { namespace: 'default', name: 'batch' },
    spec: { completions: 4, parallelism: 2, template },
  });
  await cluster.pass(100);
  cluster.instances.end('i-00000000000000001');
  await cluster.pass(150);
  return cluster;
}

describe('World', () => {
  test('an instance becomes a node, and a Deployment runs on it', async () => {
    const cluster = new SimulatedCluster();
    await cluster.create('deployments.apps', deployment('web', 3));
    await cluster.pass(5);
    expect(cluster.pods('web').map((pod) => conditionOf({ ...pod }, 'PodScheduled')?.['message'])).toEqual(
      Array(3).fill('no nodes available to schedule pods'),
    );
    const [node] = await cluster.addNodes({});
    await cluster.until('all run', () => cluster.pods('web').every(isPodReady), 60);
    expect(cluster.pods('web').map(({ spec }) => spec.nodeName)).toEqual([node, node, node]);
  });

  test('the same seed tells the same story, another one another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
        const [one, two, other] = [await story(seed), await story(seed), await story(seed + 1)];
        expect(one.world.trace.lines).toEqual(two.world.trace.lines);
        expect(one.world.trace.sha256()).toBe(two.world.trace.sha256());
        expect(one.world.trace.sha256()).not.toBe(other.world.trace.sha256());
        expect(one.api.resourceVersion).toBe(two.api.resourceVersion);
      }),
      { numRuns: 4 },
    );
  });

  test('each scheduler takes its own pods, and only those that have it ask the extender', async () => {
    const asked: string[] = [];
    const cluster = new SimulatedCluster({
      schedulers: [
        { schedulerNames: ['default-scheduler'], hasExtender: false },
        { schedulerNames: ['berth-scheduler'], hasExtender: true },
      ],
      callExtender: (_, args) => {
        const { Pod, NodeNames } = args as {
          readonly Pod: { readonly metadata: { readonly name: string } };
          readonly NodeNames: readonly string[];
        };
        asked.push(Pod.metadata.name);
        return Promise.resolve({ NodeNames });
      },
    });
    await cluster.addNodes({});
    for (const schedulerName of ['default-scheduler', 'berth-scheduler'])
      await cluster.create('pods', {
        metadata: { namespace: 'default', name: schedulerName },
        spec: podSpec({}, { schedulerName }),
      });
    await cluster.until('both run', () => cluster.pods().every(isPodReady), 30);
    expect(asked).toEqual(['berth-scheduler']);
  });

  test('standing instances are nodes from the start', async () => {
    const other = new SimulatedCluster();
    other.addInstance();
    const [instance] = other.instances.instances();
    if (instance === undefined) throw new Error('no instance');
    const standing = { ...instance, launchedAt: 0 };
    const cluster = new SimulatedCluster({ standingInstances: [standing] });
    await cluster.until('it is Ready', () => cluster.isNodeReady(standing.privateDnsName), 11);
    await cluster.pass(120);
    expect(cluster.isNodeReady(standing.privateDnsName)).toBe(true);
  });

  test('nothing happens any more once it is stopped', async () => {
    const cluster = new SimulatedCluster();
    await cluster.create('deployments.apps', deployment('web', 2));
    await cluster.addNodes({});
    cluster.world.stop();
    await cluster.pass(60);
    const { length } = cluster.world.trace.lines;
    const { resourceVersion } = cluster.api;
    await cluster.create('deployments.apps', deployment('more', 2));
    await cluster.pass(600);
    expect(cluster.world.trace.lines).toHaveLength(length);
    expect(Number(cluster.api.resourceVersion)).toBe(Number(resourceVersion) + 1);
  });
});
