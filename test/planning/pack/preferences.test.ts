/** Preferences: honoured while they can be, given up one at a time and only by pods that have to. */
import { ARCH, CAPACITY_TYPE, HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import type { PreferredNodeTerm, PreferredPodAffinityTerm } from '../../../src/domain/pods/affinity.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { MOST_LEVELS, MOST_PREFERENCES, type Ask } from '../../../src/planning/model/classes/ask.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, oneOf, podTerm, spreadOver, taint } from '../../support/builders/constraints.js';
import { ZONE_A, ZONE_B, ZONE_C, ZONES } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, leftOut, placeOf, planFor } from '../read-plan.js';

const web = { app: 'web' };
const cache = { role: 'cache' };

function preferring(key: string, value: string, weight = 1): PreferredNodeTerm {
  return { weight, term: nodeTerm(oneOf(key, value)) };
}

function zoneOf(plan: ReturnType<typeof planFor>): readonly string[] | undefined {
  return plan.claims[0]?.zones;
}

describe('plan, where limits bind', () => {
  const apart = (app: string): PreferredPodAffinityTerm => ({
    weight: 1,
    term: podTerm(HOSTNAME, { app }),
  });
  const inZone = (app: string, zone: string): readonly Pod[] =>
    replicas(2, {
      name: app,
      labels: { app },
      nodeSelector: { [ZONE]: zone },
      podAntiAffinity: { preferred: [apart(app)] },
    });

  test('launches no second node for what pods prefer while others have none', () => {
    const input = clusterInput({
      pods: [...inZone('web', ZONE_A), ...inZone('api', ZONE_B)],
      pools: [poolOffer({ limits: { nodes: '2' } })],
    });
    // Without improvement, as for larger batches.
    const made = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS, { improvement: 0 });
    expect(leftOut(made)).toEqual([]);
    expect(claimSizes(made)).toEqual([2, 2]);
  });

  test('keeps what pods prefer as long as it takes no node from others', () => {
    const input = clusterInput({
      pods: [...inZone('web', ZONE_A), ...inZone('api', ZONE_B)],
      pools: [poolOffer({ limits: { nodes: '4' } })],
    });
    expect(claimSizes(plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS))).toEqual([1, 1, 1, 1]);
  });
});

