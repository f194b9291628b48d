/** Taints of pools and nodes, the tolerations that pods have, and cordoned nodes. */
import type { Toleration } from '../../../src/domain/values/taint.js';
import { taint, tolerateKey } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

describe('plan, by taints of pools', () => {
  const equal = (value: string): Toleration => ({
    key: 'team',
    operator: 'Equal',
    value,
    effect: 'NoSchedule',
  });

  test('leaves out a pod that tolerates no pool', () => {
    const plan = planFor({ pods: [pod()], pools: [poolOffer({ taints: [taint('team', 'red')] })] });
    expect(leftOut(plan)).toEqual(['pod']);
    expect(reasonFor(plan)).toMatchObject({ code: 'UntoleratedTaint', taint: taint('team', 'red') });
  });

  test.each([
    ['key and value', equal('red'), 'default-1'],
    ['another value', equal('blue'), undefined],
    ['the key whatever its value', tolerateKey('team'), 'default-1'],
    ['another key', tolerateKey('queue'), undefined],
    ['everything', tolerateKey(), 'default-1'],
    ['another effect of the key', { ...tolerateKey('team'), effect: 'NoExecute' as const }, undefined],
  ])('a pod that tolerates %s gets a node of a pool tainted team=red: %s %s', (_, toleration, place) => {
    const pools = [poolOffer({ taints: [taint('team', 'red')] })];
    expect(placeOf(planFor({ pods: [pod({ tolerations: [toleration] })], pools }))).toBe(place);
  });

  test('lets NoExecute repel as NoSchedule does', () => {
    const pools = [poolOffer({ taints: [taint('team', 'red', 'NoExecute')] })];
    expect(leftOut(planFor({ pods: [pod()], pools }))).toEqual(['pod']);
  });

  test('asks for a toleration of every taint', () => {
    const pools = [poolOffer({ taints: [taint('team'), taint('gpu')] })];
    const plan = planFor({ pods: [pod({ tolerations: [tolerateKey('team')] })], pools });
    expect(reasonFor(plan)).toMatchObject({ code: 'UntoleratedTaint', taint: taint('gpu') });
  });

  test('takes the pool of lower weight where the heavier one repels', () => {
    const pools = [
      poolOffer({ name: 'heavy', weight: 100, taints: [taint('team')] }),
      poolOffer({ name: 'light' }),
    ];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('light-1');
  });

  test('does not look at startup taints', () => {
    const pools = [poolOffer({ startupTaints: [taint('node.cilium.io/agent-not-ready')] })];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('default-1');
  });
});

describe('plan, by PreferNoSchedule', () => {
  const preferNot = [taint('team', '', 'PreferNoSchedule')];

  test('avoids a pool so tainted, even one of higher weight', () => {
    const pools = [
      poolOffer({ name: 'heavy', weight: 100, taints: preferNot }),
      poolOffer({ name: 'light' }),
    ];
    expect(placeOf(planFor({ pods: [pod()], pools }))).toBe('light-1');
  });

  test('takes it when there is no other', () => {
    expect(placeOf(planFor({ pods: [pod()], pools: [poolOffer({ taints: preferNot })] }))).toBe('default-1');
  });

  test('does not keep away pods that tolerate it', () => {
    const pools = [
      poolOffer({ name: 'heavy', weight: 100, taints: preferNot }),
      poolOffer({ name: 'light' }),
    ];
    const plan = planFor({ pods: [pod({ tolerations: [tolerateKey('team')] })], pools });
    expect(placeOf(plan)).toBe('heavy-1');
  });

  test('means nothing under preferencePolicy Ignore', () => {
    const pools = [
      poolOffer({ name: 'heavy', weight: 100, taints: preferNot }),
      poolOffer({ name: 'light' }),
    ];
    expect(placeOf(planFor({ pods: [pod()], pools }, { preferencePolicy: 'Ignore' }))).toBe('heavy-1');
  });

  test('prefers a new node to an existing one so tainted, and takes that one when none can be launched', () => {
    const nodes = [node({ taints: preferNot })];
    expect(placeOf(planFor({ pods: [pod()], nodes }))).toBe('default-1');
    expect(placeOf(planFor({ pods: [pod()], nodes, pools: [] }))).toBe('node');
  });
});

describe('plan, by taints of existing nodes', () => {
  test('keeps off a node whose taint the pod does not tolerate', () => {
    const nodes = [node({ name: 'one', taints: [taint('team')] }), node({ name: 'two' })];
    const pods = [pod({ name: 'plain' }), pod({ name: 'tolerant', tolerations: [tolerateKey('team')] })];
    const plan = planFor({ pods, nodes });
    expect(placeOf(plan, 'plain')).toBe('two');
    expect(placeOf(plan, 'tolerant')).toBe('one');
  });

  test('puts nothing on a cordoned node', () => {
    const plan = planFor({ pods: [pod()], nodes: [node({ unschedulable: true })] });
    expect(placeOf(plan)).toBe('default-1');
  });

  test('lets a pod that tolerates node.kubernetes.io/unschedulable onto a cordoned node', () => {
    const tolerations = [tolerateKey('node.kubernetes.io/unschedulable')];
    const plan = planFor({ pods: [pod({ tolerations })], nodes: [node({ unschedulable: true })] });
    expect(placeOf(plan)).toBe('node');
  });
});
