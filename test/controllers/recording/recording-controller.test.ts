import '../../../src/app/clouds.js';
import type { Decision } from '../../../src/domain/records/decision.js';
import { RecordingController } from '../../../src/controllers/recording/recording-controller.js';
import type { NewDecision } from '../../../src/ports/recorder.js';
import { createMetrics, type Metrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { decision, decisionSpec } from '../../support/builders/decision.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';
import { constantRandom } from '../../support/constant-random.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly kube: InMemoryKube;
  readonly cluster: Cluster;
  readonly metrics: Metrics;
  readonly lines: readonly LogLine[];
  readonly recorder: RecordingController;
  readonly stop: () => void;
  readonly stopped: Promise<void>;
  readonly written: () => readonly Decision[];
}

function scene(mostDecisions?: number): Scene {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const cluster = new Cluster();
  const metrics = createMetrics();
  const { logger, lines } = recordingLogger();
  const random = constantRandom(0.5);
  const recorder = new RecordingController({ kube, cluster, clock, random, logger, metrics, mostDecisions });
  const controller = new AbortController();
  const stopped = recorder.run(controller.signal);
  return {
    ...{ clock, kube, cluster, metrics, lines, recorder, stopped },
    stop: () => {
      controller.abort();
    },
    written: () => [...cluster.decisions.values()],
  };
}

function launch(number = 1, overrides: Partial<NewDecision> = {}): NewDecision {
  const name = `general-${String(number)}`;
  const subject = { kind: 'NodeClaim', namespace: '', name, uid: `uid-${name}` };
  const event = { type: 'Normal', reason: 'Launched' } as const;
  return { ...decisionSpec({ subject, message: `Launched ${name}` }), event, ...overrides };
}

function refusal(reason: string, name = 'web-0'): NewDecision {
  const subject = { kind: 'Pod', namespace: 'shop', name, uid: `uid-${name}` };
  return { ...decisionSpec({ subject, action: 'Refuse', reason, message: reason }), event: undefined };
}

