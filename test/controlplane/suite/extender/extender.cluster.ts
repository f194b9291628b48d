/** What kube-scheduler asks an extender, and what it makes of the answers. */
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { nodeNamesOf } from '../../fixture/extender-wire.js';
import { PODS, PRIORITY_CLASSES, type Condition, type Pod } from '../../fixture/api/kube-object.js';
import { RecordingExtender, schedulerWithExtenders } from '../../fixture/recording-extender.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { NODES } from '../../fixture/api/kube-object.js';
import { podManifest } from '../manifests.js';

describe('RecordingExtender', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let extender: RecordingExtender;

  beforeAll(async () => {
    extender = await RecordingExtender.start();
    cluster = await startControlPlane({ schedulerConfiguration: schedulerWithExtenders([extender.entry()]) });
    kubelet = new StandInKubelet({ api: cluster.api });
    for (const name of ['n1', 'n2', 'n3']) kubelet.addNode({ name, capacity: { cpu: '2' } });
    await eventually('three schedulable nodes', async () => {
      const { items } = await cluster.api.list(NODES);
      return items.length === 3 && items.every(({ spec }) => spec.taints === undefined);
    });
  });

  afterEach(() => {
    extender.answer({});
  });

  afterAll(async () => {
    await kubelet.stop();
    await cluster.stop();
    await extender.stop();
  });

  function bound(name: string): Promise<Pod> {
    return eventually(`pod ${name} to be bound`, async () => {
      const pod = await cluster.api.get(PODS, { name });
      return pod.spec.nodeName !== undefined && pod;
    });
  }

  function unscheduled(name: string): Promise<Condition> {
    return eventually(`pod ${name} to be refused`, async () => {
      const { status } = await cluster.api.get(PODS, { name });
      return status.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False');
    });
  }

  test('is asked to filter, then to prioritize, with the names of the nodes that fit', async () => {
    await cluster.api.create(PODS, podManifest({ name: 'plain' }));
    await bound('plain');
    const calls = extender.callsFor('default/plain');
    expect(calls.map(({ verb }) => verb)).toEqual(['filter', 'prioritize']);
    for (const { args } of calls) {
      expect(args).toMatchObject({
        Nodes: null,
        NodeNames: expect.arrayContaining(['n1', 'n2', 'n3']) as unknown,
      });
    }
  });

  test('decides where the pod goes by the nodes that it leaves', async () => {
    extender.answer({ filter: () => ({ NodeNames: ['n2'] }) });
    await cluster.api.create(PODS, podManifest({ name: 'pinned' }));
    expect((await bound('pinned')).spec.nodeName).toBe('n2');
    // One node is left, so nobody asks which is best.
    expect(extender.callsFor('default/pinned').map(({ verb }) => verb)).toEqual(['filter']);
  });

  test('decides where the pod goes by its scores', async () => {
    extender.answer({
      prioritize: (args) => nodeNamesOf(args).map((Host) => ({ Host, Score: Host === 'n3' ? 10 : 0 })),
    });
    await cluster.api.create(PODS, podManifest({ name: 'favoured' }));
    expect((await bound('favoured')).spec.nodeName).toBe('n3');
  });

  test('holds a pod by refusing every node, with its own words in the condition', async () => {
    const refusal = 'held for a test';
    extender.answer({
      filter: (args) => ({
        NodeNames: [],
        FailedNodes: Object.fromEntries(nodeNamesOf(args).map((name) => [name, refusal])),
      }),
    });
    await cluster.api.create(PODS, podManifest({ name: 'held' }));
    const condition = await unscheduled('held');
    expect(condition.reason).toBe('Unschedulable');
    expect(condition.message).toContain(`0/3 nodes are available: 3 ${refusal}`);

    extender.answer({});
    const touch = { type: 'merge', body: { metadata: { annotations: { released: 'yes' } } } } as const;
    await cluster.api.patch(PODS, { name: 'held' }, touch);
    expect((await bound('held')).spec.nodeName).toMatch(/^n[123]$/);
  });

  test('is asked before pods are evicted for one of higher priority', async () => {
    await cluster.api.create(PRIORITY_CLASSES, { metadata: { name: 'high' }, value: 1000 });
    const low = ['low-1', 'low-2', 'low-3'];
    for (const name of low) await cluster.api.create(PODS, podManifest({ name, requests: { cpu: '1500m' } }));
    await Promise.all(low.map(bound));
    extender.answer({ preempt: () => ({ NodeNameToMetaVictims: {} }) });

    const spec = { priorityClassName: 'high' };
    await cluster.api.create(PODS, podManifest({ name: 'high', requests: { cpu: '1500m' }, spec }));
    const asked = await eventually('the extender to be asked about victims', () =>
      extender.callsFor('default/high').find(({ verb }) => verb === 'preempt'),
    );
    expect(Object.keys((asked.args as { NodeNameToMetaVictims: object }).NodeNameToMetaVictims)).toHaveLength(
      3,
    );
    await unscheduled('high');
    const { items } = await cluster.api.list(PODS, { namespace: 'default' });
    expect(items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
  });
});
