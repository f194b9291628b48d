import type {
  AllowWindow,
  BudgetReason,
  DisruptionBudget,
  Freeze,
} from '../../../src/domain/policies/budget.js';
import type { Expiration } from '../../../src/domain/policies/node-pool.js';
import type { PodDisruptionBudgetStatus } from '../../../src/domain/pods/pod-disruption-budget.js';
import { parseSchedule } from '../../../src/domain/values/schedule.js';
import { describeRefusal } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionAnswer, DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { selecting } from '../../support/builders/constraints.js';
import {
  disruptionTerms,
  fleet,
  HOUR,
  NOW,
  podDisruptionBudget,
  withClaimCondition,
  typeNamed,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import type { ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { answerTo, codesOf, commandsOf, LARGE, SMALL, wasteful } from './answers.js';

const PROTECTED = { 'karpenter.sh/do-not-disrupt': 'true' };
const DRIFTED = withClaimCondition('Drifted');
const EXPIRED = { expiresAt: NOW - 1000 };

describe('a node is left alone', () => {
  test.each<[string, string, FleetNode]>([
    ['it is not initialised', 'NotInitialized', wasteful('a', { initialized: false })],
    ['it is annotated do-not-disrupt', 'NodeDoNotDisrupt', wasteful('a', { doNotDisrupt: 'true' })],
    ['its annotation lasts still', 'NodeDoNotDisrupt', wasteful('a', { doNotDisrupt: '25h' })],
    [
      'a pod is annotated do-not-disrupt',
      'PodDoNotDisrupt',
      wasteful('a', {}, [{ ...SMALL, annotations: PROTECTED }]),
    ],
    [
      "a DaemonSet's pod is annotated do-not-disrupt",
      'PodDoNotDisrupt',
      wasteful('a', {}, [SMALL, { owner: { kind: 'DaemonSet', name: 'agent' }, annotations: PROTECTED }]),
    ],
    [
      "a pod's annotation lasts still",
      'PodDoNotDisrupt',
      wasteful('a', {}, [
        { ...SMALL, startedAt: NOW - HOUR, annotations: { 'karpenter.sh/do-not-disrupt': '1h30m' } },
      ]),
    ],
    [
      "a pod's annotation, a fraction of an hour as Go reads it, lasts still",
      'PodDoNotDisrupt',
      wasteful('a', {}, [
        { ...SMALL, startedAt: NOW - HOUR, annotations: { 'karpenter.sh/do-not-disrupt': '1.5h' } },
      ]),
    ],
    [
      'a pod that waited for hours has run for less than its annotation says',
      'PodDoNotDisrupt',
      wasteful('a', {}, [
        {
          ...SMALL,
          createdAt: NOW - 5 * HOUR,
          startedAt: NOW - 1000,
          annotations: { 'karpenter.sh/do-not-disrupt': '30m' },
        },
      ]),
    ],
    [
      'a pod with such an annotation has been bound and not started',
      'PodDoNotDisrupt',
      wasteful('a', {}, [
        { ...SMALL, createdAt: NOW - HOUR, annotations: { 'karpenter.sh/do-not-disrupt': '30m' } },
      ]),
    ],
    ['a pod is to come to it', 'AwaitsPods', wasteful('a', { awaitedPods: ['default/b', 'default/a'] })],
    ['pods came or went', 'NotQuiet', wasteful('a', { quietSince: NOW + 1 })],
  ])('while %s', (_why, code, node) => {
    expect(codesOf(answerTo(fleet([node])))).toEqual([`a Underutilized ${code}`]);
  });

  test.each<[string, FleetNode]>([
    ['of the node is over', wasteful('a', { doNotDisrupt: '23h' })],
    ['of the node is no duration', wasteful('a', { doNotDisrupt: 'false' })],
    ["is absent, by a clock that is behind the API server's", wasteful('a', { createdAt: NOW + HOUR })],
    [
      'of a pod is over',
      wasteful('a', {}, [
        { ...SMALL, startedAt: NOW - HOUR, annotations: { 'karpenter.sh/do-not-disrupt': '59m' } },
      ]),
    ],
    ['is on a pod that is done', wasteful('a', {}, [SMALL, { phase: 'Succeeded', annotations: PROTECTED }])],
    ['is on a pod that goes', wasteful('a', {}, [SMALL, { terminating: true, annotations: PROTECTED }])],
  ])('no longer when do-not-disrupt %s', (_what, node) => {
    expect(commandsOf(answerTo(fleet([node])))).toEqual(['Underutilized a']);
  });

  test('when its pool is frozen, or not there', () => {
    const nodes = [wasteful('a'), { ...wasteful('b'), nodePool: 'gone' }];
    const answer = answerTo(fleet(nodes, { frozenPools: new Set(['default']) }));
    expect(codesOf(answer)).toEqual(['a Underutilized NodePoolFrozen', 'b Underutilized NodePoolFrozen']);
  });

  test('when its pool is there, but the EC2NodeClass of that pool is gone, which is named', () => {
    const { refusals } = answerTo(fleet([wasteful('a')], { frozenPools: new Set(['default']) }));
    expect(refusals.map(({ refusal }) => describeRefusal(refusal))).toEqual([
      'the document of EC2NodeClass default was removed, which freezes the nodes of NodePool default; restore it, or annotate the PolicyStatus of EC2NodeClass default berth.sh/delete: drain',
    ]);
  });

  test('when the offer of its pool is marked as frozen', () => {
    const cluster = clusterInput({
      pools: [{ ...poolOffer({ disruption: disruptionTerms() }), frozen: true }],
    });
    const nodes = [wasteful('a'), wasteful('b', EXPIRED)];
    expect(answerTo(fleet(nodes, { cluster }))).toMatchObject({ commands: [] });
    expect(codesOf(answerTo(fleet([wasteful('a')], { cluster })))).toEqual([
      'a Underutilized NodePoolFrozen',
    ]);
  });

  test('when its pool is static', () => {
    const cluster = clusterInput({ pools: [poolOffer({ replicas: 1, disruption: disruptionTerms() })] });
    expect(codesOf(answerTo(fleet([wasteful('a')], { cluster })))).toEqual([
      'a Underutilized StaticNodePool',
    ]);
    expect(codesOf(answerTo(fleet([{ name: 'a', type: LARGE }], { cluster })))).toEqual([
      'a Empty StaticNodePool',
    ]);
  });

  test('without a word when it goes already', () => {
    const answer = answerTo(fleet([wasteful('a', { leaving: true, ...DRIFTED })]));
    expect(answer).toMatchObject({ commands: [], refusals: [], candidates: [] });
  });

  test('tells until when', () => {
    const answer = answerTo(fleet([wasteful('a', { doNotDisrupt: '25h' })]));
    expect(answer.refusals[0]?.refusal).toEqual({ code: 'NodeDoNotDisrupt', until: NOW + HOUR });
  });
});

describe('a PodDisruptionBudget', () => {
  const web = (name: string, overrides: ObservedPodOverrides = {}): FleetNode =>
    wasteful(name, {}, [{ ...SMALL, labels: { app: 'web' }, ...overrides }]);
  const pdb = (overrides: Partial<Parameters<typeof podDisruptionBudget>[0]>) =>
    podDisruptionBudget({ selector: selecting({ app: 'web' }), ...overrides });

  test.each<[string, Parameters<typeof pdb>[0]]>([
    ['maxUnavailable 0', { maxUnavailable: { unit: 'pods', amount: 0 } }],
    ['minAvailable 100%', { minAvailable: { unit: 'percent', amount: 100 } }],
    ['minAvailable of as many as there are', { minAvailable: { unit: 'pods', amount: 2 } }],
    ['neither bound', {}],
  ])('with %s keeps its pods where they are', (_what, bounds) => {
    const answer = answerTo(fleet([web('a'), web('b')], { podDisruptionBudgets: [pdb(bounds)] }));
    expect(codesOf(answer)).toEqual([
      'a Underutilized PodDisruptionBudget',
      'b Underutilized PodDisruptionBudget',
    ]);
  });

  test('keeps a pod of a DaemonSet where it is, unless the pod stays until its node ends', () => {
    const labels = { app: 'web' };
    const podDisruptionBudgets = [pdb({ maxUnavailable: { unit: 'pods', amount: 0 } })];
    const agent = { labels, owner: { kind: 'DaemonSet', name: 'agent' } };
    const tolerations = [{ key: '', operator: 'Exists', value: '', effect: undefined }] as const;
    const nodes = [wasteful('a', {}, [SMALL, agent]), wasteful('b', {}, [SMALL, { ...agent, tolerations }])];
    const answer = answerTo(fleet(nodes, { podDisruptionBudgets }));
    expect(codesOf(answer)).toEqual(['a Underutilized PodDisruptionBudget']);
    expect(commandsOf(answer)).toEqual(['Underutilized b']);
  });

  test('is not asked about a pod that leaves once its Deployment runs a replica more', () => {
    const podDisruptionBudgets = [pdb({ maxUnavailable: { unit: 'pods', amount: 0 } })];
    const owner = { kind: 'ReplicaSet', name: 'web-7f' };
    const node = web('a', { owner, annotations: { 'berth.sh/surge': 'true' } });
    const deployment = 'default/web';
    const set = { kind: 'ReplicaSet' as const, namespace: 'default', name: 'web-7f', deployment };
    const workloads = [{ ...set, wantedPods: 1, createdPods: 1 }];
    const asked = { podDisruptionBudgets, workloads };
    expect(commandsOf(answerTo(fleet([node], asked)))).toEqual(['Underutilized a']);
    const autoscaled = new Set([deployment]);
    const answer = answerTo(fleet([node], { ...asked, autoscaled }));
    expect(codesOf(answer)).toEqual(['a Underutilized PodDisruptionBudget']);
  });

  test('lets as many nodes go at once as it lets pods', () => {
    const podDisruptionBudgets = [pdb({ maxUnavailable: { unit: 'pods', amount: 2 } })];
    const answer = answerTo(
      fleet(
        ['a', 'b', 'c'].map((name) => web(name)),
        { podDisruptionBudgets },
      ),
    );
    expect(answer.commands.flatMap(({ nodes }) => nodes)).toHaveLength(2);
    expect(codesOf(answer)).toEqual(['c Underutilized PodDisruptionBudget']);
  });

  test('lets one node go that has more of its pods than it lets go at once: they move one after the other', () => {
    const pods = [1, 2, 3].map(() => ({ ...SMALL, labels: { app: 'web' } }));
    const podDisruptionBudgets = [pdb({ maxUnavailable: { unit: 'pods', amount: 1 } })];
    const answer = answerTo(fleet([wasteful('a', {}, pods)], { podDisruptionBudgets }));
    expect(commandsOf(answer)).toEqual(['Underutilized a']);
  });

  test('counts the pods that their owner wants: no healthy one goes beyond them, one that is not Ready may', () => {
    const podDisruptionBudgets = [pdb({ minAvailable: { unit: 'percent', amount: 50 } })];
    const workloads = [
      { kind: 'ReplicaSet' as const, namespace: 'default', name: 'web', wantedPods: 4, createdPods: 4 },
    ];
    const nodes = [web('a'), web('b'), web('c', { ready: false })];
    const answers = [{ workloads }, {}].map((known) =>
      answerTo(fleet(nodes, { podDisruptionBudgets, ...known })),
    );
    for (const each of answers) expect(commandsOf(each)).toEqual(['Underutilized c']);
    const healthy = [web('a'), web('b'), web('c')];
    const answer = answerTo(fleet(healthy, { podDisruptionBudgets, workloads }));
    expect(answer.commands.flatMap((command) => command.nodes)).toHaveLength(1);
  });

  const status = (overrides: Partial<PodDisruptionBudgetStatus>): PodDisruptionBudgetStatus => ({
    disruptionsAllowed: 0,
    currentHealthy: 3,
    desiredHealthy: 4,
    isCurrent: true,
    ...overrides,
  });

  test('is what its status says, whatever Berth knows of the owner of its pods', () => {
    const one = pdb({ maxUnavailable: { unit: 'pods', amount: 1 }, status: status({}) });
    const pods = [{ ...SMALL, labels: { app: 'web' }, owner: { kind: 'CloneSet', name: 'web' } }];
    const blocked = answerTo(fleet([wasteful('a', {}, pods)], { podDisruptionBudgets: [one] }));
    expect(codesOf(blocked)).toEqual(['a Underutilized PodDisruptionBudget']);
    const open = { ...one, status: status({ disruptionsAllowed: 1, currentHealthy: 5 }) };
    const answer = answerTo(fleet([wasteful('a', {}, pods)], { podDisruptionBudgets: [open] }));
    expect(commandsOf(answer)).toEqual(['Underutilized a']);
  });

  test('whose last change the disruption controller has not seen lets nothing go', () => {
    const stale = pdb({ status: status({ disruptionsAllowed: 5, isCurrent: false }) });
    const answer = answerTo(fleet([web('a')], { podDisruptionBudgets: [stale] }));
    expect(codesOf(answer)).toEqual(['a Underutilized PodDisruptionBudget']);
  });

  test.each<[string, string[], Partial<Parameters<typeof pdb>[0]>]>([
    ['with AlwaysAllow', [], { unhealthyPodEvictionPolicy: 'AlwaysAllow', status: status({}) }],
    ['once enough others are healthy', [], { status: status({ currentHealthy: 4 }) }],
    ['not while too few are healthy', ['a Underutilized PodDisruptionBudget'], { status: status({}) }],
  ])('lets a pod go that is not Ready: %s', (_when, refused, overrides) => {
    const nodes = [web('a', { ready: false })];
    expect(codesOf(answerTo(fleet(nodes, { podDisruptionBudgets: [pdb(overrides)] })))).toEqual(refused);
  });

  test('beside a second one for the same pod keeps it: the API evicts no such pod', () => {
    const loose = { maxUnavailable: { unit: 'pods' as const, amount: 5 } };
    const podDisruptionBudgets = [pdb(loose), pdb({ ...loose, name: 'other' })];
    const { refusals } = answerTo(fleet([web('a')], { podDisruptionBudgets }));
    expect(refusals.map(({ refusal }) => refusal)).toEqual([
      { code: 'SeveralPodDisruptionBudgets', pod: 'default/a-0', budgets: ['default/other', 'default/pdb'] },
    ]);
  });

  test('of another namespace or other pods says nothing', () => {
    const none = { maxUnavailable: { unit: 'pods' as const, amount: 0 } };
    const podDisruptionBudgets = [
      pdb({ ...none, namespace: 'team' }),
      pdb({ ...none, selector: selecting({ app: 'api' }) }),
    ];
    expect(commandsOf(answerTo(fleet([web('a')], { podDisruptionBudgets })))).toEqual(['Underutilized a']);
  });
});

describe('budgets', () => {
  const count = (amount: number, overrides: Partial<DisruptionBudget> = {}): DisruptionBudget => ({
    nodes: { count: amount },
    reasons: undefined,
    window: undefined,
    ...overrides,
  });
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name): FleetNode => ({ name }));
  const gone = (answer: DisruptionAnswer): number => answer.commands.flatMap(({ nodes }) => nodes).length;

  test('are shares rounded up, less what is NotReady or on its way', () => {
    const budgets = [{ nodes: { percent: 34 }, reasons: undefined, window: undefined }];
    expect(gone(answerTo(fleet(six, { terms: { budgets } })))).toBe(3);
    const [first, second, ...others] = six;
    const busy = [
      { name: first?.name ?? '', managed: { ready: false, awaitedPods: ['default/x'] } },
      { name: second?.name ?? '', managed: { leaving: true } },
      ...others,
    ];
    expect(gone(answerTo(fleet(busy, { terms: { budgets } })))).toBe(1);
  });

  test('count a node that is NotReady once, whether or not it goes', () => {
    const budgets = [count(2)];
    const [first, ...others] = six;
    const nodes = [{ name: first?.name ?? '', managed: { ready: false } }, ...others];
    expect(commandsOf(answerTo(fleet(nodes, { terms: { budgets } })))).toEqual(['Empty a b']);
  });

  test('leave a pool its minimum where nodes go for their cost, and not where they have to go', () => {
    const keeping = (minimumNodes: number, nodes: readonly FleetNode[]): DisruptionInput =>
      fleet(nodes, {
        cluster: clusterInput({ pools: [poolOffer({ minimumNodes, disruption: disruptionTerms() })] }),
      });
    const answer = answerTo(keeping(4, six));
    expect(commandsOf(answer)).toEqual(['Empty a b']);
    expect(answer.refusals).toContainEqual({
      node: 'c',
      reason: 'Empty',
      refusal: { code: 'MinimumNodes', nodePool: 'default', minimum: 4 },
    });
    const leaving = six.map((node, index): FleetNode => ({ ...node, managed: { leaving: index < 2 } }));
    expect(gone(answerTo(keeping(4, leaving)))).toBe(0);
    expect(commandsOf(answerTo(keeping(1, [wasteful('a')])))).toEqual([]);
    expect(commandsOf(answerTo(keeping(0, [wasteful('a')])))).toEqual(['Underutilized a']);
    expect(commandsOf(answerTo(keeping(1, [wasteful('a', DRIFTED)])))).toEqual(['Drifted a']);
  });

  test('the least that is about the reason counts', () => {
    const budgets = [
      count(4),
      count(0, { reasons: ['Drifted', 'Underutilized'] }),
      count(2, { reasons: ['Empty'] }),
    ];
    const answer = answerTo(fleet([...six, wasteful('g'), wasteful('h', DRIFTED)], { terms: { budgets } }));
    expect(commandsOf(answer)).toEqual(['Empty a b']);
    expect(answer.refusals).toContainEqual({
      node: 'c',
      reason: 'Empty',
      refusal: { code: 'Budget', nodePool: 'default', total: 8, used: 2, allowed: 2 },
    });
    expect(codesOf(answer)).toContain('h Drifted Budget');
  });

  test('are shared by all reasons', () => {
    const answer = answerTo(fleet([...six, wasteful('g', DRIFTED)], { terms: { budgets: [count(3)] } }));
    expect(commandsOf(answer)).toEqual(['Drifted g', 'Empty b c']);
  });

  test('hold for repair too, which does not count nodes that are NotReady', () => {
    const ill = { ...withClaimCondition('Unhealthy'), ready: false };
    const nodes = [
      ...six,
      wasteful('g', ill),
      wasteful('h', ill),
      ...'ijklmnop'.split('').map((name) => ({ name })),
    ];
    const repairs = (...budgets: readonly DisruptionBudget[]) =>
      commandsOf(answerTo(fleet(nodes, { terms: { budgets } }))).filter((command) =>
        command.startsWith('Unhealthy'),
      );
    expect(repairs(count(2))).toEqual(['Unhealthy g', 'Unhealthy h']);
    expect(repairs(count(1))).toEqual(['Unhealthy g']);
    expect(repairs(count(0, { reasons: ['Drifted'] }))).toEqual(['Unhealthy g', 'Unhealthy h']);
    const answer = answerTo(
      fleet(nodes, { terms: { budgets: [count(5), count(0, { reasons: ['Unhealthy'] })] } }),
    );
    expect(codesOf(answer)).toEqual(expect.arrayContaining(['g Unhealthy Budget', 'h Unhealthy Budget']));
  });

  test('count a node once that is NotReady and repaired, for whatever reason others would go', () => {
    const ill = { ...withClaimCondition('Unhealthy'), ready: false };
    const nodes = [wasteful('g', ill), ...six];
    // The pod of g goes to a.
    const answer = answerTo(fleet(nodes, { terms: { budgets: [count(2)] } }));
    expect(commandsOf(answer)).toEqual(['Unhealthy g', 'Empty b']);
  });

  test('over the nodes of all pools hold, too', () => {
    const pool = (name: string, clusterBudgets: readonly DisruptionBudget[]) =>
      poolOffer({ name, disruption: disruptionTerms({ clusterBudgets }) });
    const cluster = clusterInput({ pools: [pool('default', [count(5)]), pool('other', [count(3)])] });
    const nodes = six.map((node, index) => ({ ...node, nodePool: index % 2 === 0 ? 'default' : 'other' }));
    const answer = answerTo(fleet(nodes, { cluster }));
    expect(gone(answer)).toBe(3);
    expect(answer.refusals[0]?.refusal).toMatchObject({ code: 'Budget', nodePool: '', total: 6, allowed: 3 });
  });

  test('leave a reason alone outside its windows', () => {
    const at = (text: string): AllowWindow => ({
      allow: ['Empty'],
      schedule: parseSchedule(text),
      durationSeconds: 3600,
    });
    const open = fleet(six, { terms: { windows: [at('0 3 * * *'), at('30 11 * * *')] } });
    expect(gone(answerTo(open))).toBe(6);
    const closed = fleet([...six, wasteful('g')], {
      terms: { windows: [at('0 3 * * *'), at('0 15 * * *')] },
    });
    const answer = answerTo(closed);
    expect(commandsOf(answer)).toEqual(['Underutilized g']);
    expect(answer.refusals[0]?.refusal).toEqual({
      code: 'OutsideWindows',
      nodePool: 'default',
      opens: Date.UTC(2026, 0, 2, 15),
    });
  });

  test('in pods count those of nodes that go already, and of all that one answer takes', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => wasteful(name, DRIFTED, [SMALL, SMALL]));
    const going = wasteful('e', { leaving: true }, [SMALL]);
    const answerWithin = (pods: number, reasons?: readonly BudgetReason[]) =>
      answerTo(
        fleet([...nodes, going], {
          terms: { loadBudgets: [{ pods, usdPerHour: undefined, reasons, window: undefined }] },
        }),
      );
    expect(commandsOf(answerWithin(5))).toEqual(['Drifted a', 'Drifted b']);
    expect(answerWithin(5).refusals[0]).toMatchObject({
      node: 'c',
      refusal: { code: 'LoadBudget', nodePool: 'default', unit: 'pods', used: 5, own: 2, allowed: 5 },
    });
    expect(commandsOf(answerWithin(1))).toEqual([]);
    expect(commandsOf(answerWithin(1, ['Unhealthy']))).toHaveLength(4);
  });

  test('in USD per hour count what nodes cost, empty ones too', () => {
    const nodes = six.map(({ name }): FleetNode => ({ name, managed: { hourlyPrice: 0.1 } }));
    const loadBudgets = [{ pods: 0, usdPerHour: 0.35, reasons: undefined, window: undefined }];
    const answer = answerTo(fleet(nodes, { terms: { loadBudgets } }));
    expect(gone(answer)).toBe(3);
    expect(answer.refusals[0]?.refusal).toMatchObject({ code: 'LoadBudget', unit: 'usdPerHour', own: 0.1 });
  });

  test('leave nodes alone between the dates of a freeze, for the reasons that it names', () => {
    const until = NOW + HOUR;
    const answerDuring = (freeze: Partial<Freeze>) =>
      answerTo(
        fleet([...six, wasteful('g', DRIFTED)], {
          terms: { freezes: [{ reasons: undefined, from: NOW, until, ...freeze }] },
        }),
      );
    const frozen = answerDuring({});
    expect(commandsOf(frozen)).toEqual([]);
    expect(codesOf(frozen)).toEqual(expect.arrayContaining(['a Empty Freeze', 'g Drifted Freeze']));
    expect(frozen.refusals[0]?.refusal).toEqual({ code: 'Freeze', nodePool: 'default', until });
    // The pod of g goes to one of the others.
    expect(gone(answerDuring({ from: NOW + 1 }))).toBe(6);
    expect(gone(answerDuring({ from: NOW - HOUR, until: NOW }))).toBe(6);
    expect(commandsOf(answerDuring({ reasons: ['Empty', 'Underutilized'] }))).toEqual(['Drifted g']);
  });

  test('hold expiration that waits for budgets during a freeze for every reason, but neither Forceful expiration nor repair', () => {
    const freezes: Freeze[] = [{ reasons: undefined, from: NOW, until: NOW + HOUR }];
    const expired = (expiration: Expiration) =>
      commandsOf(answerTo(fleet([wasteful('a', EXPIRED)], { terms: { freezes, expiration } })));
    expect(expired('Budgeted')).toEqual([]);
    expect(expired('Forceful')).toEqual(['Expired a']);
    const ill = wasteful('a', { ...withClaimCondition('Unhealthy'), ready: false });
    expect(commandsOf(answerTo(fleet([ill, wasteful('b')], { terms: { freezes } })))).toEqual([
      'Unhealthy a',
    ]);
  });
});