async function sample(metrics: Metrics, name: string): Promise<number> {
  const text = await metrics.registry.metrics();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

describe('RecordingController', () => {
  test('tells of a decision in a Decision, an Event, a log line and a metric', async () => {
    const { clock, kube, lines, metrics, recorder, written } = scene();
    recorder.record(launch());
    await clock.advance(1000);
    expect(written()).toMatchObject([
      { spec: { time: Date.UTC(2026, 0, 1), action: 'Launch', message: 'Launched general-1' }, outcome: '' },
    ]);
    expect(kube.events).toMatchObject([
      {
        regarding: { apiVersion: 'berth.sh/v1', kind: 'NodeClaim', namespace: '', name: 'general-1' },
        type: 'Normal',
        reason: 'Launched',
        action: 'Launch',
        note: 'Launched general-1',
        count: 1,
      },
    ]);
    expect(lines).toMatchObject([
      { level: 'info', message: 'decided', fields: { name: 'general-1', why: 'Launched general-1' } },
    ]);
    expect(await sample(metrics, 'berth_decisions_total')).toBe(1);
  });

  test.each([
    ['EC2NodeClass', 'karpenter.k8s.aws/v1'],
    ['KWOKNodeClass', 'karpenter.kwok.sh/v1alpha1'],
    ['NodePool', 'karpenter.sh/v1'],
  ])('an event about a %s has the API version of its kind', async (kind, apiVersion) => {
    const { clock, kube, recorder } = scene();
    const subject = { kind, namespace: '', name: 'default', uid: 'uid-default' };
    recorder.record(launch(1, { subject }));
    await clock.advance(1000);
    expect(kube.events).toMatchObject([{ regarding: { apiVersion, kind, name: 'default' } }]);
  });

  test('writes no Event where none is wanted', async () => {
    const { clock, kube, recorder, written } = scene();
    recorder.record(launch(1, { event: undefined }));
    await clock.advance(1000);
    expect([kube.events.length, written().length]).toEqual([0, 1]);
  });

  test('names sort by time, and differ for different decisions at the same moment', async () => {
    const { clock, recorder, written } = scene();
    recorder.record(launch(9));
    recorder.record(launch(1));
    await clock.advance(1000);
    recorder.record(launch(5));
    await clock.advance(1000);
    const names = written().map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => /^20260101t00000[01]000z\.launch\.[0-9a-f]{10}$/.test(name))).toBe(true);
    expect([...names].sort()[2]).toBe(names[2]);
  });

  test('writes at most five times a second, and delays no controller', async () => {
    const { clock, kube, recorder } = scene();
    for (let i = 0; i < 100; i++) recorder.record(launch(i));
    await clock.advance(999);
    expect(kube.writes).toHaveLength(5);
    await clock.advance(10_000);
    expect(kube.writes).toHaveLength(55);
  });

  test('a refusal is written again only when the reason for its subject changes, but always counted', async () => {
    const { clock, metrics, lines, recorder, written } = scene();
    for (const reason of ['NoPool', 'NoPool', 'LimitReached', 'LimitReached', 'NoPool']) {
      recorder.record(refusal(reason));
      await clock.advance(1000);
    }
    recorder.record(refusal('NoPool', 'web-1'));
    await clock.advance(1000);
    expect(written().map(({ spec }) => [spec.subject.name, spec.reason])).toEqual([
      ['web-0', 'NoPool'],
      ['web-0', 'LimitReached'],
      ['web-0', 'NoPool'],
      ['web-1', 'NoPool'],
    ]);
    expect(lines).toHaveLength(4);
    expect(await sample(metrics, 'berth_decisions_total')).toBe(6);
  });

  test('a refusal of something else for the same reason is news', async () => {
    const { clock, recorder, written } = scene();
    for (const refused of ['Underutilized', 'Underutilized', 'Unhealthy', 'Unhealthy']) {
      recorder.record({ ...refusal('Budget'), message: `${refused}: budgets allow no more`, refused });
      await clock.advance(1000);
    }
    expect(written().map(({ spec }) => spec.message)).toEqual([
      'Underutilized: budgets allow no more',
      'Unhealthy: budgets allow no more',
    ]);
  });

  test('a refusal after something else happened to its subject is news', async () => {
    const { clock, recorder, written } = scene();
    recorder.record(refusal('NoPool'));
    await clock.advance(1000);
    recorder.record({ ...refusal('Provisioned'), action: 'Place' });
    await clock.advance(1000);
    recorder.record(refusal('NoPool'));
    await clock.advance(1000);
    expect(written().map(({ spec }) => spec.action)).toEqual(['Refuse', 'Place', 'Refuse']);
  });

  test('counts events that are alike in one series, and writes that once a minute', async () => {
    const { clock, kube, recorder } = scene();
    for (let i = 0; i < 130; i++) {
      recorder.record(launch());
      await clock.advance(1000);
    }
    const [first, ...rest] = kube.events;
    expect(rest.map(({ name, count }) => [name, count])).toEqual([
      [first?.name, 61],
      [first?.name, 121],
    ]);
    expect(rest[0]?.time).toBe((first?.time ?? 0) + 60_000);
  });

  test('events that differ in object, reason or note are events of their own', async () => {
    const { clock, kube, recorder } = scene();
    recorder.record(launch(1));
    recorder.record(launch(2));
    recorder.record(launch(1, { event: { type: 'Warning', reason: 'LaunchFailed' } }));
    recorder.record(launch(1, { message: 'Launched again' }));
    await clock.advance(10_000);
    expect(new Set(kube.events.map(({ name }) => name)).size).toBe(4);
    expect(kube.events.every(({ name }) => /^[a-z0-9.-]{1,253}$/.test(name))).toBe(true);
  });

  test('an event that kube-apiserver has forgotten begins again', async () => {
    const { clock, kube, recorder } = scene();
    recorder.record(launch());
    await clock.advance(120_000);
    kube.fail({ method: 'repeatEvent', code: 'NotFound' });
    recorder.record(launch());
    await clock.advance(1000);
    expect(kube.writes.map(({ method }) => method).filter((method) => method === 'createEvent')).toHaveLength(
      2,
    );
    await clock.advance(3_600_000);
    recorder.record(launch());
    await clock.advance(1000);
    expect(kube.events.at(-1)).toMatchObject({ count: 1 });
  });

  test('drops what is too much, the common before the rare, and counts it', async () => {
    const { clock, metrics, recorder, written } = scene();
    for (let i = 0; i < 1500; i++) recorder.record(refusal('NoPool', `web-${String(i)}`));
    recorder.record(launch(1, { event: undefined }));
    await clock.settle();
    expect(await sample(metrics, 'berth_decisions_dropped_total')).toBe(500);
    await clock.advance(1000);
    expect(written().some(({ spec }) => spec.action === 'Launch')).toBe(true);
  });

  test('keeps so many Decisions and deletes the oldest', async () => {
    const { clock, kube, cluster, recorder, written } = scene(10);
    for (let i = 0; i < 14; i++) {
      const old = decision({ name: `old-${String(i)}`, uid: `old-uid-${String(i)}`, spec: { time: i } });
      cluster.put('Decision', kube.objects.put('Decision', old));
    }
    for (let i = 0; i < 3; i++) recorder.record(launch(i, { event: undefined }));
    await clock.advance(10_000);
    const names = written().map(({ name }) => name);
    expect(names).toHaveLength(10);
    expect(names.filter((name) => name.startsWith('old-'))).toEqual(
      [7, 8, 9, 10, 11, 12, 13].map((i) => `old-${String(i)}`),
    );
    expect(kube.objects.list('Decision').length).toBe(10);
  });

  test('tries again what failed for now, and takes an answer that was lost for what it was', async () => {
    const { clock, kube, recorder, written, metrics } = scene();
    kube.fail({ method: 'createDecision', code: 'Unavailable' });
    kube.fail({ method: 'createDecision', code: 'TimedOut', applied: true });
    recorder.record(launch(1, { event: undefined }));
    await clock.advance(60_000);
    expect(kube.objects.list('Decision')).toHaveLength(1);
    expect(written()).toHaveLength(0);
    expect(await sample(metrics, 'berth_decisions_dropped_total')).toBe(0);
  });

  test('gives up what fails for good or too often, and continues', async () => {
    const { clock, kube, lines, recorder, written, metrics } = scene();
    kube.fail({ method: 'createDecision', code: 'Forbidden' });
    kube.fail({ method: 'createDecision', code: 'Unavailable', times: 3 });
    for (const i of [1, 2, 3]) recorder.record(launch(i, { event: undefined }));
    await clock.advance(60_000);
    expect(written().map(({ spec }) => spec.subject.name)).toEqual(['general-3']);
    expect(lines.filter(({ message }) => message === 'Failed to write decision or event')).toHaveLength(2);
    expect(await sample(metrics, 'berth_decisions_dropped_total')).toBe(2);
  });

  test('says what came of the latest decision of its kind', async () => {
    const { clock, recorder, written } = scene();
    recorder.record(launch(1));
    await clock.advance(5000);
    recorder.record(launch(1));
    recorder.record(launch(2));
    recorder.settle(launch(1).subject, 'Launch', 'm6i.large in eu-west-3a');
    recorder.settle(launch(3).subject, 'Launch', 'nobody knows of it');
    await clock.advance(5000);
    expect(written().map(({ outcome }) => outcome)).toEqual(['', 'm6i.large in eu-west-3a', '']);
  });

  test('spends none of its writes on outcomes without a decision', async () => {
    const { clock, recorder, written } = scene();
    await clock.advance(1000);
    for (let index = 0; index < 100; index++) recorder.settle(launch(9).subject, 'Drain', 'it is gone');
    recorder.record(launch(1, { event: undefined }));
    await clock.advance(250);
    expect(written()).toHaveLength(1);
  });

  test('cuts texts that are longer than a Decision may hold', async () => {
    const { clock, recorder, written } = scene();
    recorder.record(launch(1, { message: 'x'.repeat(10_000), trigger: 'y'.repeat(2000) }));
    await clock.advance(1000);
    expect(written()[0]?.spec.message).toHaveLength(8192);
    expect(written()[0]?.spec.trigger).toHaveLength(1024);
  });

  test('stops when it is asked to, and continues where it was when it runs again', async () => {
    const { clock, recorder, written, stop, stopped } = scene();
    stop();
    await expect(stopped).resolves.toBeUndefined();
    recorder.record(launch(1, { event: undefined }));
    await clock.advance(1000);
    expect(written()).toHaveLength(0);
    void recorder.run(new AbortController().signal);
    await clock.advance(1000);
    expect(written()).toHaveLength(1);
  });

  test('never throws at who records', () => {
    const { lines, recorder } = scene();
    recorder.record({ ...launch(), subject: undefined } as unknown as NewDecision);
    expect(lines).toMatchObject([{ level: 'error', message: 'Failed to record decision' }]);
  });
});
