/** Spot nodes that would be replaced by cheaper spot nodes. */
import { INSTANCE_TYPE } from '../../../../../src/domain/values/labels.js';
import { requirement } from '../../../../../src/domain/values/requirement.js';
import { disrupt } from '../../../../../src/planning/disrupt/methods.js';
import { disruptionOptions, fleet, type FleetNode } from '../../../../support/builders/disruption-input.js';
import { instanceType, offering } from '../../../../support/builders/instance-type.js';
import type { Suite } from '../../fact.js';
import { going, staying } from '../../fleets.js';
import { HALF, launching, poolOf, spotTypes } from '../../offers.js';

/** USD/h that rise by a cent. */
function rising(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => 0.01 * (index + 1));
}

/** A spot node of the last type, in a pool with types of these prices. */
function spotNode(prices: readonly number[], minValues = 0, rest: Partial<FleetNode> = {}) {
  const types = spotTypes(...prices);
  const type = types.at(-1);
  const requirements = [requirement(INSTANCE_TYPE, 'Exists', [], minValues)];
  return fleet([{ name: 'a', ...(type && { type }), capacityType: 'spot', pods: [HALF], ...rest }], {
    cluster: poolOf(types, {}, { requirements }),
  });
}

const CHOICE: Suite['facts'] = [
  {
    fact: 'asks for fifteen types that are cheaper than the node',
    run: (): void => {
      expect(staying(spotNode(rising(15)))).toEqual(['a Underutilized SpotFlexibility']);
      expect(going(spotNode(rising(16)))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'keeps a node that is of one of the fifteen cheapest types, however many types there are',
    run: (): void => {
      const types = spotTypes(...rising(30));
      const at = (index: number) => spotNode(rising(30), 0, { ...(types[index] && { type: types[index] }) });
      expect(staying(at(14))).toEqual(['a Underutilized SpotFlexibility']);
      expect(going(at(15))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'lists only the fifteen cheapest types, so that the new node is not replaced in turn',
    run: (): void => {
      expect(launching(spotNode(rising(30)))).toEqual([spotTypes(...rising(15)).map(({ name }) => name)]);
    },
  },
  {
    fact: 'puts types in the order of their prices before it takes the fifteen cheapest',
    run: (): void => {
      const [listed = []] = launching(spotNode([...rising(17).map((price) => price + 1), 0.001, 9]));
      expect(listed).toHaveLength(15);
      expect(listed[0]).toBe('m17.large');
      expect(listed).not.toContain('m14.large');
    },
  },
];

const FLEXIBILITY: Suite['facts'] = [
  {
    fact: 'lists as many types as minValues asks for, where that is more than fifteen',
    run: (): void => {
      expect(launching(spotNode(rising(18), 16))).toEqual([spotTypes(...rising(16)).map(({ name }) => name)]);
    },
  },
  {
    fact: 'lists fifteen types where minValues asks for fewer',
    run: (): void => {
      expect(launching(spotNode(rising(18), 10))).toEqual([spotTypes(...rising(15)).map(({ name }) => name)]);
    },
  },
  {
    fact: 'keeps a node that fifteen types are cheaper than where minValues asks for sixteen',
    run: (): void => {
      expect(going(spotNode(rising(16), 16))).toEqual([]);
      expect(going(spotNode(rising(17), 16))).toEqual(['Underutilized a']);
    },
  },
];

const REACH: Suite['facts'] = [
  {
    fact: 'deletes a spot node whose pods fit on others, however few types there are',
    run: (): void => {
      const [type] = spotTypes(0.1);
      const node = (name: string, pods: number): FleetNode => ({
        name,
        ...(type && { type }),
        capacityType: 'spot',
        pods: Array.from({ length: pods }, () => ({ requests: { cpu: '300m', memory: '512Mi' } })),
      });
      const input = fleet([node('a', 1), node('b', 2)], { cluster: poolOf(spotTypes(0.1)) });
      expect(going(input)).toEqual(['Underutilized a']);
      expect(launching(input)).toEqual([]);
    },
  },
  {
    fact: 'merges several spot nodes into one, however few types there are',
    run: (): void => {
      const spot = (name: string, vcpu: number, price: number) =>
        instanceType({
          name,
          vcpu,
          memoryMiB: vcpu * 4096,
          offerings: [offering({ capacityType: 'spot', price })],
        });
      const [small, large] = [spot('m5.large', 2, 0.1), spot('m5.xlarge', 4, 0.15)];
      const nodes = ['a', 'b', 'c'].map((name): FleetNode => ({
        name,
        type: small,
        capacityType: 'spot',
        pods: [{ requests: { cpu: '1200m', memory: '1Gi' } }],
      }));
      const input = fleet(nodes, { cluster: poolOf([small, large]) });
      expect(going(input)).toEqual(['Underutilized a b c']);
      expect(launching(input)).toEqual([['m5.xlarge']]);
    },
  },
  {
    fact: 'replaces an on-demand node by spot, however few types there are',
    run: (): void => {
      const dear = instanceType({ name: 'z9.large', price: 0.5, capacityTypes: ['on-demand'] });
      const input = fleet([{ name: 'a', type: dear, pods: [HALF] }], {
        cluster: poolOf([dear, ...spotTypes(0.1)]),
      });
      expect(launching(input)).toEqual([['m00.large']]);
    },
  },
  {
    fact: 'leaves spot nodes alone unless the feature gate SpotToSpotConsolidation is on',
    differs: 'spot nodes are replaced by cheaper ones unless --spot-to-spot=no, or the gate, says otherwise',
    run: (): void => {
      const input = spotNode(rising(16));
      expect(going(input)).toEqual(['Underutilized a']);
      const { commands, refusals } = disrupt(input, disruptionOptions({ spotToSpot: false }));
      expect(commands).toEqual([]);
      expect(refusals.map(({ refusal }) => refusal.code)).toEqual(['SpotToSpotDisabled']);
    },
  },
];

export const SPOT_TO_SPOT: Suite = {
  name: 'Spot-to-spot consolidation',
  facts: [...CHOICE, ...FLEXIBILITY, ...REACH],
};