describe('plan, by preferred node affinity', () => {
  test('follows a preference that costs more', () => {
    const nodeAffinity = { preferred: [preferring(ARCH, 'amd64'), preferring(CAPACITY_TYPE, 'on-demand')] };
    const plan = planFor({ pods: [pod({ nodeAffinity })] });
    expect(firstTypes(plan)).toEqual(['c6i.large']);
    expect(plan.claims[0]?.capacityTypes).toEqual(['on-demand']);
    expect(plan.cost.hourly).toBe(0.085);
  });

  test('places the pod all the same when nothing has what it prefers', () => {
    const nodeAffinity = { preferred: [preferring(ZONE, 'us-east-1f')] };
    expect(zoneOf(planFor({ pods: [pod({ nodeAffinity })] }))).toEqual(ZONES);
  });

  test.each([
    [10, 20, ZONE_B],
    [20, 10, ZONE_A],
  ])('of two that exclude each other, weights %i and %i, keeps the heavier', (first, second, zone) => {
    const nodeAffinity = { preferred: [preferring(ZONE, ZONE_A, first), preferring(ZONE, ZONE_B, second)] };
    expect(zoneOf(planFor({ pods: [pod({ nodeAffinity })] }))).toEqual([zone]);
  });

  test('gives up one at a time: the lightest goes, the others stay', () => {
    const preferred = [
      preferring(ZONE, 'us-east-1f', 1),
      preferring(ARCH, 'amd64', 2),
      preferring(CAPACITY_TYPE, 'on-demand', 3),
    ];
    const plan = planFor({ pods: [pod({ nodeAffinity: { preferred } })] });
    expect(firstTypes(plan)).toEqual(['c6i.large']);
    expect(plan.claims[0]?.capacityTypes).toEqual(['on-demand']);
  });

  test('keeps what can be met when the heaviest cannot', () => {
    const preferred = [
      preferring('example.com/absent', 'v', 100),
      preferring(ZONE, ZONE_B, 50),
      preferring(CAPACITY_TYPE, 'on-demand', 10),
    ];
    const plan = planFor({ pods: [pod({ nodeAffinity: { preferred } })] });
    expect(zoneOf(plan)).toEqual([ZONE_B]);
    expect(plan.claims[0]?.capacityTypes).toEqual(['on-demand']);
  });

  test('keeps the two that weigh more together than a third that excludes them', () => {
    const here = nodeTerm(oneOf(ZONE, ZONE_B));
    const preferred = [
      preferring(ZONE, ZONE_A, 50),
      { weight: 40, term: here },
      { weight: 30, term: nodeTerm(oneOf(ZONE, ZONE_B), oneOf(CAPACITY_TYPE, 'on-demand')) },
    ];
    const plan = planFor({ pods: [pod({ nodeAffinity: { preferred } })] });
    expect(zoneOf(plan)).toEqual([ZONE_B]);
  });

  test('prefers a new node in its zone to an existing one elsewhere', () => {
    const nodeAffinity = { preferred: [preferring(ZONE, ZONE_B)] };
    const plan = planFor({ pods: [pod({ nodeAffinity })], nodes: [node({ zone: ZONE_A })] });
    expect(zoneOf(plan)).toEqual([ZONE_B]);
  });

  test('is given up only by the pods for which there is no room', () => {
    const nodes = [node({ zone: ZONE_B, allocatable: { pods: '1' } }), node({ name: 'other', zone: ZONE_A })];
    const nodeAffinity = { preferred: [preferring(ZONE, ZONE_B)] };
    const plan = planFor({ pods: replicas(2, { nodeAffinity }), nodes, pools: [] });
    expect([placeOf(plan, 'pod-0'), placeOf(plan, 'pod-1')]).toEqual(['node', 'other']);
  });

  test('goes before the weight of a pool', () => {
    const pools = [
      poolOffer({ name: 'heavy', weight: 100, labels: { disk: 'hdd' } }),
      poolOffer({ name: 'light', labels: { disk: 'ssd' } }),
    ];
    const plan = planFor({
      pods: [pod({ nodeAffinity: { preferred: [preferring('disk', 'ssd')] } })],
      pools,
    });
    expect(placeOf(plan)).toBe('light-1');
  });
});

describe('plan, by preferred pod affinity', () => {
  const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B })];
  const toCache = (weight: number, key = HOSTNAME): PreferredPodAffinityTerm => ({
    weight,
    term: podTerm(key, cache),
  });

  test('joins the pod it prefers', () => {
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'b' }),
      pod({ podAffinity: { preferred: [toCache(1)] } }),
    ];
    expect(placeOf(planFor({ pods, nodes }))).toBe('b');
  });

  test('does without when there is none', () => {
    expect(placeOf(planFor({ pods: [pod({ podAffinity: { preferred: [toCache(1)] } })], nodes }))).toBe('a');
  });

  test('keeps its distance where it prefers to', () => {
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'a' }),
      pod({ podAntiAffinity: { preferred: [toCache(1)] } }),
    ];
    expect(placeOf(planFor({ pods, nodes }))).toBe('b');
  });

  test('comes closer where there is no other place', () => {
    const pods = [
      pod({ name: 'cache', labels: cache, nodeName: 'a' }),
      pod({ podAntiAffinity: { preferred: [toCache(1)] } }),
    ];
    expect(placeOf(planFor({ pods, nodes: nodes.slice(0, 1), pools: [] }))).toBe('a');
  });

  test('does not keep off pods that have the preference: it is not required of them', () => {
    const shy = { podAntiAffinity: { preferred: [toCache(1)] }, labels: web };
    const pods = [pod({ ...shy, name: 'web', nodeName: 'a' }), pod({ name: 'cache', labels: cache })];
    expect(placeOf(planFor({ pods, nodes }), 'cache')).toBe('a');
  });

  test('gives each pod its own host as long as hosts are available', () => {
    const podAntiAffinity = { preferred: [{ weight: 1, term: podTerm(HOSTNAME, web) }] };
    expect(claimSizes(planFor({ pods: replicas(3, { labels: web, podAntiAffinity }) }))).toEqual([1, 1, 1]);
  });
});

