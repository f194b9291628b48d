/** Nodes of dedicated tenancy in a pool that leaves the tenancy open. */
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { CAPACITY_TYPE, INSTANCE_TENANCY } from '../../../src/domain/values/labels.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { oneOf } from '../../support/builders/constraints.js';
import {
  disruptionTerms,
  fleet,
  typeNamed,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { ofTenancy } from '../../support/builders/instance-type.js';
import { poolOfTenancies } from '../../support/builders/node-pool.js';
import type { ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { answerTo, SMALL } from './answers.js';

const TYPES = ['m6i.large', 'm6i.xlarge', 'm6i.4xlarge'].map((name) => typeNamed(name));
const [USUAL, DEDICATED] = (['default', 'dedicated'] as const).map((tenancy) => ofTenancy(TYPES, tenancy));
const POOL = poolOfTenancies(
  { requirements: [oneOf(CAPACITY_TYPE, 'on-demand')], disruption: disruptionTerms() },
  TYPES,
);
const LARGE_PRICE = 0.096;
const ASKING: ObservedPodOverrides = { ...SMALL, nodeSelector: { [INSTANCE_TENANCY]: 'dedicated' } };

function named(types: readonly InstanceType[] | undefined, name: string): InstanceType {
  const found = types?.find((type) => type.name === name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
}

function dedicatedNode(name: string, type: string, pods: readonly ObservedPodOverrides[]): FleetNode {
  return { name, type: named(DEDICATED, type), labels: { [INSTANCE_TENANCY]: 'dedicated' }, pods };
}

function answerFor(...nodes: readonly FleetNode[]) {
  return answerTo(fleet(nodes, { cluster: clusterInput({ pools: [POOL] }) }));
}

describe('a dedicated node that is too large', () => {
  test('is replaced by a smaller dedicated one, at its price, while a pod asks for that', () => {
    const [command] = answerFor(dedicatedNode('a', 'm6i.4xlarge', [ASKING, SMALL])).commands;
    const [claim] = command?.claims ?? [];
    expect([command?.nodes, claim?.instanceTypes[0]]).toEqual([['a'], 'm6i.large']);
    expect(claim?.chosenLabels.get(INSTANCE_TENANCY)).toBe('dedicated');
    expect(claim?.hourlyPrice).toBeCloseTo(LARGE_PRICE * 1.06, 6);
  });

  test('is replaced by one of the usual tenancy when no pod on it asks', () => {
    const [command] = answerFor(dedicatedNode('a', 'm6i.4xlarge', [SMALL])).commands;
    const [claim] = command?.claims ?? [];
    expect(claim?.chosenLabels.size).toBe(0);
    expect(claim?.hourlyPrice).toBeCloseTo(LARGE_PRICE, 6);
  });
});

describe('pods of a dedicated node that goes', () => {
  const usual = { [INSTANCE_TENANCY]: 'default' };
  const room = {
    ...{ name: 'room', type: named(USUAL, 'm6i.4xlarge'), labels: usual },
    pods: [{ requests: { cpu: '9' }, nodeSelector: usual }],
  };

  test('move to a dedicated node, and not to the usual one with more room', () => {
    const kept = dedicatedNode('kept', 'm6i.xlarge', [{ ...ASKING, requests: { cpu: '3' } }]);
    const { commands } = answerFor(dedicatedNode('a', 'm6i.large', [ASKING]), kept, room);
    expect(
      commands.map(({ nodes, placements }) => [nodes, placements.map(({ target }) => target.name)]),
    ).toEqual([[['a'], ['kept']]]);
  });

  test('stay where there is no other dedicated node', () => {
    expect(answerFor(dedicatedNode('a', 'm6i.large', [ASKING]), room).commands).toEqual([]);
  });

  test('move anywhere when they ask for nothing', () => {
    const { commands } = answerFor(dedicatedNode('a', 'm6i.large', [SMALL]), room);
    expect(commands.map(({ nodes, claims }) => [nodes, claims])).toEqual([[['a'], []]]);
  });
});
