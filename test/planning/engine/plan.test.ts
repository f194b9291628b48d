/** The plan as a document: names, order, and that it is a function of its input alone. */
import { ZONE } from '../../../src/domain/values/labels.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { Plan } from '../../../src/planning/plan.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { podTerm, spreadOver } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { leftOut, planFor } from '../read-plan.js';

const web = { app: 'web' };

describe('plan', () => {
  test('numbers the claims of each pool, most expensive first', () => {
    const pools = [
      poolOffer({ name: 'a', weight: 2, labels: { pool: 'a' } }),
      poolOffer({ name: 'b', weight: 1, labels: { pool: 'b' } }),
    ];
    const pods = [
      pod({ name: 'small', nodeSelector: { pool: 'b' } }),
      pod({ name: 'gpu', nodeSelector: { pool: 'b' }, requests: { 'nvidia.com/gpu': '1', cpu: '3900m' } }),
      pod({ name: 'other', nodeSelector: { pool: 'a' } }),
    ];
    const { claims } = planFor({ pods, pools });
    expect(claims.map(({ name, pods: inside }) => [name, ...inside])).toEqual([
      ['a-1', 'default/other'],
      ['b-1', 'default/gpu'],
      ['b-2', 'default/small'],
    ]);
  });

  test('sorts placements and pods left out by pod, whatever was placed first', () => {
    const pods = [
      pod({ name: 'z', requests: { cpu: '3' } }),
      pod({ name: 'a', requests: { cpu: '100m' } }),
      pod({ name: 'm', namespace: 'apps', requests: { cpu: '2' } }),
      pod({ name: 'y', requests: { cpu: '1k' } }),
      pod({ name: 'b', requests: { cpu: '2k' } }),
    ];
    const made = planFor({ pods });
    expect(made.placements.map((placement) => placement.pod)).toEqual(['apps/m', 'default/a', 'default/z']);
    expect(leftOut(made)).toEqual(['b', 'y']);
  });

  test('leaves out the last pods by name where only some of a kind can be placed', () => {
    const podAntiAffinity = { required: [podTerm(ZONE, web)] };
    expect(leftOut(planFor({ pods: replicas(5, { labels: web, podAntiAffinity }) }))).toEqual([
      'pod-3',
      'pod-4',
    ]);
  });

  test('places neither running pods nor pods of nodes that are not listed', () => {
    const pods = [pod({ name: 'running', nodeName: 'node' }), pod({ name: 'lost', nodeName: 'gone' })];
    const made = planFor({ pods, nodes: [node()] });
    expect(made.placements).toEqual([]);
    expect(made.unschedulable).toEqual([]);
  });

  test('answers the same snapshot with the same plan, and does not change it', () => {
    const input = clusterInput({
      pods: [
        ...replicas(9, {
          name: 'web',
          labels: web,
          spread: [spreadOver(ZONE, web)],
          requests: { cpu: '700m' },
        }),
        ...replicas(4, { name: 'batch', requests: { memory: '3Gi' } }),
      ],
      nodes: [node()],
      pools: [poolOffer({ limits: { cpu: '40' } })],
    });
    const snapshot = buildSnapshot(input);
    const first = plan(snapshot, DEFAULT_PLAN_OPTIONS);
    expect(plan(snapshot, DEFAULT_PLAN_OPTIONS)).toEqual(first);
    expect(snapshot).toEqual(buildSnapshot(input));
  });
});

describe('plan, asked for drafts', () => {
  test.each([1, 40, 1_200])('gives one that places all of %i pods before it answers', (count) => {
    const pods = Array.from({ length: count }, (_, index) =>
      pod({ name: `p-${String(index)}`, requests: { cpu: `${String(100 + (index % 30) * 50)}m` } }),
    );
    const drafts: Plan[] = [];
    const snapshot = buildSnapshot(clusterInput({ pods }));
    const answer = plan(snapshot, DEFAULT_PLAN_OPTIONS, { onDraft: (draft) => drafts.push(draft) });
    expect(drafts.map(({ placements }) => placements.length)).toEqual([count]);
    expect(answer).toEqual(plan(snapshot, DEFAULT_PLAN_OPTIONS));
  });
});
