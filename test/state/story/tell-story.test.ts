/** Stories, through the life of a pod and its node. */
import type { StoryRef } from '../../../src/state/story/story.js';
import { tellStory } from '../../../src/state/story/tell-story.js';
import { decision, proposalSpec } from '../../support/builders/decision.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { nodeName, PageWorld, type Instance } from '../../web/fixture/page-world.js';

const INSTANCE: Instance = {
  name: 'general-1',
  type: 'm7g.large',
  cpu: '1930m',
  memory: '6900Mi',
  price: 0.0428,
};
const POD: StoryRef = { kind: 'Pod', namespace: 'shop', name: 'web-1' };
const ASKS = { cpu: '500m', memory: '1Gi' };

function told(world: PageWorld, ref: StoryRef) {
  const story = tellStory(world.cluster, ref, world.clock.now());
  if (story === undefined) throw new Error(`no story of ${ref.kind} ${ref.name}`);
  return story;
}

describe('the story of a pod', () => {
  test('follows it from pending over its instance to its node', async () => {
    const world = new PageWorld();
    const pod = world.pod('shop/web-1', ASKS);
    expect(told(world, POD)).toMatchObject({
      tone: 'waiting',
      headline: 'kube-scheduler found no room; Berth plans it with the next batch',
    });
    await world.clock.advance(1000);
    const claim = world.plan(INSTANCE, [pod]);
    expect(told(world, POD)).toMatchObject({
      tone: 'waiting',
      headline: expect.stringContaining('Its node is starting') as string,
    });
    await world.clock.advance(1000);
    const launched = world.launch(claim);
    expect(told(world, POD).headline).toBe('Its node is starting: m7g.large, spot in eu-west-3a');
    await world.clock.advance(30_000);
    const ready = world.register(launched);
    expect(told(world, POD).headline).toBe(
      `Room is reserved for it on ${nodeName(claim)}; kube-scheduler binds it next`,
    );
    world.bind(pod, ready);
    const story = told(world, POD);
    expect(story).toMatchObject({ tone: 'good', headline: `It runs on ${nodeName(claim)}` });
    expect(story.why.join(' ')).toContain(
      `NodePool general launched ${nodeName(claim)} (NodeClaim general-1) for a plan of pending pods.`,
    );
    expect(story.steps.map(({ title }) => title)).toEqual([
      'Created',
      'Place: Provisioned',
      'Launch: Launched',
      'Launched',
      'Registered',
      'Initialized',
    ]);
    expect(story.facts).toContainEqual({ label: 'Costs', value: '0.0111 USD/h' });
    await world.close();
  });

  test('says of each pool what is lacking, and what would have to change', async () => {
    const world = new PageWorld();
    const pod = world.pod('shop/web-1', { cpu: '64' });
    world.refuse(
      pod,
      ['a', 'no type is large enough', 'add larger types'],
      ['b', 'taint x is not tolerated', 'add a toleration for key x'],
    );
    const story = told(world, POD);
    expect(story).toMatchObject({ tone: 'bad', headline: 'It cannot be placed: no type is large enough' });
    expect(story.considered.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['NodePool a', 'no type is large enough'],
      ['NodePool b', 'taint x is not tolerated'],
    ]);
    expect(story.changes).toEqual(['NodePool a: add larger types', 'NodePool b: add a toleration for key x']);
    await world.close();
  });

  test('a refusal is forgotten once room is held', async () => {
    const world = new PageWorld();
    const pod = world.pod('shop/web-1', ASKS);
    world.refuse(pod, ['a', 'out of stock', 'wait']);
    world.plan(INSTANCE, [pod]);
    expect(told(world, POD).tone).toBe('waiting');
    await world.close();
  });

  test.each([
    [{ schedulingGated: true }, 'It has a scheduling gate; Berth plans it once the gate is removed'],
    [{ phase: 'Succeeded' }, 'It has finished'],
    [{ terminating: true }, 'It is being deleted'],
    [{ scheduled: undefined }, 'kube-scheduler has not tried to schedule it yet'],
    [
      { owner: { kind: 'DaemonSet', name: 'agent' } },
      'It is a DaemonSet pod of one node; Berth keeps room for it there',
    ],
  ] as const)('%j: %s', async (overrides, headline) => {
    const world = new PageWorld();
    world.pod('shop/web-1', ASKS, overrides);
    expect(told(world, POD).headline).toBe(headline);
    await world.close();
  });

  test('a pod of which only Decisions are left has a past; of an unknown one there is none', async () => {
    const world = new PageWorld();
    const pod = world.pod('shop/web-1', ASKS);
    world.refuse(pod, ['a', 'out of stock', 'wait']);
    world.cluster.delete('Pod', 'shop/web-1');
    expect(told(world, POD)).toMatchObject({
      headline: 'It no longer exists; these are the decisions about it',
      steps: [{ title: 'Refuse: InsufficientResource' }],
    });
    expect(tellStory(world.cluster, { ...POD, name: 'web-2' }, 0)).toBeUndefined();
    await world.close();
  });
});

