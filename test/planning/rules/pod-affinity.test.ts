/** Required pod affinity: pods that must be where others are, running or yet to be placed. */
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { ALL_NAMESPACES, oneOf, podTerm, selecting, spreadOver } from '../../support/builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B, ZONE_C } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { labels, pod, replicas, type PodOverrides } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, leftOut, placeOf, planFor, podsPer, reasonFor } from '../read-plan.js';

const web = { app: 'web' };
const cache = { app: 'cache' };
const m5 = [poolOffer({}, [instanceType()])];

function together(key: string, overrides: PodOverrides = {}): PodOverrides {
  return { name: 'web', labels: web, podAffinity: { required: [podTerm(key, web)] }, ...overrides };
}

function near(key: string, overrides: PodOverrides = {}): PodOverrides {
  return { name: 'web', labels: web, podAffinity: { required: [podTerm(key, cache)] }, ...overrides };
}

describe('plan, by affinity of pods to their own kind', () => {
  test('launches one node that holds all pods of a group that must share a host', () => {
    const plan = planFor({
      pods: replicas(5, together(HOSTNAME, { requests: { cpu: '1', memory: '1Gi' } })),
    });
    expect(claimSizes(plan)).toEqual([5]);
    expect(firstTypes(plan)).toEqual(['c7g.2xlarge']);
  });

  test('finds the one type that is big enough for a big bundle, and lists no smaller one', () => {
    const plan = planFor({
      pods: replicas(40, together(HOSTNAME, { requests: { cpu: '1', memory: '1Gi' } })),
    });
    expect(claimSizes(plan)).toEqual([40]);
    expect(plan.claims[0]?.instanceTypes).toEqual(['g5.12xlarge']);
  });

  test('holds a bundle of pods of two sizes on one host', () => {
    const small = replicas(
      4,
      together(HOSTNAME, { name: 'small', requests: { cpu: '500m', memory: '1Gi' } }),
    );
    const large = replicas(2, together(HOSTNAME, { name: 'large', requests: { cpu: '3', memory: '2Gi' } }));
    const plan = planFor({ pods: [...small, ...large] });
    expect(claimSizes(plan)).toEqual([6]);
    expect(firstTypes(plan)).toEqual(['c7g.4xlarge']);
  });

  test('keeps two bundles apart from each other where that is cheaper', () => {
    const bundle = (app: string): readonly ReturnType<typeof pod>[] =>
      replicas(3, {
        name: app,
        labels: { app },
        requests: { cpu: '600m', memory: '1Gi' },
        podAffinity: { required: [podTerm(HOSTNAME, { app })] },
      });
    const plan = planFor({ pods: [...bundle('x'), ...bundle('y')], pools: m5 });
    expect(plan.claims.map(({ pods }) => pods)).toEqual([
      ['default/x-0', 'default/x-1', 'default/x-2'],
      ['default/y-0', 'default/y-1', 'default/y-2'],
    ]);
  });

  test('places what one node holds of a bundle that is too big for any, and gives the reason why the rest is left out', () => {
    const plan = planFor({ pods: replicas(3, together(HOSTNAME, { requests: { cpu: '900m' } })), pools: m5 });
    expect(claimSizes(plan)).toEqual([2]);
    expect(leftOut(plan)).toEqual(['web-2']);
    expect(reasonFor(plan, 'web-2')).toMatchObject({ code: 'PodAffinity', key: HOSTNAME });
  });

  test('joins pods of the group that run already, on their host', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const pods = [
      pod({ ...together(HOSTNAME), name: 'first', nodeName: 'two' }),
      ...replicas(2, together(HOSTNAME)),
    ];
    const plan = planFor({ pods, nodes });
    expect([placeOf(plan, 'web-0'), placeOf(plan, 'web-1')]).toEqual(['two', 'two']);
  });

  test('leaves out what the host of the running pods cannot take', () => {
    const first = pod({ ...together(HOSTNAME), name: 'first', nodeName: 'node' });
    const rest = replicas(3, together(HOSTNAME, { requests: { cpu: '900m' } }));
    const plan = planFor({ pods: [first, ...rest], nodes: [node()] });
    expect(plan.placements).toHaveLength(2);
    expect(reasonFor(plan, 'web-2')).toMatchObject({ code: 'PodAffinity', key: HOSTNAME });
  });

  test('places what the largest type within the limit holds of a bundle', () => {
    const pods = replicas(5, together(HOSTNAME, { requests: { cpu: '1', memory: '1Gi' } }));
    const plan = planFor({ pods, pools: [poolOffer({ limits: { cpu: '4' } })] });
    expect(claimSizes(plan)).toEqual([3]);
    expect(leftOut(plan)).toEqual(['web-3', 'web-4']);
  });

  test('puts a bundle on an existing node that holds all of it rather than on one that holds some', () => {
    const nodes = [
      node({ name: 'a-small' }),
      node({ name: 'b-large', type: instanceType({ name: 'm5.2xlarge', vcpu: 8, memoryMiB: 32768 }) }),
    ];
    const plan = planFor({ pods: replicas(4, together(HOSTNAME, { requests: { cpu: '1' } })), nodes });
    expect(plan.placements.map(({ target }) => target.name)).toEqual(
      Array.from({ length: 4 }, () => 'b-large'),
    );
  });

  test('places no more of a bundle than spread over hosts allows', () => {
    const spread = [spreadOver(HOSTNAME, web, { maxSkew: 2 })];
    const nodes = [node({ allocatable: { cpu: '0' } })];
    const plan = planFor({ pods: replicas(3, together(HOSTNAME, { spread })), nodes });
    expect(claimSizes(plan)).toEqual([2]);
    expect(leftOut(plan)).toEqual(['web-2']);
  });

  test('puts a whole group into one zone, on as many nodes as it takes', () => {
    const plan = planFor({ pods: replicas(4, together(ZONE, { requests: { cpu: '1500m' } })), pools: m5 });
    expect(claimSizes(plan)).toEqual([1, 1, 1, 1]);
    expect(Object.keys(podsPer(plan, 'zones'))).toHaveLength(1);
    expect(plan.claims[0]?.zones).toHaveLength(1);
  });
});

