/** Required pod anti-affinity: in both directions, against pods that run and pods yet to be placed. */
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { podTerm } from '../../support/builders/constraints.js';
import { ZONE_A, ZONE_B, ZONE_C } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { pod, replicas, type PodOverrides } from '../../support/builders/pod.js';
import { claimSizes, leftOut, placeOf, planFor, podsPer, reasonFor } from '../read-plan.js';

const web = { app: 'web' };
const batch = { app: 'batch' };

function apart(key: string, from: Record<string, string> = web): PodOverrides {
  return { name: 'web', labels: web, podAntiAffinity: { required: [podTerm(key, from)] } };
}

describe('plan, by anti-affinity of pods to their own kind', () => {
  test('gives each pod a host of its own', () => {
    expect(claimSizes(planFor({ pods: replicas(3, apart(HOSTNAME)) }))).toEqual([1, 1, 1]);
  });

  test('gives each pod a zone of its own and leaves out the fourth of four', () => {
    const plan = planFor({ pods: replicas(4, apart(ZONE)) });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 1, [ZONE_B]: 1, [ZONE_C]: 1 });
    expect(leftOut(plan)).toEqual(['web-3']);
    expect(reasonFor(plan, 'web-3')).toMatchObject({ code: 'PodAntiAffinity', key: ZONE });
  });

  test('takes existing nodes before new ones, one pod each', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const plan = planFor({ pods: replicas(3, apart(HOSTNAME)), nodes });
    expect([placeOf(plan, 'web-0'), placeOf(plan, 'web-1')]).toEqual(['one', 'two']);
    expect(claimSizes(plan)).toEqual([1]);
  });

  test('lets other pods share the hosts', () => {
    const pods = [
      ...replicas(3, apart(HOSTNAME)),
      ...replicas(3, { name: 'plain', requests: { cpu: '50m' } }),
    ];
    expect(planFor({ pods }).claims).toHaveLength(3);
  });
});

describe('plan, by anti-affinity to other pods', () => {
  const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B })];
  const shy = apart(HOSTNAME, batch);

  test.each([
    ['larger', '1'],
    ['smaller', '50m'],
  ])('keeps a pending pod off the host of a pending pod that it repels and that is %s', (_, cpu) => {
    const pods = [
      pod({ ...shy, requests: { cpu: '500m' } }),
      pod({ name: 'batch', labels: batch, requests: { cpu } }),
    ];
    expect(claimSizes(planFor({ pods }))).toEqual([1, 1]);
  });

  test('keeps off the node of a running pod that it repels', () => {
    const pods = [pod({ name: 'batch', labels: batch, nodeName: 'a' }), pod(shy)];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('b');
  });

  test('keeps off the node of a running pod that repels it, though it has no rule itself', () => {
    const pods = [pod({ ...shy, nodeName: 'a' }), pod({ name: 'batch', labels: batch })];
    expect(placeOf(planFor({ pods, nodes }), 'batch')).toBe('b');
  });

  test('keeps out of the whole zone of a running pod that repels it', () => {
    const pods = [
      pod({ name: 'web', labels: web, nodeName: 'a', podAntiAffinity: { required: [podTerm(ZONE, batch)] } }),
      ...replicas(2, { name: 'batch', labels: batch, requests: { cpu: '1500m' } }),
    ];
    const plan = planFor({ pods, nodes: nodes.slice(0, 1) });
    expect(leftOut(plan)).toEqual([]);
    expect(plan.claims.flatMap(({ zones }) => zones)).not.toContain(ZONE_A);
  });

  test('does not mind pods of another namespace', () => {
    const pods = [pod({ name: 'batch', namespace: 'jobs', labels: batch, nodeName: 'a' }), pod(shy)];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('a');
  });

  test('does not bind on a key that no node has', () => {
    const pods = replicas(2, apart('example.com/rack'));
    expect(claimSizes(planFor({ pods }))).toEqual([2]);
  });

  test('is left out where every node of a cluster without pools repels it', () => {
    const pods = [
      ...nodes.map(({ name }) => pod({ ...shy, name: `web-${name}`, nodeName: name })),
      pod({ name: 'batch', labels: batch }),
    ];
    expect(leftOut(planFor({ pods, nodes, pools: [] }))).toEqual(['batch']);
  });

  test('holds together with affinity: near the cache, but not on its host', () => {
    const cache = { app: 'cache' };
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'b' }),
      pod({
        name: 'web',
        labels: web,
        podAffinity: { required: [podTerm(ZONE, cache)] },
        podAntiAffinity: { required: [podTerm(HOSTNAME, cache)] },
      }),
    ];
    const plan = planFor({ pods, nodes });
    expect(plan.claims.map(({ zones }) => zones)).toEqual([[ZONE_B]]);
  });

  test('lets more than a thousand pods share hosts that pods of another kind avoid because of them', () => {
    const pods = [
      ...replicas(600, { name: 'web', labels: web }),
      ...replicas(600, {
        name: 'batch',
        labels: batch,
        podAntiAffinity: { required: [podTerm(HOSTNAME, web)] },
      }),
    ];
    const plan = planFor({ pods });
    expect(plan.unschedulable).toEqual([]);
    expect(plan.claims.length).toBeLessThan(100);
  });
});