describe('drift', () => {
  test('replaces first, whether or not it saves, the oldest drift first', () => {
    const full = { requests: { cpu: '1900m', memory: '7Gi' } };
    const node = (name: string, since: number): FleetNode => ({
      name,
      type: typeNamed('m6i.large'),
      pods: [full],
      managed: withClaimCondition('Drifted', since),
    });
    const answer = answerTo(fleet([node('a', NOW - HOUR), node('b', NOW - 2 * HOUR)]));
    expect(commandsOf(answer)).toEqual(['Drifted b', 'Drifted a']);
    expect(answer.commands.map(({ claims }) => claims.map(({ name }) => name))).toEqual([
      ['default-1'],
      ['default-2'],
    ]);
    expect(answer.commands.flatMap(({ unplaced }) => unplaced)).toEqual([]);
  });

  test('puts no pods where they would have to leave again', () => {
    const answer = answerTo(fleet([wasteful('a', DRIFTED), wasteful('b', DRIFTED), wasteful('c')]));
    const targets = answer.commands
      .filter(({ reason }) => reason === 'Drifted')
      .flatMap(({ placements }) => placements.map(({ target }) => target.name));
    expect(targets).toEqual(['c', 'c']);
  });

  test('puts no pods on nodes that are yet to be compared with what has changed', () => {
    const answer = answerTo(
      fleet([wasteful('a', DRIFTED), wasteful('b', { uncompared: true }), wasteful('c')]),
    );
    const drifted = answer.commands.filter(({ reason }) => reason === 'Drifted');
    expect(drifted.flatMap(({ placements }) => placements.map(({ target }) => target.name))).toEqual(['c']);
    expect(commandsOf(answer)).not.toContain('Drifted b');
  });

  test('uses room that nothing in the answer takes away again', () => {
    const answer = answerTo(fleet([wasteful('a', DRIFTED), { name: 'b', type: LARGE }]));
    expect(commandsOf(answer)).toEqual(['Drifted a']);
    expect(answer.commands[0]?.placements).toEqual([
      { pod: 'default/a-0', target: { kind: 'Node', name: 'b' } },
    ]);
  });

  test('waits for a pod that has no other place', () => {
    const stuck = { ...SMALL, nodeSelector: { rack: '7' } };
    const node = { ...wasteful('a', DRIFTED, [stuck]), labels: { rack: '7' } };
    expect(codesOf(answerTo(fleet([node])))).toEqual(['a Drifted NoPlace', 'a Underutilized NoPlace']);
  });

  test('overrules pods where terminationGracePeriod ends their time', () => {
    const pods = [{ ...SMALL, annotations: PROTECTED }];
    expect(commandsOf(answerTo(fleet([wasteful('a', DRIFTED, pods)])))).toEqual([]);
    const timed = { ...DRIFTED, terminationGracePeriodSeconds: 3600 };
    expect(commandsOf(answerTo(fleet([wasteful('a', timed, pods)])))).toEqual(['Drifted a']);
  });
});