describe('plan, by affinity to other pods', () => {
  const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B })];

  test('goes to the node of the pod that runs already', () => {
    const pods = [pod({ name: 'cache', labels: cache, nodeName: 'b' }), pod(near(HOSTNAME))];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('b');
  });

  test('launches in the zone of the pod that runs already when its node is full', () => {
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'b', requests: { cpu: '1900m' } }),
      pod(near(ZONE, { requests: { cpu: '1' } })),
    ];
    const plan = planFor({ pods, nodes });
    expect(plan.claims.map(({ zones }) => zones)).toEqual([[ZONE_B]]);
  });

  test('is left out when the node of the pod it must join is full', () => {
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'b', requests: { cpu: '1900m' } }),
      pod(near(HOSTNAME, { requests: { cpu: '1' } })),
    ];
    const plan = planFor({ pods, nodes });
    expect(reasonFor(plan, 'web')).toMatchObject({ code: 'PodAffinity', key: HOSTNAME });
  });

  test.each([
    ['larger', '1500m'],
    ['smaller', '100m'],
  ])('joins a pod that is still pending and %s', (_, cpu) => {
    const pods = [
      pod({ name: 'cache', labels: cache, requests: { cpu }, nodeSelector: { [ZONE]: ZONE_C } }),
      ...replicas(3, near(ZONE, { requests: { cpu: '1' } })),
    ];
    const plan = planFor({ pods, pools: m5 });
    expect(leftOut(plan)).toEqual([]);
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_C]: 4 });
  });

  test('shares a new host with a pod that is still pending', () => {
    const pods = [
      pod({ name: 'cache', labels: cache, requests: { cpu: '100m' } }),
      pod(near(HOSTNAME, { requests: { cpu: '1500m' } })),
    ];
    expect(claimSizes(planFor({ pods }))).toEqual([2]);
  });

  test('follows a chain: a joins b, which joins c', () => {
    const chain = (app: string, next: string | undefined, cpu: string): ReturnType<typeof pod> =>
      pod({
        name: app,
        labels: { app },
        requests: { cpu },
        podAffinity: { required: next === undefined ? [] : [podTerm(HOSTNAME, { app: next })] },
      });
    const plan = planFor({
      pods: [chain('a', 'b', '600m'), chain('b', 'c', '500m'), chain('c', undefined, '400m')],
    });
    expect(claimSizes(plan)).toEqual([3]);
  });

  test('continues to another zone of its kind when the first is full', () => {
    const pools = [poolOffer({ requirements: [oneOf(ZONE, ZONE_B)] }, [instanceType()])];
    const pods = [
      ...nodes.map(({ name }) => pod({ name: `cache-${name}`, labels: cache, nodeName: name })),
      ...replicas(4, near(ZONE, { requests: { cpu: '1500m' } })),
    ];
    const plan = planFor({ pods, nodes, pools });
    expect(leftOut(plan)).toEqual([]);
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_B]: 2 });
  });

  test('leaves out a pod that wants one which is nowhere', () => {
    const plan = planFor({ pods: [pod(near(ZONE))], nodes });
    expect(reasonFor(plan, 'web')).toMatchObject({ code: 'PodAffinity', key: ZONE });
  });

  test('leaves out two pods that wait for each other, as kube-scheduler would', () => {
    const pods = [
      pod({ name: 'x', labels: { app: 'x' }, podAffinity: { required: [podTerm(ZONE, { app: 'y' })] } }),
      pod({ name: 'y', labels: { app: 'y' }, podAffinity: { required: [podTerm(ZONE, { app: 'x' })] } }),
    ];
    expect(leftOut(planFor({ pods }))).toEqual(['x', 'y']);
  });

  test('asks for one pod that matches both of two terms over zone', () => {
    const required = [podTerm(ZONE, cache), podTerm(ZONE, { tier: 'gold' })];
    const pods = [
      pod({ name: 'plain', labels: cache, nodeName: 'a' }),
      pod({ name: 'gold', labels: { ...cache, tier: 'gold' }, nodeName: 'b' }),
      pod({ name: 'web', labels: web, podAffinity: { required } }),
    ];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('b');
  });

  test('is left out when two terms are met only by two different pods', () => {
    const required = [podTerm(ZONE, cache), podTerm(ZONE, { tier: 'gold' })];
    const pods = [
      pod({ name: 'plain', labels: cache, nodeName: 'a' }),
      pod({ name: 'gold', labels: { tier: 'gold' }, nodeName: 'a' }),
      pod({ name: 'web', labels: web, podAffinity: { required } }),
    ];
    expect(leftOut(planFor({ pods, nodes }))).toEqual(['web']);
  });

  test('asks for host and zone at once', () => {
    const required = [podTerm(HOSTNAME, cache), podTerm(ZONE, cache)];
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'b' }),
      pod({ name: 'web', labels: web, podAffinity: { required } }),
    ];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('b');
  });
});

