/** Faults in what a plan lists: pods, reasons, types, prices, limits, pools. */
import { CAPACITY_TYPE, INSTANCE_PREFIX, ZONE } from '../../../../src/domain/values/labels.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../builders/cluster-input.js';
import { oneOf, taint } from '../../builders/constraints.js';
import { daemonSet } from '../../builders/daemon-set.js';
import { instanceType, offering, ZONE_A, ZONE_B, ZONE_C } from '../../builders/instance-type.js';
import { node } from '../../builders/node.js';
import { poolOffer } from '../../builders/node-pool.js';
import { handMadePlan, type HandMadePlan } from '../../builders/plan.js';
import { pod } from '../../builders/pod.js';
import { requirement } from '../../../../src/domain/values/requirement.js';
import {
  inputs,
  plans,
  changed,
  changedClaim,
  onePod,
  noPool,
  TWO,
  onNode,
  twoOf,
  ONE_POD,
  type Case,
} from './planted-fault.js';

export function bookkeeping(): readonly Case[] {
  const twoPools = clusterInput({ pods: [pod()], pools: [] });
  const hungry = pod({ requests: { cpu: '1000' } });
  const tooBig = clusterInput({ pods: [hungry], pools: [poolOffer(), poolOffer({ name: 'other' })] });
  const about = (...pools: readonly string[]): HandMadePlan => ({
    unschedulable: [
      {
        pod: 'default/pod',
        reasons: pools.map((nodePool) => ({ nodePool, reason: { code: 'StaticPool' } })),
      },
    ],
  });
  return [
    { kind: 'pod-count', fault: 'a pod without an answer', ...plans(onePod, {}) },
    {
      kind: 'pod-count',
      fault: 'a pod placed twice',
      ...changed(({ placements }) => ({ placements: [...placements, ...placements] })),
    },
    {
      kind: 'pod-count',
      fault: 'a pod placed and unschedulable',
      ...changed(() => ({ unschedulable: [noPool] })),
    },
    {
      kind: 'pod-count',
      fault: 'an answer for a pod that is bound',
      ...inputs({ pods: [pod({ nodeName: 'node' })], nodes: [node()] }, {}),
    },
    { kind: 'reasons', fault: 'no reason', ...plans(twoPools, about(), { unschedulable: [noPool] }) },
    {
      kind: 'reasons',
      fault: 'a pool without a reason',
      ...plans(tooBig, about('default'), about('default', 'other')),
    },
    { kind: 'left-out', fault: 'a pod that a pool could launch for', ...plans(onePod, about('default')) },
    {
      kind: 'left-out',
      fault: 'a pod for which a node has room',
      ...plans(
        clusterInput({ pods: [pod()], nodes: [node()], pools: [] }),
        { unschedulable: [noPool] },
        onNode,
      ),
    },
    {
      kind: 'target',
      fault: 'a claim that is not listed',
      ...changed(() => ({ claims: [], cost: { hourly: 0, lowerBound: null, existingHourly: 0 } })),
    },
    { kind: 'target', fault: 'a node that is not there', ...inputs({}, { nodes: [node()] }, onNode) },
    { kind: 'target', fault: 'a claim that lists other pods', ...changedClaim({ pods: ['default/other'] }) },
    { kind: 'target', fault: 'a claim without pods', ...plans(onePod, { claims: [{}, { pods: [] }] }) },
    { kind: 'order', fault: 'placements out of order', ...reversed() },
    {
      kind: 'order',
      fault: 'a more expensive type first',
      ...plans(
        onePod,
        { claims: [{ types: ['r6i.large', 'm6i.large'] }] },
        { claims: [{ types: ['m6i.large', 'r6i.large'] }] },
      ),
    },
    {
      kind: 'cost',
      fault: 'a sum that is wrong',
      ...changed(({ cost }) => ({ cost: { ...cost, hourly: cost.hourly + 0.01 } })),
    },
    {
      kind: 'cost',
      fault: 'a lower bound above the price',
      ...changed(({ cost }) => ({ cost: { ...cost, lowerBound: cost.hourly + 0.01 } })),
    },
    {
      kind: 'amounts',
      fault: 'requests without the DaemonSet',
      ...changedClaim(
        { requests: pod().spec.requests },
        clusterInput({ pods: [pod()], daemonSets: [daemonSet()] }),
      ),
    },
    {
      kind: 'amounts',
      fault: "another type's allocatable",
      ...changedClaim({ allocatable: instanceType({ vcpu: 4 }).allocatable }),
    },
  ];
}

function reversed(): Pick<Case, 'bad' | 'good'> {
  const input = twoOf({});
  const plan = handMadePlan(input, { claims: [{ pods: TWO }] });
  return { bad: [input, { ...plan, placements: [...plan.placements].reverse() }], good: [input, plan] };
}