describe('expiration', () => {
  const none = [{ nodes: { count: 0 }, reasons: undefined, window: undefined }];
  const pods = [{ ...SMALL, annotations: PROTECTED }];

  test('takes the node whatever stands in the way', () => {
    const answer = answerTo(fleet([wasteful('a', EXPIRED, pods)], { terms: { budgets: none } }));
    expect(answer.commands).toMatchObject([{ reason: 'Expired', nodes: ['a'], unplaced: [] }]);
    expect(answer.commands[0]?.claims).toHaveLength(1);
  });

  test('puts pods where they would have to leave again only if they have no other place', () => {
    const targetsOf = ({ commands }: DisruptionAnswer) =>
      commands
        .filter(({ nodes }) => nodes.includes('a'))
        .flatMap(({ placements }) => placements.map(({ target }) => `${target.kind} ${target.name}`));
    const budgets = [{ nodes: { count: 0 }, reasons: ['Drifted' as const], window: undefined }];
    const answer = (a: FleetNode): DisruptionAnswer =>
      answerTo(fleet([a, { ...wasteful('b', DRIFTED), labels: { rack: '7' } }], { terms: { budgets } }));
    expect(targetsOf(answer(wasteful('a', EXPIRED)))).toEqual(['NodeClaim default-1']);
    const onRack = [{ ...SMALL, nodeSelector: { rack: '7' } }];
    expect(targetsOf(answer(wasteful('a', EXPIRED, onRack)))).toEqual(['Node b']);
    expect(targetsOf(answer(wasteful('a', withClaimCondition('Interrupted'))))).toEqual(['Node b']);
  });

  test('waits for budgets and pods when it is Budgeted', () => {
    const terms = { expiration: 'Budgeted' as const };
    expect(
      codesOf(answerTo(fleet([wasteful('a', EXPIRED)], { terms: { ...terms, budgets: none } }))),
    ).toContain('a Expired Budget');
    expect(codesOf(answerTo(fleet([wasteful('a', EXPIRED, pods)], { terms })))).toContain(
      'a Expired PodDoNotDisrupt',
    );
    expect(commandsOf(answerTo(fleet([wasteful('a', EXPIRED)], { terms })))).toEqual(['Expired a']);
  });

  test('is not bound by budgets that name other reasons', () => {
    const budgets = [{ nodes: { count: 0 }, reasons: ['Drifted' as const], window: undefined }];
    const answer = answerTo(fleet([wasteful('a', EXPIRED)], { terms: { expiration: 'Budgeted', budgets } }));
    expect(commandsOf(answer)).toEqual(['Expired a']);
  });

  test('leaves the nodes of a frozen pool, for nothing could come instead', () => {
    const answer = answerTo(fleet([wasteful('a', EXPIRED)], { frozenPools: new Set(['default']) }));
    expect(codesOf(answer)).toEqual(['a Expired NodePoolFrozen', 'a Underutilized NodePoolFrozen']);
  });
});