describe('plan, by the namespaces of affinity', () => {
  const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B })];
  const elsewhere = pod({ name: 'cache', namespace: 'data', labels: cache, nodeName: 'b' });
  const wanting = (...namespaces: [] | [Parameters<typeof podTerm>[2]]): ReturnType<typeof pod> =>
    pod({ name: 'web', labels: web, podAffinity: { required: [podTerm(HOSTNAME, cache, ...namespaces)] } });

  test("looks into the pod's own namespace only, when nothing is said", () => {
    expect(leftOut(planFor({ pods: [elsewhere, wanting()], nodes }))).toEqual(['web']);
  });

  test('looks into the namespaces named', () => {
    expect(placeOf(planFor({ pods: [elsewhere, wanting(['data'])], nodes }), 'web')).toBe('b');
  });

  test('looks into every namespace with an empty namespaceSelector', () => {
    expect(placeOf(planFor({ pods: [elsewhere, wanting(ALL_NAMESPACES)], nodes }), 'web')).toBe('b');
  });

  test('looks into the namespaces whose labels the namespaceSelector matches', () => {
    const namespaces = new Map([['data', labels({ kind: 'stores' })]]);
    const found = planFor({ pods: [elsewhere, wanting(selecting({ kind: 'stores' }))], nodes, namespaces });
    const lost = planFor({ pods: [elsewhere, wanting(selecting({ kind: 'apps' }))], nodes, namespaces });
    expect(placeOf(found, 'web')).toBe('b');
    expect(leftOut(lost)).toEqual(['web']);
  });

  test('knows every namespace by the label that the API server gives it', () => {
    const byName = selecting({ 'kubernetes.io/metadata.name': 'data' });
    expect(placeOf(planFor({ pods: [elsewhere, wanting(byName)], nodes }), 'web')).toBe('b');
  });

  test('follows a chain of any length, whatever the order of sizes', () => {
    const length = 24;
    const pods = Array.from({ length }, (_, index) =>
      pod({
        name: `link-${String(index)}`,
        labels: { link: String(index) },
        requests: { cpu: `${String(1500 - 10 * index)}m` },
        podAffinity: index < length - 1 ? { required: [podTerm(ZONE, { link: String(index + 1) })] } : {},
      }),
    );
    expect(leftOut(planFor({ pods }))).toEqual([]);
  });
});
