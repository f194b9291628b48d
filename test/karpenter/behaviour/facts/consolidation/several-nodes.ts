/** Nodes that are consolidated together. */
import { fleet, type FleetNode } from '../../../../support/builders/disruption-input.js';
import type { Suite } from '../../fact.js';
import { answerTo, going, SMALL, staying } from '../../fleets.js';
import { FULL, launching, onDemand, poolOf, priced } from '../../offers.js';
import { disruptionTerms } from '../../../../support/builders/disruption-input.js';
import { poolOffer } from '../../../../support/builders/node-pool.js';

const SMALL_TYPE = priced('m5.large', 0.1);
const BIG_TYPE = priced('m5.2xlarge', 0.22, 8);
const MOST = { requests: { cpu: '1900m', memory: '1Gi' } };

function nodes(names: string, pod: typeof MOST = MOST): readonly FleetNode[] {
  return names.split('').map((name) => ({ name, type: SMALL_TYPE, pods: [pod] }));
}

const MERGING: Suite['facts'] = [
  {
    fact: 'merges three nodes into one that is cheaper than they are',
    run: (): void => {
      const input = fleet(nodes('abc'), { cluster: onDemand([SMALL_TYPE, BIG_TYPE]) });
      expect(going(input)).toEqual(['Underutilized a b c']);
      expect(launching(input)).toEqual([['m5.2xlarge']]);
    },
  },
  {
    fact: 'keeps nodes whose merger would cost as much as they do',
    run: (): void => {
      const input = (price: number) =>
        fleet(nodes('abc'), { cluster: onDemand([SMALL_TYPE, priced('m5.2xlarge', price, 8)]) });
      expect(going(input(0.3))).toEqual([]);
      expect(going(input(0.25))).toEqual(['Underutilized a b c']);
    },
  },
  {
    fact: 'deletes one of two alike nodes rather than launch a third of their type for both',
    run: (): void => {
      const input = fleet(nodes('ab', SMALL), { cluster: onDemand([SMALL_TYPE]) });
      expect(going(input)).toHaveLength(1);
      expect(answerTo(input).commands[0]?.nodes).toHaveLength(1);
      expect(launching(input)).toEqual([]);
    },
  },
  {
    fact: 'deletes all nodes but one where that has room for the pods of all',
    run: (): void => {
      const input = fleet(
        'abcde'.split('').map((name) => ({ name, type: BIG_TYPE, pods: [SMALL] })),
        { cluster: onDemand([BIG_TYPE]) },
      );
      expect(answerTo(input).commands.flatMap((command) => command.nodes)).toHaveLength(4);
      expect(launching(input)).toEqual([]);
    },
  },
  {
    fact: 'leaves a node out of a merger that is worth less with it',
    run: (): void => {
      const own = { requests: { cpu: '7800m', memory: '4Gi' } };
      const full: FleetNode = { name: 'z', type: BIG_TYPE, pods: [own] };
      const input = fleet([...nodes('abc'), full], { cluster: onDemand([SMALL_TYPE, BIG_TYPE]) });
      expect(going(input)).toEqual(['Underutilized a b c']);
      expect(staying(input).map((text) => text.split(' ')[0])).toEqual(['z']);
    },
  },
  {
    fact: 'replaces a node alone where no merger pays',
    run: (): void => {
      const dear = priced('z9.large', 0.5);
      const input = fleet([{ name: 'a', type: dear, pods: [FULL] }, ...nodes('b', FULL)], {
        cluster: onDemand([SMALL_TYPE, dear]),
      });
      expect(going(input)).toEqual(['Underutilized a']);
      expect(launching(input)).toEqual([['m5.large']]);
    },
  },
  {
    fact: 'merges nodes of different NodePools',
    run: (): void => {
      const other = poolOffer({ name: 'other', disruption: disruptionTerms() }, [SMALL_TYPE]);
      const cluster = poolOf([SMALL_TYPE, BIG_TYPE]);
      const input = fleet(
        nodes('abc').map((each) => (each.name === 'a' ? each : { ...each, nodePool: 'other' })),
        { cluster: { ...cluster, pools: [...cluster.pools, other] } },
      );
      expect(going(input)).toEqual(['Underutilized a b c']);
      expect(launching(input)).toEqual([['m5.2xlarge']]);
    },
  },
  {
    fact: 'launches one node at most for the nodes that it removes',
    differs: 'any number of nodes becomes any number of others, if they are cheaper together',
    run: (): void => {
      const one = fleet([{ name: 'a', type: priced('m5.4xlarge', 0.9, 16), pods: [MOST, MOST, MOST] }], {
        cluster: onDemand([SMALL_TYPE]),
      });
      expect(launching(one)).toEqual([['m5.large'], ['m5.large'], ['m5.large']]);
      const eight = fleet(nodes('abcdefgh'), { cluster: onDemand([SMALL_TYPE, BIG_TYPE]) });
      expect(going(eight)).toEqual(['Underutilized a b c d e f g h']);
      expect(launching(eight)).toEqual([['m5.2xlarge'], ['m5.2xlarge']]);
    },
  },
];

/** Ten pods on a node that may be replaced by a cheaper one, in a pool with the policy. */
function balancing(consolidationPolicy: 'Balanced' | 'WhenEmptyOrUnderutilized', price: number) {
  const pods = Array.from({ length: 10 }, () => ({ requests: { cpu: '100m', memory: '100Mi' } }));
  const type = priced('m5.large', 1);
  const cluster = onDemand([type, priced('c5.large', price)], { consolidationPolicy });
  return fleet([{ name: 'a', type, pods }], { cluster });
}

const BALANCE: Suite['facts'] = [
  {
    fact: 'with Balanced, keeps a node whose share of the saving is less than half its share of the disruption',
    run: (): void => {
      expect(staying(balancing('Balanced', 0.6))).toEqual(['a Underutilized Unbalanced']);
      expect(going(balancing('Balanced', 0.4))).toEqual(['Underutilized a']);
      expect(going(balancing('WhenEmptyOrUnderutilized', 0.6))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'with Balanced, deletes nodes without pods, which disturb nothing',
    run: (): void => {
      const cluster = onDemand([SMALL_TYPE, BIG_TYPE], { consolidationPolicy: 'Balanced' });
      const empty = { name: 'e', type: SMALL_TYPE };
      expect(
        going(fleet([empty, { name: 'z', type: BIG_TYPE, pods: [FULL, FULL, FULL] }], { cluster })),
      ).toEqual(['Empty e']);
    },
  },
];

export const SEVERAL_NODES: Suite = { name: 'Multi-node consolidation', facts: [...MERGING, ...BALANCE] };