describe('the pods of a node that goes', () => {
  test('are those that run elsewhere afterwards', () => {
    const pods: readonly ObservedPodOverrides[] = [
      { ...SMALL, name: 'runs' },
      { name: 'bare', owner: undefined },
      { name: 'agent', owner: { kind: 'DaemonSet', name: 'agent' } },
      { name: 'mirror', mirror: true },
      { name: 'done', phase: 'Failed' },
      { name: 'leaving', terminating: true },
      { name: 'db-0', owner: { kind: 'StatefulSet', name: 'db' }, terminating: true },
    ];
    const [command] = answerTo(fleet([wasteful('a', DRIFTED, pods)])).commands;
    expect(command?.placements.map(({ pod }) => pod)).toEqual([
      'default/bare',
      'default/db-0',
      'default/runs',
    ]);
  });

  test('weigh by priority and pod-deletion-cost, and not less than nothing', () => {
    const weigh = (overrides: ObservedPodOverrides): number =>
      answerTo(fleet([wasteful('a', DRIFTED, [{ ...SMALL, ...overrides }])])).commands[0]?.movingCost ?? NaN;
    const cost = (value: string): ObservedPodOverrides => ({
      annotations: { 'controller.kubernetes.io/pod-deletion-cost': value },
    });
    const usual = weigh({});
    expect(weigh(cost(String(2 ** 27)))).toBeGreaterThan(usual);
    expect(weigh(cost(String(-(2 ** 28))))).toBeLessThan(usual);
    expect(weigh(cost(String(-(2 ** 28))))).toBeGreaterThan(0);
    expect(weigh({ priority: 2 ** 25 })).toBeGreaterThan(usual);
    for (const wrong of ['much', '1.5e8', String(2 ** 31)]) expect(weigh(cost(wrong))).toBe(usual);
  });

  test('weigh by karpenter.sh/disruption-cost, and then not by pod-deletion-cost', () => {
    const weigh = (annotations: Readonly<Record<string, string>>): number =>
      answerTo(fleet([wasteful('a', DRIFTED, [{ ...SMALL, annotations }])])).commands[0]?.movingCost ?? NaN;
    const [own, other] = ['karpenter.sh/disruption-cost', 'controller.kubernetes.io/pod-deletion-cost'];
    const high = String(2 ** 28);
    expect(weigh({ [own]: high })).toBe(weigh({ [other]: high }));
    expect(weigh({ [own]: '0', [other]: high })).toBe(weigh({}));
    expect(weigh({ [own]: 'much', [other]: high })).toBe(weigh({}));
  });
});
