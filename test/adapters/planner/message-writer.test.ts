/** What the thread is sent, and that it is sent no more than that. */
import { serialize } from 'node:v8';
import { AskedTask } from '../../../src/adapters/planner/messages/asked-task.js';
import { ClusterCopy } from '../../../src/adapters/planner/messages/cluster-copy.js';
import type { PlannerMessage } from '../../../src/adapters/planner/messages/message.js';
import { Outbox } from '../../../src/adapters/planner/messages/outbox.js';
import { taskOf, type PlannerQuestion, type PlannerTask } from '../../../src/adapters/planner/task.js';
import { MessageWriter } from '../../../src/adapters/planner/messages/message-writer.js';
import type { DisruptionQuestion, PlanQuestion } from '../../../src/ports/planner.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import { batchCluster, disruptionQuestion, planQuestion } from '../../contract/planner.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { podSpec } from '../../support/builders/pod.js';

/** A cluster and the thread that follows it. */
class Fed {
  readonly cluster: Cluster;
  readonly #outbox: Outbox;
  readonly #messages: ReturnType<MessageWriter['messages']>;
  readonly #copy = new ClusterCopy();
  #asked = 0;
  #sentMessages: PlannerMessage[] = [];
  /** Of the last question. */
  task: PlannerTask | undefined;

  constructor(cluster: Cluster, mostSent?: number) {
    this.cluster = cluster;
    this.#outbox = new Outbox(cluster, () => undefined);
    this.#outbox.restart();
    this.#messages = new MessageWriter(mostSent).messages(this.#outbox);
  }

  ask(question: PlanQuestion): void {
    this.askFor({ kind: 'plan', question });
  }

  askFor(work: PlannerQuestion): void {
    const { cluster } = this;
    this.#outbox.ask(new AskedTask(++this.#asked, work, { cluster, signal: undefined }));
    this.deliver();
  }

  deliver(): void {
    this.#outbox.begin();
    for (;;) {
      const message = this.#messages.next().value;
      if (message === undefined) return;
      this.#sentMessages.push(message);
      this.task = this.#copy.take(structuredClone(message))?.task() ?? this.task;
    }
  }

  sent(): {
    readonly messages: number;
    readonly bytes: number;
    readonly shared: number;
    readonly forgotten: number;
  } {
    const sent = this.#sentMessages.splice(0);
    return {
      messages: sent.length,
      bytes: sent.reduce((sum, message) => sum + serialize(message).byteLength, 0),
      shared: sent.reduce((sum, { shared }) => sum + shared.objects.length, 0),
      forgotten: sent.reduce((sum, { shared }) => sum + shared.forgotten.length, 0),
    };
  }

  get specs(): ReadonlySet<unknown> {
    const pods = this.task?.kind === 'plan' ? this.task.input.pods : [];
    return new Set(pods.map(({ spec }) => spec));
  }
}

function disruptTask(task: PlannerTask | undefined): Extract<PlannerTask, { kind: 'disrupt' }> {
  if (task?.kind !== 'disrupt') throw new Error('the last question was not about disruption');
  return task;
}

function bound(name: string, spec = podSpec()): ReturnType<typeof observedPod> {
  return { ...observedPod({ name, nodeName: 'old' }), spec };
}

