/** Pools with few instance types of known prices, for facts about what comes instead of a node. */
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import type { Disruption } from '../../../src/domain/policies/node-pool.js';
import { CAPACITY_TYPE } from '../../../src/domain/values/labels.js';
import type { DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { oneOf } from '../../support/builders/constraints.js';
import { disruptionTerms } from '../../support/builders/disruption-input.js';
import { instanceType, offering } from '../../support/builders/instance-type.js';
import { poolOffer, type NodePoolOverrides } from '../../support/builders/node-pool.js';
import { answerTo } from './fleets.js';

/** Half of an m6i.large, and nearly all of it. */
export const HALF = { requests: { cpu: '900m', memory: '1Gi' } };
export const FULL = { requests: { cpu: '1900m', memory: '7Gi' } };

/** 2 vCPU on-demand in one zone, at this price in USD/h. */
export function priced(name: string, price: number, vcpu = 2): InstanceType {
  return instanceType({
    name,
    vcpu,
    memoryMiB: vcpu * 4096,
    price,
    capacityTypes: ['on-demand'],
    zones: ['us-east-1a'],
  });
}

/** `m00.large` and so on: spot only, in one zone, at these prices in USD/h. */
export function spotTypes(...prices: readonly number[]): readonly InstanceType[] {
  return prices.map((price, index) =>
    instanceType({
      name: `m${String(index).padStart(2, '0')}.large`,
      offerings: [offering({ capacityType: 'spot', price })],
    }),
  );
}

/** Pool `default` with these types, which disrupts whatever it may. */
export function poolOf(
  types: readonly InstanceType[],
  terms: Partial<Disruption> = {},
  overrides: NodePoolOverrides = {},
): ClusterInput {
  return clusterInput({ pools: [poolOffer({ disruption: disruptionTerms(terms), ...overrides }, types)] });
}

/** The same, with on-demand nodes only. */
export function onDemand(types: readonly InstanceType[], terms: Partial<Disruption> = {}): ClusterInput {
  return poolOf(types, terms, { requirements: [oneOf(CAPACITY_TYPE, 'on-demand')] });
}

/** The instance types of each node that is launched. */
export function launching(input: DisruptionInput): readonly (readonly string[])[] {
  return answerTo(input).commands.flatMap(({ claims }) => claims.map(({ instanceTypes }) => instanceTypes));
}

/** `pod → node` of each pod that moves. */
export function moving(input: DisruptionInput): readonly string[] {
  return answerTo(input).commands.flatMap(({ placements }) =>
    placements.map(({ pod, target }) => `${pod} → ${target.kind === 'Node' ? target.name : 'new'}`),
  );
}
