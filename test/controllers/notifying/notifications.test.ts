/** Notifications wait in a short queue: no controller waits for the channel. */
import { NOTIFIED, Notifications, type Notified } from '../../../src/controllers/notifying/notifications.js';
import { notifyingRecorder } from '../../../src/controllers/notifying/notifying-recorder.js';
import { PortError } from '../../../src/ports/port-error.js';
import type { NewDecision } from '../../../src/ports/recorder.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { constantRandom } from '../../support/constant-random.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';

class Channel {
  readonly posts: { readonly text: string; readonly at: number }[] = [];
  /** What the next posts fail with, in order. */
  readonly failures: PortError[] = [];
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  post(text: string): Promise<void> {
    this.posts.push({ text, at: this.#clock.monotonic() });
    const failure = this.failures.shift();
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  }
}

function world(kinds: readonly Notified[] = NOTIFIED) {
  const clock = new VirtualClock();
  const channel = new Channel(clock);
  const metrics = createMetrics();
  const { logger, lines } = recordingLogger();
  const parts = { channel, kinds, clusterName: 'shop', clock, random: constantRandom(0.5), logger, metrics };
  const notifications = new Notifications(parts);
  const life = new AbortController();
  void notifications.run(life.signal);
  const counted = async (): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries(
      (await metrics.notifications.get()).values.map(({ labels, value }) => [String(labels.result), value]),
    );
  return { clock, channel, notifications, counted, lines, life };
}

function failure(code: 'Unavailable' | 'Invalid' | 'RateLimited', retryAfterMillis?: number): PortError {
  return new PortError(code, { operation: 'post a notification', message: 'planted', retryAfterMillis });
}

test('a text is posted with the name of the cluster', async () => {
  const { clock, channel, notifications, counted } = world();
  notifications.tell('proposed', 'launch-1 waits');
  await clock.advance(100);
  expect(channel.posts.map(({ text }) => text)).toEqual(['[shop] launch-1 waits']);
  expect(await counted()).toEqual({ sent: 1 });
});

test('only kinds that were asked for are told', async () => {
  const { clock, channel, notifications } = world(['expired']);
  notifications.tell('proposed', 'a');
  notifications.tell('expired', 'b');
  await clock.advance(100);
  expect(channel.posts.map(({ text }) => text)).toEqual(['[shop] b']);
});

test('many texts are few posts: three at once, then one in five seconds with ten lines at most', async () => {
  const { clock, channel, notifications } = world();
  for (let index = 0; index < 40; index++) notifications.tell('proposed', String(index));
  await clock.advance(100);
  expect(channel.posts).toHaveLength(3);
  await clock.advance(5000);
  expect(channel.posts).toHaveLength(4);
  const lines = channel.posts.flatMap(({ text }) => text.split('\n'));
  expect(lines).toEqual(Array.from({ length: 40 }, (_, index) => `[shop] ${String(index)}`));
});

test('what is more than a hundred texts is dropped, and counted', async () => {
  const { clock, channel, notifications, counted } = world();
  channel.failures.push(failure('RateLimited', 50_000));
  notifications.tell('proposed', 'first');
  await clock.advance(100);
  for (let index = 0; index < 120; index++) notifications.tell('proposed', String(index));
  await clock.advance(3_600_000);
  expect(await counted()).toEqual({ sent: 101, dropped: 20 });
});

test('a post that fails in passing is tried again, later each time and as late as the webhook asks', async () => {
  const { clock, channel, notifications, counted } = world();
  channel.failures.push(failure('Unavailable'), failure('RateLimited', 30_000));
  notifications.tell('proposed', 'a');
  await clock.advance(120_000);
  const [first, second, third] = channel.posts.map(({ at }) => at);
  expect(channel.posts).toHaveLength(3);
  expect((second ?? 0) - (first ?? 0)).toBeLessThan(2000);
  expect((third ?? 0) - (second ?? 0)).toBe(30_000);
  expect(await counted()).toEqual({ sent: 1 });
});

test('a post that cannot succeed is given up, logged and counted, and the next is posted', async () => {
  const { clock, channel, notifications, counted, lines } = world();
  channel.failures.push(failure('Invalid'));
  notifications.tell('proposed', 'a');
  await clock.advance(100);
  notifications.tell('proposed', 'b');
  await clock.advance(100);
  expect(channel.posts.map(({ text }) => text)).toEqual(['[shop] a', '[shop] b']);
  expect(await counted()).toEqual({ failed: 1, sent: 1 });
  expect(lines.map(({ message }) => message)).toEqual(['Failed to post notifications']);
});

test('nothing is posted after the signal', async () => {
  const { clock, channel, notifications, life } = world();
  life.abort();
  await clock.settle();
  notifications.tell('proposed', 'a');
  await clock.advance(60_000);
  expect(channel.posts).toEqual([]);
});

describe('recorded decisions', () => {
  const launch: NewDecision = {
    subject: { kind: 'NodeClaim', namespace: '', name: 'general-1', uid: 'u' },
    action: 'Launch',
    reason: 'LaunchFailed',
    message: 'no such subnet',
    trigger: '',
    considered: '',
    saving: undefined,
    event: { type: 'Warning', reason: 'LaunchFailed' },
  };

  test('of launches that fail and of interruptions are told, each reason once in ten minutes', async () => {
    const clock = new VirtualClock();
    const told: string[] = [];
    const { recorder, decisions } = recordedDecisions();
    const notifying = notifyingRecorder({
      recorder,
      clock,
      notifications: { tell: (kind, text) => told.push(`${kind} ${text}`) },
    });
    notifying.record(launch);
    notifying.record({ ...launch, message: 'again' });
    notifying.record({ ...launch, reason: 'Provisioned', event: undefined });
    notifying.record({ ...launch, action: 'Disrupt', reason: 'SpotInterruption', event: undefined });
    await clock.advance(600_000);
    notifying.record({ ...launch, message: 'later' });
    expect(decisions).toHaveLength(5);
    expect(told.map((text) => text.replace(/ \(more.*/, ''))).toEqual([
      'launch-failed LaunchFailed: NodeClaim general-1: no such subnet',
      'interrupted SpotInterruption: NodeClaim general-1: no such subnet',
      'launch-failed LaunchFailed: NodeClaim general-1: later',
    ]);
  });
});
