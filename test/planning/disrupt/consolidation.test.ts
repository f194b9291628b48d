import type { Economics } from '../../../src/domain/policies/economics.js';
import type { Disruption } from '../../../src/domain/policies/node-pool.js';
import type { DisruptionAnswer, DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { instanceType, offering, smallCatalogue, ZONE_A } from '../../support/builders/instance-type.js';
import {
  disruptionTerms,
  economics,
  fleet,
  HOUR,
  NOW,
  typeNamed,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { oneOf } from '../../support/builders/constraints.js';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '../../../src/domain/values/labels.js';
import { answerTo } from './answers.js';
import { afterAnswer } from './check-commands.js';

const M6I_LARGE = typeNamed('m6i.large');
const M6I_XLARGE = typeNamed('m6i.xlarge');
const M6I_4XLARGE = typeNamed('m6i.4xlarge');
const HALF = { requests: { cpu: '900m', memory: '1Gi' } };

function refusalCodes({ refusals }: DisruptionAnswer): Readonly<Record<string, string>> {
  return Object.fromEntries(refusals.map(({ node, refusal }) => [node, refusal.code]));
}

/** Amd64 on-demand types only, so that tests know what a replacement costs. */
function onDemandPool(types = [M6I_LARGE, M6I_XLARGE, M6I_4XLARGE], terms: Partial<Disruption> = {}) {
  const disruption = disruptionTerms(terms);
  return clusterInput({
    pools: [poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')], disruption }, types)],
  });
}

describe('empty nodes', () => {
  test('go together, with nothing instead', () => {
    const input = fleet([
      { name: 'a', type: M6I_LARGE },
      { name: 'b', type: M6I_XLARGE, pods: [{ owner: { kind: 'DaemonSet', name: 'log' } }] },
      { name: 'c', type: M6I_LARGE, pods: [{ phase: 'Succeeded' }, { terminating: true }] },
    ]);
    const { commands } = answerTo(input);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({
      reason: 'Empty',
      nodes: ['a', 'b', 'c'],
      claims: [],
      placements: [],
      movingCost: 0,
    });
    expect(commands[0]?.saving).toBeCloseTo(0.096 * 4);
  });

  test('stay while they have not been quiet for consolidateAfter', () => {
    const managed = { quietSince: NOW - 60_000 };
    const input = fleet([{ name: 'a', managed }], { terms: { consolidateAfterSeconds: 300 } });
    const { commands, refusals } = answerTo(input);
    expect(commands).toEqual([]);
    expect(refusals).toEqual([
      { node: 'a', reason: 'Empty', refusal: { code: 'NotQuiet', until: NOW + 240_000 } },
    ]);
  });

  test('stay with consolidateAfter: Never', () => {
    const input = fleet([{ name: 'a' }], { terms: { consolidateAfterSeconds: undefined } });
    expect(refusalCodes(answerTo(input))).toEqual({ a: 'ConsolidationDisabled' });
  });

  test('stay while a pod is to come to them', () => {
    const input = fleet([{ name: 'a', managed: { awaitedPods: ['default/late'] } }]);
    expect(refusalCodes(answerTo(input))).toEqual({ a: 'AwaitsPods' });
  });

  test('stay when a pod that waits is going to be placed on them', () => {
    const cluster = onDemandPool([M6I_LARGE]);
    const waiting = observedPod({ name: 'waiting', requests: { cpu: '1' } });
    const input = fleet([{ name: 'a', type: M6I_LARGE }], { cluster: { ...cluster, pods: [waiting] } });
    const { refusals } = answerTo(input);
    expect(refusals).toEqual([
      { node: 'a', reason: 'Underutilized', refusal: { code: 'AwaitsPods', pod: 'default/waiting' } },
    ]);
  });
});

test('no node is consolidated while the cluster is shifted away from a zone', () => {
  const input = fleet([{ name: 'a' }, { name: 'b', type: M6I_4XLARGE, pods: [HALF] }]);
  const shifted = answerTo({ ...input, shiftedZones: new Set(['us-east-1a']) });
  expect(shifted.commands).toEqual([]);
  expect(refusalCodes(shifted)).toEqual({ a: 'ZonalShift', b: 'ZonalShift' });
  expect(answerTo({ ...input, shiftedZones: new Set() }).commands).not.toEqual([]);
});

test('a drifted node is replaced while the cluster is shifted away from another zone, and not in that zone', () => {
  const drifted = withClaimCondition('Drifted', NOW);
  const input = fleet([
    { name: 'a', type: M6I_LARGE, pods: [HALF], managed: { ...drifted, shifted: true } },
    { name: 'b', type: M6I_LARGE, pods: [HALF], managed: drifted },
  ]);
  const { commands } = answerTo({ ...input, shiftedZones: new Set(['us-east-1a']) });
  expect(commands).toMatchObject([{ reason: 'Drifted', nodes: ['b'] }]);
});

describe('one node', () => {
  test('is deleted when its pods fit on others', () => {
    const input = fleet(
      [
        { name: 'a', type: M6I_LARGE, pods: [HALF] },
        { name: 'b', type: M6I_LARGE, pods: [HALF] },
      ],
      { cluster: onDemandPool([M6I_LARGE]) },
    );
    const { commands } = answerTo(input);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({ reason: 'Underutilized', claims: [], unplaced: [] });
    expect(commands[0]?.nodes).toHaveLength(1);
    expect(commands[0]?.saving).toBeCloseTo(0.096);
  });

  test('is replaced by a cheaper one when its pods need less', () => {
    const input = fleet([{ name: 'a', type: M6I_4XLARGE, pods: [HALF] }], { cluster: onDemandPool() });
    const { commands } = answerTo(input);
    expect(commands).toMatchObject([{ reason: 'Underutilized', nodes: ['a'] }]);
    expect(commands[0]?.claims).toMatchObject([
      { name: 'default-1', instanceTypes: ['m6i.large', 'm6i.xlarge'] },
    ]);
    expect(commands[0]?.saving).toBeCloseTo(0.096 * 7);
  });

  test('is not replaced when the cheapest replacement saves less than the least share', () => {
    const dear = instanceType({ name: 'm6i.large', price: 0.1, capacityTypes: ['on-demand'] });
    const slightly = instanceType({ name: 'm5.large', price: 0.098, capacityTypes: ['on-demand'] });
    const asked = (leastSavingShare: number): DisruptionInput =>
      fleet([{ name: 'a', type: dear, pods: [HALF] }], {
        cluster: onDemandPool([dear, slightly], economics({ leastSavingShare })),
      });
    expect(answerTo(asked(0.03)).refusals).toEqual([
      { node: 'a', reason: 'Underutilized', refusal: { code: 'NotCheaper', price: 0.1, replacement: 0.098 } },
    ]);
    expect(answerTo(asked(0.01), { leastHorizonHours: 24 }).commands).toHaveLength(1);
  });

  test('stays when moving costs more than is saved within the horizon', () => {
    const input = fleet([{ name: 'a', type: M6I_XLARGE, pods: [HALF] }], {
      cluster: onDemandPool(undefined, economics({ evictionCostUsd: 5 })),
    });
    expect(refusalCodes(answerTo(input))).toEqual({ a: 'MovingCost' });
  });

  test('earns back what moving costs within as long as it has been quiet, a quarter of an hour at least and a day at most', () => {
    const quiet = (hours: number, terms: Partial<Economics> = {}): DisruptionInput =>
      fleet([{ name: 'a', type: M6I_XLARGE, pods: [HALF], managed: { quietSince: NOW - hours * HOUR } }], {
        cluster: onDemandPool(undefined, economics(terms)),
      });
    const going = (hours: number, evictionCostUsd: number, terms: Partial<Economics> = {}): number =>
      answerTo(quiet(hours, { evictionCostUsd, ...terms }), { bootHours: 0 }).commands.length;
    const [saving = 0] = answerTo(quiet(24), { bootHours: 0 }).commands.map((command) => command.saving);
    expect(going(0, saving * 0.24)).toBe(1);
    expect(going(0, saving * 0.26)).toBe(0);
    expect(going(3, saving * 2.9)).toBe(1);
    expect(going(3, saving * 3.1)).toBe(0);
    expect(going(48, saving * 23.9)).toBe(1);
    expect(going(48, saving * 24.1)).toBe(0);
    expect(going(48, saving * 47.9, { horizonHours: 72 })).toBe(1);
    expect(going(48, saving * 2.1, { horizonHours: 2 })).toBe(0);
  });

  test('stays when it saves less than its pool asks of each node in USD/h', () => {
    const input = (leastSavingUsd: number): DisruptionInput =>
      fleet(
        [
          { name: 'a', type: M6I_LARGE, pods: [HALF] },
          { name: 'b', type: M6I_LARGE, pods: [HALF] },
        ],
        { cluster: onDemandPool([M6I_LARGE], economics({ leastSavingUsd })) },
      );
    expect(answerTo(input(0.09)).commands).toHaveLength(1);
    expect(refusalCodes(answerTo(input(0.1)))).toEqual({ a: 'SmallSaving', b: 'SmallSaving' });
  });

  test('stays while it is younger than its pool lets nodes be consolidated, unless it is empty', () => {
    const input = (pods: FleetNode['pods'], hours: number): DisruptionInput =>
      fleet(
        [{ name: 'a', type: M6I_4XLARGE, pods: pods ?? [], managed: { createdAt: NOW - hours * HOUR } }],
        {
          cluster: onDemandPool(undefined, economics({ minimumLifeSeconds: 2 * 3600 })),
        },
      );
    expect(refusalCodes(answerTo(input([HALF], 1.9)))).toEqual({ a: 'TooYoung' });
    expect(answerTo(input([HALF], 2)).commands).toHaveLength(1);
    expect(answerTo(input([], 1.9)).commands).toMatchObject([{ reason: 'Empty' }]);
  });

  test('stays for moveAgainAfter when consolidation moved pods to it, but not longer, and not for other reasons', () => {
    const input = (minutes: number | undefined, terms: Partial<Economics> = {}): DisruptionInput =>
      fleet(
        [
          {
            ...{ name: 'a', type: M6I_4XLARGE, pods: [HALF] },
            managed: { movedToAt: minutes === undefined ? undefined : NOW - minutes * 60_000 },
          },
        ],
        { cluster: onDemandPool(undefined, economics(terms)) },
      );
    expect(refusalCodes(answerTo(input(59)))).toEqual({ a: 'MovedTo' });
    expect(answerTo(input(60)).commands).toHaveLength(1);
    expect(answerTo(input(undefined)).commands).toHaveLength(1);
    expect(answerTo(input(1, { moveAgainAfterSeconds: 0 })).commands).toHaveLength(1);
    const drifted = fleet([
      { name: 'a', pods: [HALF], managed: { movedToAt: NOW, ...withClaimCondition('Drifted') } },
    ]);
    expect(answerTo(drifted).commands).toMatchObject([{ reason: 'Drifted' }]);
  });

  test('stays with WhenEmpty', () => {
    const input = fleet([{ name: 'a', type: M6I_4XLARGE, pods: [HALF] }], {
      terms: { consolidationPolicy: 'WhenEmpty' },
    });
    expect(refusalCodes(answerTo(input))).toEqual({ a: 'NotEmpty' });
  });

  test('stays while its price is unknown', () => {
    const managed = { hourlyPrice: undefined };
    const input = fleet([{ name: 'a', type: M6I_4XLARGE, pods: [HALF], managed }]);
    expect(refusalCodes(answerTo(input))).toEqual({ a: 'UnknownPrice' });
  });

  test('stays when a pod would have no place', () => {
    const pods = [{ ...HALF, nodeSelector: { [INSTANCE_TYPE]: 'm6i.4xlarge', rack: '7' } }];
    const nodes: FleetNode[] = [{ name: 'a', type: M6I_4XLARGE, labels: { rack: '7' }, pods }];
    const { refusals } = answerTo(fleet(nodes));
    expect(refusals).toMatchObject([
      {
        node: 'a',
        refusal: { code: 'NoPlace', pod: 'default/a-0', why: { code: 'IncompatibleLabel', key: 'rack' } },
      },
    ]);
  });

  test('on-demand is replaced by spot only, so that on-demand is not launched at a higher price', () => {
    const input = fleet([{ name: 'a', type: M6I_LARGE, pods: [HALF] }]);
    const { commands } = answerTo(input);
    expect(commands[0]?.claims[0]?.capacityTypes).toEqual(['spot']);
  });

  test('lists no offering that costs as much as the node, in whichever zone', () => {
    const cheap = instanceType({
      name: 'c5.large',
      offerings: [offering({ price: 0.05 }), offering({ zone: 'us-east-1b', price: 0.2 })],
    });
    const fair = instanceType({ name: 'c6.large', offerings: [offering({ price: 0.06 })] });
    const input = fleet([{ name: 'a', type: M6I_LARGE, pods: [HALF] }], {
      cluster: onDemandPool([M6I_LARGE, cheap, fair]),
    });
    const [claim] = answerTo(input).commands[0]?.claims ?? [];
    expect(claim?.hourlyPriceMax).toBeLessThan(0.096);
  });
});

describe('spot to spot', () => {
  /** `count` types that cost 1 to `count` tenths of the node. */
  function spotCatalogue(count: number) {
    return Array.from({ length: count }, (_, index) =>
      instanceType({
        name: `m${String(index).padStart(2, '0')}.large`,
        offerings: [offering({ capacityType: 'spot', price: 0.01 + index * 0.001 })],
      }),
    );
  }
  function spotNode(types: number): DisruptionInput {
    const dear = instanceType({
      name: 'z9.large',
      offerings: [offering({ capacityType: 'spot', price: 0.1 })],
    });
    return fleet([{ name: 'a', type: dear, capacityType: 'spot', pods: [HALF] }], {
      cluster: onSpot([...spotCatalogue(types), dear]),
    });
  }
  function onSpot(types: ReturnType<typeof spotCatalogue>) {
    return clusterInput({ pools: [poolOffer({ disruption: disruptionTerms() }, types)] });
  }

  test('needs fifteen cheaper types', () => {
    expect(answerTo(spotNode(14)).refusals).toEqual([
      { node: 'a', reason: 'Underutilized', refusal: { code: 'SpotFlexibility', cheaper: 14, wanted: 15 } },
    ]);
  });

  test('lists the fifteen cheapest, so that the replacement is not replaced again', () => {
    const [claim] = answerTo(spotNode(20)).commands[0]?.claims ?? [];
    expect(claim?.instanceTypes).toHaveLength(15);
    expect(claim?.instanceTypes[0]).toBe('m00.large');
  });

  test('can be turned off', () => {
    expect(refusalCodes(answerTo(spotNode(20), { spotToSpot: false }))).toEqual({ a: 'SpotToSpotDisabled' });
  });

  test('needs no choice of types where several nodes become one', () => {
    const small = instanceType({
      name: 'm5.large',
      offerings: [offering({ capacityType: 'spot', price: 0.1 })],
    });
    const large = instanceType({
      name: 'm5.xlarge',
      vcpu: 4,
      memoryMiB: 16384,
      offerings: [offering({ capacityType: 'spot', price: 0.15 })],
    });
    const nodes = ['a', 'b', 'c'].map((name): FleetNode => ({
      name,
      type: small,
      capacityType: 'spot',
      pods: [{ requests: { cpu: '1200m', memory: '1Gi' } }],
    }));
    const { commands } = answerTo(fleet(nodes, { cluster: onSpot([small, large]) }));
    expect(commands.map(({ nodes: going, claims }) => [going.length, claims.length])).toEqual([[3, 1]]);
  });
});

describe('sets of nodes', () => {
  test('n become m: small nodes whose pods are cheaper together', () => {
    const small = instanceType({ name: 'm5.large', price: 0.1, capacityTypes: ['on-demand'] });
    const large = instanceType({
      name: 'm5.2xlarge',
      vcpu: 8,
      memoryMiB: 32768,
      price: 0.25,
      capacityTypes: ['on-demand'],
    });
    const nodes = Array.from({ length: 8 }, (_, index): FleetNode => ({
      name: `n${String(index)}`,
      type: small,
      pods: [{ requests: { cpu: '1900m', memory: '1Gi' } }],
    }));
    const { commands } = answerTo(fleet(nodes, { cluster: onDemandPool([small, large]) }));
    expect(commands).toHaveLength(1);
    expect(commands[0]?.nodes).toHaveLength(8);
    expect(commands[0]?.claims.map(({ instanceTypes }) => instanceTypes)).toEqual([
      ['m5.2xlarge'],
      ['m5.2xlarge'],
    ]);
    expect(commands[0]?.saving).toBeCloseTo(0.3);
  });

  test('one becomes several: a large node whose pods are cheaper apart', () => {
    const small = instanceType({ name: 'm5.large', price: 0.1, capacityTypes: ['on-demand'] });
    const large = instanceType({
      name: 'm5.4xlarge',
      vcpu: 16,
      memoryMiB: 65536,
      price: 0.9,
      capacityTypes: ['on-demand'],
    });
    const pods = Array.from({ length: 3 }, () => ({ requests: { cpu: '1900m', memory: '1Gi' } }));
    const input = fleet([{ name: 'a', type: large, pods }], { cluster: onDemandPool([small, large]) });
    const { commands } = answerTo(input);
    expect(commands.map(({ claims }) => claims.length)).toEqual([3]);
    expect(commands[0]?.saving).toBeCloseTo(0.6);
  });

  test.each([undefined, new Set(['a', 'b', 'c'])])(
    'nodes that would be replaced by the same instance types stay, whichever is asked about (%s)',
    (only) => {
      const nodes = ['a', 'b', 'c'].map((name): FleetNode => ({ name, type: M6I_LARGE, pods: [HALF] }));
      const { commands } = answerTo(fleet(nodes, { cluster: onDemandPool([M6I_LARGE]), only }));
      expect(commands).toHaveLength(1);
      expect(commands[0]?.nodes).toHaveLength(1);
      expect(commands[0]?.claims).toEqual([]);
    },
  );

  test('a part that does not pay is left out of the command', () => {
    const full = { requests: { cpu: '1900m', memory: '7Gi' } };
    const nodes: FleetNode[] = [
      { name: 'full', type: M6I_LARGE, pods: [full] },
      { name: 'oversized', type: M6I_4XLARGE, pods: [full] },
    ];
    const { commands } = answerTo(fleet(nodes, { cluster: onDemandPool() }));
    expect(commands).toMatchObject([{ nodes: ['oversized'] }]);
  });

  test('Balanced leaves alone what saves less than half its share of the disruption', () => {
    const pods = Array.from({ length: 10 }, () => ({ requests: { cpu: '100m', memory: '100Mi' } }));
    const cheaper = instanceType({ name: 'm5.large', price: 0.085, capacityTypes: ['on-demand'] });
    const nodes: FleetNode[] = [{ name: 'a', type: M6I_LARGE, pods }];
    const cluster = onDemandPool([M6I_LARGE, cheaper]);
    const options = { leastHorizonHours: 24 };
    expect(answerTo(fleet(nodes, { cluster }), options).commands).toHaveLength(1);
    const balanced = clusterInput({
      pools: [
        poolOffer(
          {
            requirements: [oneOf(CAPACITY_TYPE, 'on-demand')],
            disruption: disruptionTerms({ consolidationPolicy: 'Balanced' }),
          },
          [M6I_LARGE, cheaper],
        ),
      ],
    });
    expect(refusalCodes(answerTo(fleet(nodes, { cluster: balanced }), options))).toEqual({ a: 'Unbalanced' });
  });

  test('pods do not move to nodes that are not well', () => {
    const nodes: FleetNode[] = [
      { name: 'a', type: M6I_LARGE, pods: [HALF] },
      { name: 'b', type: M6I_LARGE, pods: [HALF], managed: { ready: false } },
    ];
    const { commands } = answerTo(fleet(nodes, { cluster: onDemandPool([M6I_LARGE]) }));
    expect(commands.flatMap(({ nodes: going }) => going)).not.toContain('a');
  });

  test('only the nodes asked about are candidates, and all of them together', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name): FleetNode => ({
      name,
      type: M6I_4XLARGE,
      pods: [HALF],
    }));
    const only = new Set(['a', 'b', 'c', 'd', 'e']);
    const { commands } = answerTo(fleet(nodes, { cluster: onDemandPool(), only }));
    expect(commands.map(({ nodes: going }) => going)).toEqual([[...only]]);
  });

  test('nodes that take no pods go together where one replacement does for both', () => {
    const nodes = ['a', 'b'].map((name): FleetNode => ({
      name,
      type: M6I_4XLARGE,
      pods: [{ requests: { cpu: '400m', memory: '128Mi' } }],
      unschedulable: true,
    }));
    const { commands } = answerTo(fleet(nodes, { cluster: onDemandPool() }));
    expect(commands).toMatchObject([{ nodes: ['a', 'b'], claims: [{}] }]);
  });

  test('that budgets let go one after the other move each pod once: to nodes whose going would save least', () => {
    const dear = ['a', 'b', 'c', 'd'].map((name): FleetNode => ({ name, type: M6I_4XLARGE, pods: [HALF] }));
    const cheap = ['e', 'f', 'g', 'h'].map((name): FleetNode => ({ name, type: M6I_LARGE, pods: [HALF] }));
    const day = { managed: { quietSince: NOW - 24 * HOUR } };
    const budgets = [{ nodes: { count: 1 }, reasons: undefined, window: undefined }];
    const cluster = onDemandPool();
    const pools = cluster.pools.map((offer) => ({
      ...offer,
      pool: { ...offer.pool, disruption: disruptionTerms({ budgets }) },
    }));
    let input = fleet(
      [...dear, ...cheap].map((each) => ({ ...each, ...day })),
      { cluster: { ...cluster, pools } },
    );
    const moved: string[] = [];
    dear.forEach(() => {
      const answer = answerTo(input);
      const placements = answer.commands.flatMap((command) => command.placements);
      moved.push(...placements.map(({ pod }) => pod));
      const reached = new Set(placements.map(({ target }) => target.name));
      const after = afterAnswer(input, answer);
      const now = input.now + 60_000;
      const nodes = after.nodes.map((node) => (reached.has(node.name) ? { ...node, quietSince: now } : node));
      input = { ...after, nodes, now };
    });
    expect(input.nodes.map(({ name }) => name)).toEqual(['e', 'f', 'g', 'h']);
    expect(moved.sort()).toEqual(['default/a-0', 'default/b-0', 'default/c-0', 'default/d-0']);
  });

  test('nodes beyond the work budget are reported, and come first the next time', () => {
    const full = { requests: { cpu: '1900m', memory: '7Gi' } };
    const nodes = Array.from({ length: 9 }, (_, index): FleetNode => ({
      name: `n${String(index)}`,
      type: M6I_LARGE,
      pods: [full],
    }));
    const input = fleet(nodes, {
      cluster: onDemandPool([M6I_LARGE]),
    });
    // The first plan is without all of them, the others are without one each.
    const first = answerTo(input, { simulations: 3 });
    expect(first).toMatchObject({ simulations: 3, cursor: 'n1' });
    expect(refusalCodes(first)).toMatchObject({ n0: 'NotCheaper', n1: 'NotCheaper', n8: 'NotCheaper' });
    expect(answerTo({ ...input, cursor: first.cursor }, { simulations: 3 })).toMatchObject({ cursor: 'n4' });
    expect(answerTo({ ...input, cursor: 'n7' }, { simulations: 3 })).toMatchObject({ cursor: '' });
    expect(refusalCodes(answerTo(input, { simulations: 0 }))).toMatchObject({ n0: 'NotLookedAt' });
  });
});

describe('nodes that may be emptied', () => {
  test('are reported, whatever budgets have left', () => {
    const input = fleet(
      [
        { name: 'a', type: M6I_LARGE, pods: [HALF] },
        {
          name: 'b',
          type: M6I_LARGE,
          pods: [{ ...HALF, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }],
        },
        { name: 'c', type: M6I_LARGE },
      ],
      { terms: { budgets: [{ nodes: { count: 0 }, reasons: undefined, window: undefined }] } },
    );
    const { candidates, commands } = answerTo(input);
    expect(commands).toEqual([]);
    expect(candidates).toEqual(['a', 'c']);
  });
});

test('the small catalogue has what these tests rely on', () => {
  expect(smallCatalogue().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['m6i.large', 'm6i.4xlarge']),
  );
  expect(M6I_LARGE.offerings.some(({ zone }) => zone === ZONE_A)).toBe(true);
  expect(HOUR).toBe(3_600_000);
});