describe('the story of a node', () => {
  test('that has drifted names the fields that changed, and that of its pool how many have', async () => {
    const world = new PageWorld();
    const claim = world.running(INSTANCE, [['shop/web-1', '965m', '1Gi']]);
    const message =
      'the template of NodePool general has changed since the NodeClaim was created: spec.template.spec.expireAfter from 720h to 24h';
    const drifted = {
      ...{ type: 'Drifted', status: 'True' as const, reason: 'NodePoolDrifted', message },
      lastTransitionTime: world.clock.now(),
    };
    const conditions = [...claim.status.conditions, drifted];
    world.cluster.put('NodeClaim', { ...claim, status: { ...claim.status, conditions } });
    world.cluster.put('PolicyStatus', { ...world.pool('general'), driftedNodes: 1 });
    for (const ref of [
      { kind: 'Node', namespace: '', name: nodeName(claim) },
      { kind: 'NodeClaim', namespace: '', name: claim.name },
    ] as const)
      expect(told(world, ref).why).toContain(`It has drifted (NodePoolDrifted): ${message}.`);
    expect(told(world, { kind: 'NodePool', namespace: '', name: 'general' }).facts).toContainEqual({
      label: 'Drifted',
      value: '1 of 1 node',
    });
    await world.close();
  });

  test('that is gone says of each step which NodeClaim it was when several had its name', async () => {
    const world = new PageWorld();
    for (const name of ['general-1', 'general-2'])
      world.decide({
        subject: { kind: 'NodeClaim', namespace: '', name, uid: `uid-${name}` },
        ...{ action: 'Register', reason: 'Registered', message: 'node ip-10-0-0-1' },
        related: [{ kind: 'Node', namespace: '', name: 'ip-10-0-0-1' }],
      });
    const { steps } = told(world, { kind: 'Node', namespace: '', name: 'ip-10-0-0-1' });
    expect(steps.map(({ text }) => text)).toEqual([
      'NodeClaim general-1: node ip-10-0-0-1',
      'NodeClaim general-2: node ip-10-0-0-1',
    ]);
    await world.close();
  });

  test('tells type, price, what is idle, who lives there and when it expires', async () => {
    const world = new PageWorld();
    const claim = world.running(INSTANCE, [['shop/web-1', '965m', '1Gi']]);
    const story = told(world, { kind: 'Node', namespace: '', name: nodeName(claim) });
    expect(story).toMatchObject({ tone: 'good', headline: 'It is ready: m7g.large, spot in eu-west-3a' });
    expect(story.facts).toContainEqual({ label: 'Idle', value: '0.0214 USD/h' });
    expect(story.facts).toContainEqual({ label: 'CPU', value: '0.96 of 1.93 cpu (50%)' });
    expect(story.changes).toEqual(['It expires in 30d.']);
    expect(story.related).toContainEqual({
      label: '1 pod',
      refs: [{ kind: 'Pod', namespace: 'shop', name: 'web-1' }],
    });
    await world.close();
  });

  test('tells that it is cordoned and what has drifted, while that is so', async () => {
    const world = new PageWorld();
    const claim = world.running(INSTANCE, []);
    const ref: StoryRef = { kind: 'Node', namespace: '', name: nodeName(claim) };
    const labels = () => told(world, ref).facts.map(({ label }) => label);
    expect(labels()).not.toEqual(expect.arrayContaining(['Drifted']));
    expect(labels()).not.toEqual(expect.arrayContaining(['Cordoned']));
    world.cordon(claim);
    world.drift(claim, 'amiFamily was AL2 and is AL2023');
    const { facts } = told(world, ref);
    expect(facts).toContainEqual({ label: 'Drifted', value: 'amiFamily was AL2 and is AL2023' });
    expect(facts).toContainEqual({ label: 'Cordoned', value: 'yes' });
    await world.close();
  });

  test('by claim or by node it is the same story under another name', async () => {
    const world = new PageWorld();
    const claim = world.running(INSTANCE, [['shop/web-1', '965m', '1Gi']]);
    const byNode = told(world, { kind: 'Node', namespace: '', name: nodeName(claim) });
    const byClaim = told(world, { kind: 'NodeClaim', namespace: '', name: claim.name });
    const rest = { subject: undefined, related: undefined };
    expect({ ...byClaim, ...rest }).toEqual({ ...byNode, ...rest });
    await world.close();
  });

  test('names what keeps it, and why it goes', async () => {
    const world = new PageWorld();
    const claim = world.running(INSTANCE, [['shop/web-1', '965m', '1Gi']]);
    const pod = world.cluster.pods.get('shop/web-1');
    if (pod === undefined) throw new Error('the pod is gone');
    const annotations = new Map([['karpenter.sh/do-not-disrupt', 'true']]);
    world.cluster.put('Pod', { ...pod, annotations, resourceVersion: '900' });
    const ref = { kind: 'Node', namespace: '', name: nodeName(claim) } as const;
    expect(told(world, ref).changes[1]).toBe(
      'karpenter.sh/do-not-disrupt on shop/web-1 keeps it from voluntary disruption.',
    );
    world.disrupt(claim, 'Drifted');
    expect(told(world, ref)).toMatchObject({
      tone: 'leaving',
      headline: 'It is being terminated: Drifted',
      changes: [],
    });
    await world.close();
  });

  test('gives the reason why it was left alone, and what would let it go', async () => {
    const world = new PageWorld();
    const claim = world.running(INSTANCE, [['shop/web-1', '965m', '1Gi']]);
    const subject = { kind: 'NodeClaim', namespace: '', name: claim.name, uid: claim.uid };
    const message =
      'Underutilized: pod shop/web-1 is annotated karpenter.sh/do-not-disrupt; remove the annotation';
    await world.clock.advance(1000);
    world.decide({ subject, action: 'Refuse', reason: 'PodDoNotDisrupt', message });
    const ref = { kind: 'NodeClaim', namespace: '', name: claim.name } as const;
    const stays = 'It stays: Underutilized: pod shop/web-1 is annotated karpenter.sh/do-not-disrupt.';
    expect(told(world, ref).why).toContain(stays);
    expect(told(world, ref).changes).toContain('To allow its disruption: remove the annotation.');
    await world.clock.advance(1000);
    world.disrupt(claim, 'Underutilized');
    expect(told(world, ref).why).not.toContain(stays);
    await world.close();
  });

  test('a node that Berth does not manage is left alone', async () => {
    const world = new PageWorld();
    world.cluster.put('Node', observedNode({ name: 'by-hand' }));
    const story = told(world, { kind: 'Node', namespace: '', name: 'by-hand' });
    expect(story.changes).toEqual(['Berth did not launch it and never disrupts it.']);
    await world.close();
  });
});