describe('plan, by the order in which preferences are given up', () => {
  const nodes = [node({ name: 'a', zone: ZONE_A, allocatable: { cpu: '0' } })];
  const here = pod({ name: 'here', labels: { ...cache, ...web }, nodeName: 'a' });
  const toHere = { weight: 100, term: podTerm(ZONE, cache) };
  const inB = preferring(ZONE, ZONE_B);
  const anyway = spreadOver(ZONE, web, { whenUnsatisfiable: 'ScheduleAnyway' });

  test('pod affinity goes before node affinity, whatever their weights', () => {
    const plan = planFor({
      pods: [here, pod({ podAffinity: { preferred: [toHere] }, nodeAffinity: { preferred: [inB] } })],
      nodes,
    });
    expect(zoneOf(plan)).toEqual([ZONE_B]);
  });

  test('pod affinity goes before pod anti-affinity', () => {
    const plan = planFor({
      pods: [
        here,
        pod({
          podAffinity: { preferred: [toHere] },
          podAntiAffinity: { preferred: [{ ...toHere, weight: 1 }] },
        }),
      ],
      nodes,
    });
    expect(zoneOf(plan)).not.toContain(ZONE_A);
  });

  test('pod anti-affinity goes before node affinity', () => {
    const inA = preferring(ZONE, ZONE_A);
    const plan = planFor({
      pods: [here, pod({ podAntiAffinity: { preferred: [toHere] }, nodeAffinity: { preferred: [inA] } })],
      nodes,
    });
    expect(zoneOf(plan)).toEqual([ZONE_A]);
  });

  test('node affinity goes before spread', () => {
    const inA = preferring(ZONE, ZONE_A);
    const plan = planFor({
      pods: [here, pod({ labels: web, nodeAffinity: { preferred: [inA] }, spread: [anyway] })],
      nodes,
    });
    expect(zoneOf(plan)).not.toContain(ZONE_A);
  });

  test('spread goes before PreferNoSchedule', () => {
    const pools = [
      poolOffer({ name: 'clean', requirements: [oneOf(ZONE, ZONE_A)] }),
      poolOffer({
        name: 'tainted',
        requirements: [oneOf(ZONE, ZONE_B)],
        taints: [taint('team', '', 'PreferNoSchedule')],
      }),
    ];
    const plan = planFor({ pods: [here, pod({ labels: web, spread: [anyway] })], nodes, pools });
    expect(placeOf(plan)).toBe('clean-1');
  });

  test('the lighter of two pod affinity terms goes first', () => {
    const there = pod({ name: 'there', labels: { app: 'db' }, nodeName: 'b' });
    const both = [...nodes, node({ name: 'b', zone: ZONE_B, allocatable: { cpu: '0' } })];
    const toThere = { weight: 99, term: podTerm(ZONE, { app: 'db' }) };
    const plan = planFor({
      pods: [here, there, pod({ podAffinity: { preferred: [toThere, toHere] } })],
      nodes: both,
    });
    expect(zoneOf(plan)).toEqual([ZONE_A]);
  });
});

describe('plan, when a preference meets what is required', () => {
  test('a preferred zone does not narrow the zones that a required spread looks at', () => {
    const nodeAffinity = { preferred: [preferring(ZONE, ZONE_A)] };
    const plan = planFor({
      pods: replicas(3, { labels: web, nodeAffinity, spread: [spreadOver(ZONE, web)] }),
    });
    expect(plan.claims.map(({ zones, pods }) => [zones.join(), pods.length])).toEqual([
      [ZONE_A, 1],
      [ZONE_B, 1],
      [ZONE_C, 1],
    ]);
  });
});