export function offers(): readonly Case[] {
  const pools = [poolOffer({ requirements: [oneOf(ZONE, ZONE_A, ZONE_B)] })];
  const named = (...types: readonly string[]) => ({ types });
  const sixtyOne = Array.from({ length: 61 }, (_, index) =>
    instanceType({ name: `m${String(index)}.large` }),
  );
  const many = clusterInput({ pods: [pod()], pools: [poolOffer({}, sixtyOne)] });
  const names = sixtyOne.map(({ name }) => name);
  const scarce = instanceType({
    name: 'x1.large',
    offerings: [offering(), offering({ zone: ZONE_B, available: false })],
  });
  const onlyScarce = clusterInput({ pods: [pod()], pools: [poolOffer({}, [scarce])] });
  const gpuPool = poolOffer({ requirements: [oneOf(`${INSTANCE_PREFIX}gpu-name`, 'a10g')] });
  const family = `${INSTANCE_PREFIX}family`;
  const minTwo = [poolOffer({ requirements: [requirement(family, 'Exists', [], 2)] })];
  const team = [poolOffer({ requirements: [oneOf('team', 'blue', 'red')] })];
  return [
    {
      kind: 'offer',
      fault: 'an unknown type',
      ...plans(onePod, { claims: [named('m6i.large', 'm9.large')] }),
    },
    {
      kind: 'offer',
      fault: 'a zone without offerings',
      ...plans(onePod, { claims: [{ zones: [ZONE_A, 'us-east-1f'] }] }),
    },
    {
      kind: 'offer',
      fault: 'an offering that is not available',
      ...plans(
        onlyScarce,
        { claims: [{ ...named('x1.large'), zones: [ZONE_A, ZONE_B] }] },
        { claims: [named('x1.large')] },
      ),
    },
    {
      kind: 'offer',
      fault: 'more types than may be listed',
      ...plans(many, { claims: [named(...names)] }, { claims: [named(...names.slice(0, 60))] }),
    },
    { kind: 'offer', fault: 'a static pool', ...inputs({ pools: [poolOffer({ replicas: 2 })] }, {}) },
    {
      kind: 'offer',
      fault: 'a pool without its node class',
      ...inputs({ pools: [{ pool: poolOffer().pool, instanceTypes: undefined }] }, {}),
    },
    { kind: 'price', fault: 'a price below the cheapest', ...changedClaim({ hourlyPrice: 0.05 }) },
    {
      kind: 'price',
      fault: 'a highest price below the most expensive offering',
      ...changedClaim({ hourlyPriceMax: 0.05 }),
    },
    {
      kind: 'pool-requirements',
      fault: 'a zone that the pool leaves out',
      ...plans(clusterInput({ pods: [pod()], pools }), { claims: [{ zones: [ZONE_A, ZONE_C] }] }),
    },
    {
      kind: 'pool-requirements',
      fault: 'a capacity type that the pool leaves out',
      ...inputs({ pools: [poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'spot')] })] }, {}),
    },
    {
      kind: 'pool-requirements',
      fault: 'an instance without a label that the pool wants',
      ...plans(clusterInput({ pods: [pod()], pools: [gpuPool] }), ONE_POD, { claims: [named('g5.xlarge')] }),
    },
    {
      kind: 'pool-requirements',
      fault: 'an open label that nobody chose',
      ...plans(clusterInput({ pods: [pod()], pools: team }), ONE_POD, {
        claims: [{ chosenLabels: { team: 'blue' } }],
      }),
    },
    {
      kind: 'pool-requirements',
      fault: 'a chosen label that contradicts the instance',
      ...plans(onePod, { claims: [{ chosenLabels: { [ZONE]: ZONE_B } }] }),
    },
    {
      kind: 'min-values',
      fault: 'too few families',
      ...plans(
        clusterInput({ pods: [pod()], pools: minTwo }),
        { claims: [named('m6i.large', 'm6i.xlarge')] },
        { claims: [named('m6i.large', 'r6i.large')] },
      ),
    },
  ];
}

export function limits(): readonly Case[] {
  const limited = (limits: Readonly<Record<string, string>>): ClusterInput['pools'] => [
    poolOffer({ limits }),
  ];
  const own = node({ nodePool: 'default' });
  const twoTypes: HandMadePlan = { claims: [{ types: ['m6i.large', 'm6i.xlarge'] }] };
  return [
    {
      kind: 'limits',
      fault: 'the largest listed type beyond the limit',
      ...inputs({ pools: limited({ cpu: '3' }) }, { pools: limited({ cpu: '4' }) }, twoTypes),
    },
    {
      kind: 'limits',
      fault: "the pool's node and the claim beyond it",
      ...inputs(
        { pools: limited({ cpu: '3' }), nodes: [own] },
        { pools: limited({ cpu: '3' }), nodes: [node()] },
      ),
    },
    {
      kind: 'limits',
      fault: 'what is in flight and the claim beyond it',
      ...inputs(
        { pools: limited({ cpu: '3' }).map((offer) => ({ ...offer, inFlight: new Map([['cpu', 2000]]) })) },
        { pools: limited({ cpu: '3' }) },
      ),
    },
    {
      kind: 'limits',
      fault: 'more nodes than the pool may have',
      ...inputs(
        { pools: limited({ nodes: '1' }), nodes: [own] },
        { pools: limited({ nodes: '2' }), nodes: [own] },
      ),
    },
  ];
}

export function weights(): readonly Case[] {
  const first = (overrides = {}) => [poolOffer(), poolOffer({ name: 'first', weight: 10, ...overrides })];
  return [
    {
      kind: 'weight',
      fault: 'the pool of lower weight',
      ...plans(clusterInput({ pods: [pod()], pools: first() }), ONE_POD, { claims: [{ nodePool: 'first' }] }),
    },
    {
      kind: 'weight',
      fault: 'the pool of lower weight without a reason',
      ...inputs({ pools: first() }, { pools: first({ taints: [taint('dedicated')] }) }),
    },
    {
      kind: 'weight',
      fault: 'a limit that does not bind',
      ...inputs({ pools: first({ limits: { cpu: '1000' } }) }, { pools: first({ limits: { cpu: '1' } }) }),
    },
  ];
}