describe('the story of a policy or Decision', () => {
  test('tells whether a pool is in force, its nodes and their price', async () => {
    const world = new PageWorld();
    world.pool('general');
    world.running(INSTANCE, [['shop/web-1', '965m', '1Gi']]);
    const story = told(world, { kind: 'NodePool', namespace: '', name: 'general' });
    expect(story).toMatchObject({ tone: 'good', headline: 'It is active' });
    expect(story.facts).toContainEqual({ label: 'Price', value: '0.0428 USD/h' });
    await world.close();
  });

  test('a Decision about a PolicyStatus leads to its policy', async () => {
    const world = new PageWorld();
    const subject = { kind: 'PolicyStatus', namespace: '', name: 'nodepool.general', uid: 'uid' };
    const name = world.decide({ subject, action: 'Accept', reason: 'Accepted' });
    const story = told(world, { kind: 'Decision', namespace: '', name });
    expect(story.related).toEqual([
      { label: 'About', refs: [{ kind: 'NodePool', namespace: '', name: 'general' }] },
    ]);
    await world.close();
  });

  test('tells what was decided, what else was looked at and what came of it', async () => {
    const world = new PageWorld();
    const subject = { kind: 'NodeClaim', namespace: '', name: 'general-1', uid: 'uid' };
    const name = world.decide(
      { subject, action: 'Place', reason: 'Provisioned', considered: 'm7g.large, m6i.large', saving: 0.5 },
      'launched',
    );
    const story = told(world, { kind: 'Decision', namespace: '', name });
    expect(story.considered.map((option) => [option.name, option.chosen])).toEqual([
      ['m7g.large', true],
      ['m6i.large', false],
    ]);
    expect(story.facts).toContainEqual({ label: 'Outcome', value: 'launched' });
    expect(story.related).toEqual([
      { label: 'About', refs: [{ kind: 'NodeClaim', namespace: '', name: 'general-1' }] },
    ]);
    await world.close();
  });
});

describe('the story of a proposal', () => {
  const ref: StoryRef = { kind: 'Decision', namespace: '', name: 'launch-1' };

  test('says what it costs, and how to decide about it', () => {
    const world = new PageWorld();
    world.cluster.put('Decision', decision({ name: 'launch-1', spec: proposalSpec() }));
    const story = told(world, ref);
    expect(story).toMatchObject({ headline: 'Propose: PendingPods', tone: 'waiting' });
    expect(story.facts).toEqual(
      expect.arrayContaining([
        { label: 'New instances', value: '0.3400 USD/h' },
        { label: 'Nodes added', value: '2' },
        { label: 'Outcome', value: 'it waits for approval' },
      ]),
    );
    expect(story.changes).toEqual(['To decide: `berth approve launch-1` or `berth reject launch-1`.']);
  });

  test('says who decided, and what came of it', () => {
    const world = new PageWorld();
    const progress = { phase: 'CarriedOut', by: 'ana', since: 0 } as const;
    const done = decision({ name: 'launch-1', spec: proposalSpec(), progress, outcome: '2 nodes launched' });
    world.cluster.put('Decision', done);
    const story = told(world, ref);
    expect(story).toMatchObject({ tone: 'neutral', changes: [] });
    expect(story.facts).toEqual(
      expect.arrayContaining([
        { label: 'Decided by', value: 'ana' },
        { label: 'Outcome', value: 'CarriedOut: 2 nodes launched' },
      ]),
    );
  });
});
