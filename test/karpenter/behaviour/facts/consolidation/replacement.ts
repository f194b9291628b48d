/** What a node that costs too much is replaced by. */
import { INSTANCE_TYPE, ZONE } from '../../../../../src/domain/values/labels.js';
import { requirement } from '../../../../../src/domain/values/requirement.js';
import type { InstanceType } from '../../../../../src/domain/nodes/instance-type.js';
import { spreadOver } from '../../../../support/builders/constraints.js';
import {
  economics,
  fleet,
  typeNamed,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import {
  instanceType,
  offering,
  ZONE_A,
  ZONE_B,
  ZONE_C,
} from '../../../../support/builders/instance-type.js';
import { daemonSet } from '../../../../support/builders/daemon-set.js';
import type { ObservedPodOverrides } from '../../../../support/builders/observed-pod.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, LARGE, SMALL, staying, wasteful } from '../../fleets.js';
import { FULL, HALF, launching, onDemand, poolOf, priced } from '../../offers.js';

const WEB = { app: 'web' };
const DEAR = priced('z9.large', 0.5);

/** One node of the type with a small pod, in a pool with these types. */
function one(type: InstanceType, others: readonly InstanceType[], rest: Partial<FleetNode> = {}) {
  return fleet([{ name: 'a', type, pods: [HALF], ...rest }], { cluster: onDemand([type, ...others]) });
}

const PRICES: Suite['facts'] = [
  {
    fact: 'replaces a node by a cheaper type that holds its pods, and lists no type that costs as much',
    run: (): void => {
      const input = one(DEAR, [priced('c5.large', 0.1), priced('c6.large', 0.2), priced('c7.large', 0.5)]);
      expect(going(input)).toEqual(['Underutilized a']);
      expect(launching(input)).toEqual([['c5.large', 'c6.large']]);
    },
  },
  {
    fact: 'keeps a node that no type is cheaper than',
    run: (): void => {
      const input = one(DEAR, [priced('c5.large', 0.5), priced('c6.large', 0.6)]);
      expect(going(input)).toEqual([]);
      expect(staying(input)).toEqual(['a Underutilized NotCheaper']);
    },
  },
  {
    fact: 'keeps a node that only types too small for its pods are cheaper than',
    run: (): void => {
      const types = [priced('c5.medium', 0.1, 1)];
      expect(going(one(DEAR, types, { pods: [FULL] }))).toEqual([]);
      expect(going(one(DEAR, types, { pods: [SMALL] }))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'lists no type of which an offering in any of the zones costs more than the node',
    run: (): void => {
      const uneven = instanceType({
        name: 'c5.large',
        offerings: [offering({ price: 0.6 }), offering({ zone: ZONE_B, price: 0.1 })],
      });
      const even = instanceType({
        name: 'c6.large',
        offerings: [offering({ price: 0.2 }), offering({ zone: ZONE_B, price: 0.2 })],
      });
      expect(going(one(DEAR, [uneven]))).toEqual([]);
      expect(launching(one(DEAR, [uneven, even]))).toEqual([['c6.large']]);
    },
  },
  {
    fact: 'launches only spot where spot is what makes it cheaper, so that no more expensive on-demand node comes instead',
    run: (): void => {
      const [type] = [typeNamed('m6i.large')];
      const input = fleet([{ name: 'a', type, pods: [HALF] }], { cluster: poolOf([type]) });
      expect(answerTo(input).commands[0]?.claims.map(({ capacityTypes }) => capacityTypes)).toEqual([
        ['spot'],
      ]);
    },
  },
  {
    fact: 'overlooks offerings that are not available',
    run: (): void => {
      const cheaper = (available: boolean): InstanceType =>
        instanceType({ name: 'c5.large', offerings: [offering({ price: 0.1, available })] });
      expect(going(one(DEAR, [cheaper(false)]))).toEqual([]);
      expect(going(one(DEAR, [cheaper(true)]))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'replaces a node by any type that is cheaper, however little',
    differs:
      'a replacement has to cost 3 % less, so that small differences of price move no pods; berth.consolidation.leastSavingShare sets another share',
    run: (): void => {
      const input = (leastSavingShare: number) =>
        fleet([{ name: 'a', type: DEAR, pods: [HALF] }], {
          cluster: onDemand(
            [DEAR, priced('c5.large', 0.49)],
            economics({ leastSavingShare, evictionCostUsd: 0.001 }),
          ),
        });
      expect(staying(input(0.03))).toEqual(['a Underutilized NotCheaper']);
      expect(staying(input(0.01))).not.toContain('a Underutilized NotCheaper');
    },
  },
  {
    fact: 'replaces a node however many pods have to move for it',
    differs:
      'what is saved within the time for which it is expected to last has to be more than evictions and the start of the new node cost, by berth.consolidation',
    run: (): void => {
      const pods = Array.from({ length: 10 }, () => ({ requests: { cpu: '100m', memory: '128Mi' } }));
      const input = (evictionCostUsd: number) =>
        fleet([{ name: 'a', type: DEAR, pods }], {
          cluster: onDemand([DEAR, priced('c5.large', 0.4)], economics({ evictionCostUsd })),
        });
      expect(staying(input(0.01))).toEqual(['a Underutilized MovingCost']);
      expect(going(input(0.005))).toEqual(['Underutilized a']);
    },
  },
];

const RULES: Suite['facts'] = [
  {
    fact: 'replaces a node in its zone where a spread over zones would be uneven otherwise',
    run: (): void => {
      const small = typeNamed('m6i.large');
      const spread = [spreadOver(ZONE, WEB, { minDomains: 3 })];
      const input = (rules: ObservedPodOverrides) => {
        const pods = [{ ...FULL, labels: WEB, ...rules }];
        const nodes: FleetNode[] = [
          { name: 'a', type: small, zone: ZONE_A, pods },
          { name: 'b', type: LARGE, zone: ZONE_B, pods },
          { name: 'c', type: small, zone: ZONE_C, pods },
        ];
        return fleet(nodes, { cluster: onDemand([small, LARGE]) });
      };
      const zonesOf = (rules: ObservedPodOverrides) =>
        answerTo(input(rules)).commands.flatMap(({ claims }) => claims.map(({ zones }) => zones));
      expect(going(input({ spread }))).toEqual(['Underutilized b']);
      expect(zonesOf({ spread })).toEqual([[ZONE_B]]);
      expect(zonesOf({})).toEqual([[ZONE_A, ZONE_B, ZONE_C]]);
    },
  },
  {
    fact: 'counts what DaemonSets will ask of the new node',
    run: (): void => {
      const input = (cpu: string) => {
        const cluster = onDemand([DEAR, priced('c5.medium', 0.1, 1)]);
        return fleet([{ name: 'a', type: DEAR, pods: [SMALL] }], {
          cluster: { ...cluster, daemonSets: [daemonSet({ requests: { cpu, memory: '128Mi' } })] },
        });
      };
      expect(going(input('800m'))).toEqual([]);
      expect(going(input('100m'))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'replaces a node as before while another NodePool has no instance types',
    run: (): void => {
      const cluster = onDemand([DEAR, priced('c5.large', 0.1)]);
      const pools = [...cluster.pools, ...poolOf([], {}, { name: 'other' }).pools];
      expect(
        launching(fleet([{ name: 'a', type: DEAR, pods: [HALF] }], { cluster: { ...cluster, pools } })),
      ).toEqual([['c5.large']]);
    },
  },
  {
    fact: 'replaces the node of one NodePool by one of another where only that is cheaper',
    run: (): void => {
      const cluster = onDemand([DEAR]);
      const pools = [...cluster.pools, ...poolOf([priced('c5.large', 0.1)], {}, { name: 'other' }).pools];
      const input = fleet([{ name: 'a', type: DEAR, pods: [HALF] }], { cluster: { ...cluster, pools } });
      expect(
        answerTo(input).commands.flatMap(({ claims }) => claims.map(({ nodePool }) => nodePool)),
      ).toEqual(['other']);
    },
  },
];

/** Pool whose nodes have to list so many instance types. */
function flexible(minValues: number, types: readonly InstanceType[]) {
  return poolOf(types, {}, { requirements: [requirement(INSTANCE_TYPE, 'Exists', [], minValues)] });
}

const FLEXIBILITY: Suite['facts'] = [
  {
    fact: 'keeps a node where fewer types are cheaper than minValues asks for',
    run: (): void => {
      const types = [DEAR, priced('c5.large', 0.1), priced('c6.large', 0.2), priced('c7.large', 0.6)];
      const input = (minValues: number) =>
        fleet([{ name: 'a', type: DEAR, pods: [HALF] }], { cluster: flexible(minValues, types) });
      expect(going(input(3))).toEqual([]);
      expect(launching(input(2))).toEqual([['c5.large', 'c6.large']]);
    },
  },
  {
    fact: 'deletes a node whatever minValues asks for, if nothing has to be launched',
    run: (): void => {
      const nodes = [wasteful('a'), wasteful('b', {}, [SMALL, SMALL])];
      const input = fleet(nodes, { cluster: flexible(2, [LARGE, priced('z9.4xlarge', 9, 16)]) });
      expect(going(input)).toEqual(['Underutilized a']);
      expect(launching(input)).toEqual([]);
    },
  },
];

export const REPLACEMENT: Suite = {
  name: 'Consolidation with replacement',
  facts: [...PRICES, ...RULES, ...FLEXIBILITY],
};
