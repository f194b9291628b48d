/** Pods that must share a node with other pods which are pending too: the node is chosen for all of them. */
import { HOSTNAME } from '../../../src/domain/values/labels.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { podTerm, spreadOver } from '../../support/builders/constraints.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas, type PodOverrides } from '../../support/builders/pod.js';
import { claimSizes, leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const SMALL = { cpu: '100m', memory: '128Mi' };
const LARGE = { cpu: '1', memory: '6Gi' };

/** Pods labelled `app`. */
function app(name: string, n: number, overrides: PodOverrides = {}): readonly Pod[] {
  return replicas(n, { name, labels: { app: name }, requests: SMALL, ...overrides });
}

/** Pods labelled `app` that must be on a node with others. */
function beside(
  name: string,
  n: number,
  others: readonly string[],
  overrides: PodOverrides = {},
): readonly Pod[] {
  const required = others.map((other) => podTerm(HOSTNAME, { app: other }));
  return app(name, n, { podAffinity: { required }, ...overrides });
}

describe('plan, for pods that must share a node with pods of another app', () => {
  test('chooses a node large enough for all of them', () => {
    const plan = planFor({ pods: [...app('web', 1), ...beside('side', 3, ['web'], { requests: LARGE })] });
    expect(leftOut(plan)).toEqual([]);
    expect(claimSizes(plan)).toEqual([4]);
  });

  test('keeps that room from pods that may go anywhere', () => {
    const plan = planFor({
      pods: [
        ...app('web', 1),
        ...beside('side', 12, ['web'], { requests: { cpu: '1', memory: '1Gi' } }),
        ...app('other', 20, { requests: { cpu: '500m', memory: '1Gi' } }),
      ],
    });
    expect(leftOut(plan)).toEqual([]);
    const places = new Set(Array.from({ length: 12 }, (_, each) => placeOf(plan, `side-${String(each)}`)));
    expect([...places]).toEqual([placeOf(plan, 'web-0')]);
  });

  test('divides them among the pods that they may be with', () => {
    const m5 = [poolOffer({}, [instanceType({ vcpu: 4, memoryMiB: 16_384 })])];
    const plan = planFor({
      pools: m5,
      pods: [...app('web', 3), ...beside('side', 9, ['web'], { requests: { cpu: '1', memory: '1Gi' } })],
    });
    expect(leftOut(plan)).toEqual([]);
    expect(claimSizes(plan)).toEqual([4, 4, 4]);
  });

  test('follows a chain of apps, each beside the one before it', () => {
    const chain = Array.from({ length: 60 }, (_, at) =>
      at === 0 ? app('a0', 1) : beside(`a${String(at)}`, 1, [`a${String(at - 1)}`]),
    );
    const plan = planFor({ pods: chain.flat() });
    expect(leftOut(plan)).toEqual([]);
    expect(claimSizes(plan)).toEqual([60]);
  });

  test('chooses one node for pods with two terms and the pod that matches both', () => {
    const both = podTerm(HOSTNAME, { app: 'web' });
    const front = podTerm(HOSTNAME, { tier: 'front' });
    const side = replicas(3, {
      name: 'side',
      labels: { app: 'side' },
      requests: LARGE,
      podAffinity: { required: [both, front] },
    });
    const web = pod({ name: 'web', labels: { app: 'web', tier: 'front' }, requests: SMALL });
    const plan = planFor({ pods: [web, ...side] });
    expect(leftOut(plan)).toEqual([]);
    expect(claimSizes(plan)).toEqual([4]);
  });

  test('counts pods of their own kind among those that they look for', () => {
    const term = podTerm(HOSTNAME, { tier: 'front' });
    const side = replicas(3, {
      name: 'b',
      labels: { tier: 'front' },
      requests: LARGE,
      podAffinity: { required: [term] },
    });
    const plan = planFor({ pods: [pod({ name: 'c', labels: { tier: 'front' }, requests: SMALL }), ...side] });
    expect(leftOut(plan)).toEqual([]);
  });

  test('takes the room of an existing node only where all of them fit', () => {
    const nodes = [node({ name: 'old', allocatable: { cpu: '1', memory: '4Gi', pods: '20' } })];
    const plan = planFor({
      nodes,
      pods: [...app('web', 1), ...beside('side', 2, ['web'], { requests: LARGE })],
    });
    expect(leftOut(plan)).toEqual([]);
    expect(placeOf(plan, 'web-0')).not.toBe('old');
  });

  test('places as many as the largest node holds where all of them are too many', () => {
    const m5 = [poolOffer({}, [instanceType({ vcpu: 4, memoryMiB: 16_384 })])];
    const plan = planFor({
      pools: m5,
      pods: [...app('web', 1), ...beside('side', 5, ['web'], { requests: { cpu: '1', memory: '1Gi' } })],
    });
    expect(claimSizes(plan)).toEqual([4]);
    expect(leftOut(plan)).toEqual(['side-3', 'side-4']);
    expect(reasonFor(plan, 'side-4')).toMatchObject({ code: 'PodAffinity', key: HOSTNAME });
  });

  test('takes the largest node for pods that must all share one and are too many for any', () => {
    const types = [
      instanceType({ vcpu: 4, memoryMiB: 16_384 }),
      instanceType({ name: 'm5.xlarge', vcpu: 8, memoryMiB: 32_768, price: 0.4 }),
    ];
    const plan = planFor({
      pools: [poolOffer({}, types)],
      pods: beside('web', 12, ['web'], { requests: { cpu: '1', memory: '1Gi' } }),
    });
    expect(claimSizes(plan)).toEqual([7]);
  });

  test('puts them beside those of the pods that they may be with which leave them room on a node', () => {
    const types = [instanceType({ vcpu: 4, memoryMiB: 16_384 })];
    const front = { tier: 'front' };
    const plan = planFor({
      pools: [poolOffer({}, types)],
      pods: [
        ...replicas(4, { name: 'large', labels: front, requests: { cpu: '3', memory: '1Gi' } }),
        pod({ name: 'small', labels: front, requests: SMALL }),
        ...replicas(2, {
          name: 'side',
          labels: { app: 'side' },
          requests: { cpu: '1500m', memory: '1Gi' },
          podAffinity: { required: [podTerm(HOSTNAME, front)] },
        }),
      ],
    });
    expect(leftOut(plan)).toEqual([]);
    expect(placeOf(plan, 'side-0')).toBe(placeOf(plan, 'small'));
  });

  test('keeps their other rules: hosts that take one of them each', () => {
    const plan = planFor({
      pods: [
        ...app('web', 3),
        ...beside('side', 3, ['web'], { requests: LARGE, spread: [spreadOver(HOSTNAME, { app: 'side' })] }),
      ],
    });
    expect(leftOut(plan)).toEqual([]);
    const places = ['0', '1', '2'].map((index) => placeOf(plan, `side-${index}`));
    expect(new Set(places).size).toBe(3);
  });

  test('leaves out pods that wait for each other, which kube-scheduler never binds', () => {
    const plan = planFor({ pods: [...beside('a', 1, ['b']), ...beside('b', 1, ['a'])] });
    expect(leftOut(plan)).toEqual(['a-0', 'b-0']);
  });
});