describe('what the thread is sent', () => {
  test('is much at first, in small messages, and a few bytes where little has changed', () => {
    const cluster = batchCluster(3);
    const spec = podSpec({ labels: { app: 'web' } });
    for (let index = 0; index < 2000; index++) cluster.put('Pod', bound(`r-${String(index)}`, spec));
    const fed = new Fed(cluster);
    const question = planQuestion(cluster, 3);
    fed.ask(question);
    const whole = fed.sent();
    fed.ask(question);
    const nothing = fed.sent();
    cluster.put('Pod', bound('new', spec));
    cluster.delete('Pod', 'default/r-7');
    fed.ask(question);
    const little = fed.sent();
    expect(whole.messages).toBeGreaterThan(8);
    expect(whole.bytes).toBeGreaterThan(500_000);
    expect([nothing.messages, little.messages]).toEqual([1, 2]);
    expect(nothing.bytes).toBeLessThan(1500);
    expect(little.bytes).toBeLessThan(2500);
  });

  test('has a spec that many pods share once, until the last of them is gone', () => {
    const cluster = batchCluster(1);
    const spec = podSpec({ labels: { app: 'web', note: 'x'.repeat(1000) } });
    const fed = new Fed(cluster, 7);
    const question = planQuestion(cluster, 1);
    fed.ask(question);
    fed.sent();
    for (let index = 0; index < 100; index++) cluster.put('Pod', bound(`r-${String(index)}`, spec));
    fed.ask(question);
    expect(fed.sent()).toMatchObject({ shared: 1, forgotten: 0 });
    // Those of web-0, of giant and this one.
    expect(fed.specs.size).toBe(3);
    for (let index = 0; index < 99; index++) cluster.delete('Pod', `default/r-${String(index)}`);
    fed.deliver();
    expect(fed.sent()).toMatchObject({ shared: 0, forgotten: 0 });
    cluster.put('Pod', bound('r-99', podSpec({ labels: { app: 'other' } })));
    fed.deliver();
    expect(fed.sent()).toMatchObject({ shared: 1, forgotten: 1 });
  });

  test('has an object once that changes many times in one turn, and one that came and went as gone', () => {
    const cluster = batchCluster(1);
    const fed = new Fed(cluster);
    fed.ask(planQuestion(cluster, 1));
    fed.sent();
    for (let version = 2; version < 50; version++)
      cluster.put('Pod', { ...bound('busy'), resourceVersion: String(version) });
    cluster.put('Pod', bound('short'));
    cluster.delete('Pod', 'default/short');
    fed.deliver();
    const { messages, bytes } = fed.sent();
    expect(messages).toBe(1);
    expect(bytes).toBeLessThan(3000);
  });

  test('has types and pools only when they are other objects than in the last question', () => {
    const cluster = batchCluster(1);
    const fed = new Fed(cluster);
    const question = planQuestion(cluster, 1);
    const [offer] = question.pools;
    fed.ask(question);
    const { shared } = fed.sent();
    fed.ask({ ...question, pools: question.pools.map((pool) => ({ ...pool })) });
    expect(fed.sent()).toMatchObject({ shared: 0, forgotten: 0 });
    const types = [...(offer?.instanceTypes ?? [])];
    const [changed] = smallCatalogue();
    if (changed !== undefined) types.splice(0, 1, changed);
    fed.ask({ ...question, pools: question.pools.map((pool) => ({ ...pool, instanceTypes: types })) });
    expect(fed.sent()).toMatchObject({ shared: 1, forgotten: 1 });
    expect(shared).toBeGreaterThan(types.length);
  });

  test('of a question about disruption leaves nothing out that bears on the answer', () => {
    const cluster = batchCluster(1);
    for (const name of ['kept', 'shifted']) {
      const nodeName = `node-${name}`;
      const status = { providerID: `aws:///us-east-1a/${name}`, nodeName };
      const zone = name === 'kept' ? 'us-east-1a' : 'us-east-1b';
      cluster.put('NodeClaim', nodeClaim({ name, status: { ...status, zone } }));
      cluster.put('Node', observedNode({ name: nodeName, providerID: status.providerID }));
    }
    const fed = new Fed(cluster);
    const names = new Set(['kept']);
    const question: DisruptionQuestion = {
      ...disruptionQuestion(),
      proposed: names,
      uncompared: names,
      shiftedZones: new Set(['us-east-1b']),
      driftHolds: new Map([
        [
          'general',
          { room: 1, refusal: { code: 'DriftBackOff', nodePool: 'general', failures: 1, until: 1 } },
        ],
      ]),
    };
    fed.askFor({ kind: 'disrupt', question });
    const { input } = disruptTask(fed.task);
    const expected = disruptTask(taskOf(cluster, { kind: 'disrupt', question })).input;
    expect(expected.nodes).toMatchObject([{ proposed: true, uncompared: true }, { shifted: true }]);
    expect(input).toEqual(expected);
  });

  test('has no policies, Leases or Decisions', () => {
    const cluster = batchCluster(1);
    const fed = new Fed(cluster);
    fed.ask(planQuestion(cluster, 1));
    fed.sent();
    const times = { acquiredAt: 1, renewedAt: 1, durationSeconds: 15, transitions: 0 };
    cluster.put('Lease', { name: 'berth', resourceVersion: '2', holder: 'leader', ...times });
    cluster.put('PolicyConfigMap', {
      ...{ name: 'policies', uid: 'uid', resourceVersion: '3', createdAt: 0 },
      documents: [],
    } as unknown as Parameters<typeof cluster.put<'PolicyConfigMap'>>[1]);
    fed.deliver();
    expect(fed.sent().messages).toBe(0);
  });
});
