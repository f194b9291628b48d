/**
 * An extender process of its own, which writes nothing and knows no leader but by API objects, says what the one beside the
 * leader says; and when the leader has been silent for too long, neither holds anything.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  daemonSet,
  deployment,
  nodeClass,
  nodePool,
  pod,
  type WorkloadParts,
} from '../../../scenario/objects.js';
import { Scenario } from '../../../scenario/scenario.js';
import type { Manifest } from '../../../scenario/world.js';
import { REFUSALS } from '../../../../src/planning/placement/refusal.js';
import { BerthCluster } from '../../berth/berth-cluster.js';
import type { BerthProcess } from '../../berth/berth-process.js';
import { ExtenderClient } from '../../berth/extender-client.js';
import { extenderQuestions, type ExtenderQuestion } from '../../berth/extender-questions.js';
import { keepLease, renewLease } from '../../berth/kept-lease.js';
import { NODE_CLAIMS, RESERVATIONS, type NodeClaim } from '../../berth/kinds.js';
import { RealWorld } from '../../berth/real-world.js';
import { NODES, PODS, type Pod } from '../../fixture/api/kube-object.js';

/** A scheduler that does not exist: its pods stay as they are. */
const NOBODY = { schedulerName: 'nobody' };
const ROUNDS = 20;
const QUESTIONS_A_ROUND = 25;