describe('plan, under preferencePolicy Ignore', () => {
  test('takes the cheapest, whatever pods would prefer', () => {
    const pods = replicas(3, {
      labels: web,
      nodeAffinity: { preferred: [preferring(ARCH, 'amd64', 100)] },
      podAntiAffinity: { preferred: [{ weight: 100, term: podTerm(HOSTNAME, web) }] },
      spread: [spreadOver(ZONE, web, { whenUnsatisfiable: 'ScheduleAnyway' })],
    });
    const plan = planFor({ pods }, { preferencePolicy: 'Ignore' });
    expect(claimSizes(plan)).toEqual([3]);
    expect(firstTypes(plan)).toEqual(['c7g.large']);
    expect(zoneOf(plan)).toEqual(ZONES);
  });

  test('still asks what is required', () => {
    const pods = replicas(2, { labels: web, podAntiAffinity: { required: [podTerm(HOSTNAME, web)] } });
    expect(claimSizes(planFor({ pods }, { preferencePolicy: 'Ignore' }))).toEqual([1, 1]);
  });
});

describe('plan, for a pod with very many preferences', () => {
  const many = (count: number): readonly PreferredNodeTerm[] =>
    Array.from({ length: count }, (_, index) =>
      preferring(`example.com/k${String(index)}`, 'v', 1 + (index % 50)),
    );

  function asksOf(input: Pod): readonly Ask[] {
    const snapshot = buildSnapshot(clusterInput({ pods: [input] }));
    return compileProblem(snapshot, DEFAULT_PLAN_OPTIONS).classes[0]?.asks ?? [];
  }

  function compiledTerms(asks: readonly Ask[]): number {
    return asks.reduce((sum, { constraint, affinity }) => sum + constraint.anyOf.length + affinity.length, 0);
  }

  test('compiles a bounded number of asks that are together hardly longer than the preferences', () => {
    const podAffinity = {
      preferred: Array.from({ length: 1200 }, (_, index) => ({
        weight: 1 + (index % 100),
        term: podTerm(ZONE, { app: `absent-${String(index)}` }),
      })),
    };
    const asks = asksOf(pod({ nodeAffinity: { preferred: many(1200) }, podAffinity }));
    expect(asks.length).toBeLessThanOrEqual(MOST_LEVELS + 3);
    expect(compiledTerms(asks)).toBeLessThanOrEqual(MOST_PREFERENCES + MOST_LEVELS ** 2);
  });

  test('keeps the heaviest that can be met, though most of the others cannot', () => {
    const preferred = [...many(400), preferring(ZONE, ZONE_B, 100)];
    const plan = planFor({ pods: [pod({ nodeAffinity: { preferred } })] });
    expect(zoneOf(plan)).toEqual([ZONE_B]);
  });

  test('meets all of them at once where that is possible', () => {
    const preferred = Array.from({ length: 40 }, (_, index) =>
      preferring(index === 0 ? CAPACITY_TYPE : ARCH, index === 0 ? 'on-demand' : 'amd64', index + 1),
    );
    const plan = planFor({ pods: [pod({ nodeAffinity: { preferred } })] });
    expect(plan.claims[0]?.capacityTypes).toEqual(['on-demand']);
  });

  test('says how many are given up together', () => {
    const plan = planFor({ pods: [pod({ nodeAffinity: { preferred: many(40) } })] });
    expect(plan.notes).toEqual([
      { code: 'TooManyPreferences', pod: 'default/pod', preferences: 40, levels: MOST_LEVELS },
    ]);
    expect(planFor({ pods: [pod({ nodeAffinity: { preferred: many(32) } })] }).notes).toBeUndefined();
  });
});
