/** Pods that were created while the webhook did not answer are counted, and one of each owner's is named. */
import { UnstampedPodsController } from '../../../src/controllers/policies/unstamped-pods-controller.js';
import type { StampMode } from '../../../src/domain/policies/pod-defaults.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { podDefaults } from '../../support/builders/pod-defaults.js';
import { acceptedPolicy, policyStatus } from '../../support/builders/policy-status.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const OWNER = { kind: 'ReplicaSet', name: 'web-1' } as const;
const STAMPED = { 'berth.sh/stamped': '{"schedulingGate":"gated"}' };

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Given {
  readonly mode?: StampMode;
  /** Pods that are there when the controller begins. */
  readonly before?: readonly ObservedPodOverrides[];
}

async function world({ mode = 'stamp', before = [] }: Given = {}) {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  const metrics = createMetrics();
  const { recorder, decisions } = recordedDecisions();
  const gated = podDefaults({ name: 'gated', schedulingGate: true, mode });
  const accepted = acceptedPolicy({
    apiVersion: 'berth.sh/v1',
    kind: 'PodDefaults',
    metadata: { name: 'gated' },
  });
  cluster.put(
    'PolicyStatus',
    policyStatus({
      kind: 'PodDefaults',
      policy: 'gated',
      lastAccepted: { ...accepted, value: { kind: 'PodDefaults', podDefaults: gated } },
      conditions: [
        { type: 'Accepted', status: 'True', reason: 'Valid', message: '', lastTransitionTime: clock.now() },
      ],
    }),
  );
  const put = (overrides: ObservedPodOverrides): void => {
    const age = { createdAt: clock.now(), scheduled: undefined, ...overrides };
    cluster.put('Pod', observedPod(age));
  };
  await clock.advance(60_000);
  for (const overrides of before) put(overrides);
  for (const kind of ['Pod', 'Namespace', 'PolicyStatus', 'Lease'] as const) cluster.synced(kind);
  const controller = new UnstampedPodsController({
    ...{ cluster, clock, metrics, recorder },
    namespace: 'berth-system',
  });
  const abort = new AbortController();
  stops.push(() => {
    abort.abort();
  });
  void controller.run(abort.signal);
  await clock.advance(10);
  const count = async (): Promise<number> => {
    const found = /berth_pods_not_stamped_total (\d+)/.exec(await metrics.registry.metrics());
    return Number(found?.[1]);
  };
  return { clock, put, decisions, count };
}

describe('a pod without its scheduling gate', () => {
  test('is named with the document that says so', async () => {
    const { put, decisions, count } = await world();
    put({ name: 'bare' });
    expect(decisions).toMatchObject([
      { subject: { kind: 'Pod', name: 'bare' }, reason: 'NotStamped', event: { type: 'Warning' } },
    ]);
    expect(decisions[0]?.message).toContain('schedulingGate of PodDefaults gated');
    expect(await count()).toBe(1);
  });

  test('is found when it was created before this process led', async () => {
    const { decisions } = await world({ before: [{ name: 'early' }] });
    expect(decisions).toMatchObject([{ subject: { name: 'early' } }]);
  });

  test('is counted, and named once in ten minutes for all pods of its owner', async () => {
    const { clock, put, decisions, count } = await world();
    for (let index = 0; index < 5; index++) put({ name: `web-${String(index)}`, owner: OWNER });
    expect(decisions).toHaveLength(1);
    expect(decisions[0]?.message).toContain('ReplicaSet web-1');
    expect(await count()).toBe(5);
    await clock.advance(600_000);
    put({ name: 'web-9', owner: OWNER });
    expect(decisions).toHaveLength(2);
  });

  test.each<readonly [string, ObservedPodOverrides]>([
    ['has the gate', { awaitsPlace: true }],
    ['was stamped, and its gate is gone', { annotations: STAMPED }],
    ['is bound', { nodeName: 'node-1' }],
    ['is of another scheduler', { schedulerName: 'volcano' }],
    ['is of a DaemonSet', { owner: { kind: 'DaemonSet', name: 'agent' } }],
    ['asks to be left alone', { annotations: { 'berth.sh/ignore': 'true' } }],
    ['is in a namespace that is never stamped', { namespace: 'kube-system' }],
    ['is older than the document', { createdAt: new VirtualClock().now() - 1000 }],
  ])('is no news when it %s', async (_, overrides) => {
    const { put, decisions, count } = await world();
    put(overrides);
    expect(decisions).toEqual([]);
    expect(await count()).toBe(0);
  });

  test('is no news where the document only warns', async () => {
    const { put, decisions } = await world({ mode: 'warn' });
    put({ name: 'bare' });
    expect(decisions).toEqual([]);
  });
});