describe('an extender without a leader in its process', () => {
  let berth: BerthCluster;
  let world: RealWorld;
  let alone: BerthProcess;
  let questions: readonly (readonly ExtenderQuestion[])[];
  /** What the extender beside the leader said, and what there was meanwhile. */
  let expected: readonly (readonly string[])[];
  let picture: readonly string[];
  const clients: ExtenderClient[] = [];

  beforeAll(async () => {
    berth = await BerthCluster.start({
      nodeChange: ({ labels }) => (labels?.['scenario'] === 'flight' ? { failure: 'never-registers' } : {}),
    });
    world = new RealWorld(berth);
    alone = await berth.startExtender('alone');
    await prepare(new Scenario(world));
    questions = await askable();
  }, 300_000);

  afterAll(async () => {
    for (const client of clients) client.close();
    await berth.stop();
  });

  /** Bound pods, pods whose nodes are under way in three ways, DaemonSet pods that are to come, a node that goes. */
  async function prepare(scenario: Scenario): Promise<void> {
    const startupTaints = [{ key: 'example.com/agent', effect: 'NoSchedule' }];
    await scenario.given(
      nodeClass(),
      ...['filled', 'flight', 'leaving'].map((name) => nodePool(own(name))),
      nodePool({ ...own('starting'), template: { startupTaints } }),
      daemonSet({
        name: 'agent',
        requests: { cpu: '100m' },
        pod: { ...NOBODY, tolerations: [{ operator: 'Exists' }] },
      }),
      disruptionBudget('leaving'),
    );
    await scenario.whenApplied(
      deployment({ ...wants('filled', '850m'), replicas: 4 }),
      deployment({ ...wants('flight', '700m'), replicas: 5 }),
      deployment({ ...wants('starting', '600m'), replicas: 4 }),
      deployment(wants('leaving', '500m')),
      pod({ name: 'huge', requests: { cpu: '1000' } }),
      ...['100m', '1'].map((cpu) => pod({ name: `idle-${cpu}`, requests: { cpu }, pod: NOBODY })),
      deployment({ name: 'crowd', replicas: 3, requests: { cpu: '20m' }, pod: NOBODY }),
    );
    await scenario.expectScheduled({ app: 'filled', pods: 4 });
    await scenario.expectScheduled({ app: 'leaving', pods: 1 });
    await world.until('the startup taint is all that keeps pods off', () => isStarting(), 60);
    await world.until('pods are planned on claims in flight', () => isInFlight(), 60);
    const [leaving = ''] = await nodesOf('leaving');
    await scenario.whenDeleted({ kind: 'Node', name: leaving });
    await world.until('its claim is disrupted', () => isDisrupted(leaving), 60);
    await reserveByHand();
    await berth.cluster.scheduler.stop();
  }

  function own(name: string): NonNullable<Parameters<typeof nodePool>[0]> {
    const requirements = { 'node.kubernetes.io/instance-type': ['m5.large'] };
    return { name, labels: { scenario: name }, requirements };
  }

  function wants(name: string, cpu: string): WorkloadParts {
    return { name, requests: { cpu }, pod: { nodeSelector: { scenario: name } } };
  }

  /** Room on a node that is there, for one pod and for those of an owner. */
  async function reserveByHand(): Promise<void> {
    const [name = ''] = await nodesOf('filled');
    const pods = (await berth.cluster.api.list(PODS)).items;
    const idle = pods.find(({ metadata }) => metadata.name === 'idle-100m');
    const member = pods.find(({ metadata }) => metadata.labels?.['app'] === 'crowd');
    const [owner] = member?.metadata.ownerReferences ?? [];
    const requests = { cpu: '20m', memory: '16Mi' };
    const entries = [
      { podUID: idle?.metadata.uid, count: 1, requests },
      { owner: { kind: owner?.kind, namespace: 'default', name: owner?.name }, count: 2, requests },
    ];
    const metadata = { name: `node.${name}` };
    await berth.cluster.api.create(RESERVATIONS, {
      metadata,
      spec: { target: { kind: 'Node', name }, entries },
    });
  }

  async function nodesOf(pool: string): Promise<readonly string[]> {
    const nodes = await world.nodes();
    return nodes.filter(({ labels }) => labels['scenario'] === pool).map(({ name }) => name);
  }

  async function isStarting(): Promise<boolean> {
    const nodes = (await world.nodes()).filter(({ labels }) => labels['scenario'] === 'starting');
    return nodes.length > 0 && nodes.every(({ taints }) => taints.join() === 'example.com/agent=:NoSchedule');
  }

  async function isInFlight(): Promise<boolean> {
    const claims = (await world.claims()).filter(({ nodePool: pool }) => pool === 'flight');
    return claims.length > 0 && claims.every(({ conditions }) => conditions.includes('Launched'));
  }

  async function isDisrupted(nodeName: string): Promise<boolean> {
    const { items } = await berth.cluster.api.list(NODE_CLAIMS);
    const found = items.find(({ status }) => status?.nodeName === nodeName);
    return found?.status?.disruption !== undefined;
  }

  async function askable(): Promise<readonly (readonly ExtenderQuestion[])[]> {
    const { api } = berth.cluster;
    const source = { pods: (await api.list(PODS)).items, nodes: (await api.list(NODES)).items };
    return Array.from({ length: ROUNDS }, (_, round) =>
      extenderQuestions(source, { seed: 1 + round, count: QUESTIONS_A_ROUND }),
    );
  }

  /** What answers follow from, as far as it is in the API. */
  async function seen(): Promise<readonly string[]> {
    const { api } = berth.cluster;
    const [claims, reservations] = await Promise.all([api.list(NODE_CLAIMS), api.list(RESERVATIONS)]);
    const conditions = ({ status }: NodeClaim): string =>
      (status?.conditions ?? []).map(({ type }) => type).join();
    return [
      ...(await world.pods()).map(({ name, nodeName = 'no node' }) => `pod ${name} on ${nodeName}`),
      ...(await world.nodes()).map(
        ({ name, taints, ready }) => `node ${name} ${taints.join()} ${String(ready)}`,
      ),
      ...claims.items.map((claim) => `claim ${claim.metadata.name} ${conditions(claim)}`),
      ...reservations.items.map(
        ({ metadata, spec }) => `reservation ${metadata.name} ${JSON.stringify(spec)}`,
      ),
    ];
  }

  async function clientOf(process: BerthProcess): Promise<ExtenderClient> {
    const isBesideLeader = process === berth.berth;
    const client = isBesideLeader
      ? new ExtenderClient(berth.extenderUrl, await berth.certificates())
      : new ExtenderClient(`http://127.0.0.1:${String(process.extenderPort)}`);
    clients.push(client);
    return client;
  }

  /** All answers of each of these, who hear the same questions in the same order, and at the same times. */
  async function answersOf(
    processes: readonly BerthProcess[],
  ): Promise<readonly (readonly (readonly string[])[])[]> {
    const asked = await Promise.all(processes.map(clientOf));
    const answers = asked.map((): (readonly string[])[] => []);
    for (const round of questions) {
      await forget(asked, round);
      const heard = asked.map((): string[] => []);
      for (const { verb, body } of round) {
        const texts = await Promise.all(asked.map((client) => client.ask(verb, body)));
        for (const [index, text] of texts.entries()) heard[index]?.push(text);
      }
      await forget(asked, round);
      for (const [index, texts] of heard.entries()) answers[index]?.push(texts);
    }
    return answers;
  }

  /** A pod that is asked about with no node has none of those that it was answered before. */
  async function forget(asked: readonly ExtenderClient[], round: readonly ExtenderQuestion[]): Promise<void> {
    for (const { body } of round)
      await Promise.all(
        asked.map((client) => client.ask('filter', { Pod: body.Pod, Nodes: null, NodeNames: [] })),
      );
  }

  test('says word for word what the one beside the leader says', async () => {
    let before = await seen();
    let answers = await answersOf([berth.berth, alone]);
    picture = await seen();
    // On a busy machine something may still have been under way: then it is asked once more.
    if (picture.join() !== before.join()) {
      before = picture;
      answers = await answersOf([berth.berth, alone]);
      picture = await seen();
    }
    expect(picture).toEqual(before);
    const [leaders = [], own = []] = answers;
    expected = leaders;
    expect(own).toEqual(leaders);
    expect(own.flat().filter((text) => !text.startsWith('200 '))).toEqual([]);
    // None of the pods asked about is one of a gang.
    const waits: readonly string[] = [REFUSALS.gangWaits, REFUSALS.orderWaits];
    const heard = Object.values(REFUSALS).filter((refusal) => !waits.includes(refusal));
    for (const refusal of heard) expect(own.flat().join()).toContain(refusal);
  });

  test('started after the leader ended, says the same from API objects alone', async () => {
    await berth.berth.kill();
    const stop = keepLease(berth.cluster.api);
    try {
      const fresh = await berth.startExtender('fresh');
      const [first = [], second = []] = await answersOf([fresh, alone]);
      expect(await seen()).toEqual(picture);
      expect(first).toEqual(second);
      expect(withoutEvictions(first, questions)).toEqual(withoutEvictions(expected, questions));
      expect(await fresh.metric('berth_extender_passes_total')).toBe(0);
    } finally {
      await stop();
    }
  });

  test('lets everything pass, and counts it, when the leader has been silent for more than 30 seconds', async () => {
    const [client] = await Promise.all([clientOf(alone)]);
    const passes = 'berth_extender_passes_total{cause="stale-leader"}';
    await renewLease(berth.cluster.api, 31_000);
    await sleep(500);
    const held = await podOf('flight');
    const names = (await berth.cluster.api.list(NODES)).items.map(({ metadata }) => metadata.name);
    const before = await alone.metric(passes);
    const answer = await client.ask('filter', { Pod: held, Nodes: null, NodeNames: names });
    expect((JSON.parse(answer.slice(4)) as { readonly NodeNames: unknown }).NodeNames).toEqual(names);
    expect(await alone.metric(passes)).toBe(before + 1);
    await renewLease(berth.cluster.api);
    await sleep(500);
    const again = await client.ask('filter', { Pod: held, Nodes: null, NodeNames: names });
    expect(again).toContain(REFUSALS.notReady);
  });

  async function podOf(app: string): Promise<Pod | undefined> {
    return (await berth.cluster.api.list(PODS, { labelSelector: `app=${app}` })).items[0];
  }
});

/** How long a pod has been waiting decides on evictions, and it has been waiting longer now. */
function withoutEvictions(
  answers: readonly (readonly string[])[],
  questions: readonly (readonly ExtenderQuestion[])[],
): readonly (readonly string[])[] {
  return answers.map((round, index) => round.filter((_, at) => questions[index]?.[at]?.verb !== 'preempt'));
}

function disruptionBudget(app: string): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app, namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app } } },
  };
}
