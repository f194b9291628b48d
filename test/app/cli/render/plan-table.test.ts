/** The plan as people read it. */
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/app/cli/render/text/glyphs.js';
import { planTable } from '../../../../src/app/cli/render/plan/plan-table.js';
import { styleOf } from '../../../../src/app/cli/render/text/style.js';
import type { Node } from '../../../../src/domain/nodes/node.js';
import type { Plan } from '../../../../src/planning/plan.js';
import { resourceList } from '../../../support/builders/resources.js';
import { describeReason } from '../../../../src/planning/describe-reason.js';
import { claim, plan } from './plan-builders.js';

const plain = { style: styleOf(false), glyphs: ASCII_GLYPHS };

function shown(overrides: Partial<Plan> = {}, nodes: readonly Node[] = []): string {
  return planTable(plan(overrides), nodes, plain);
}

function node(name: string, labels: Readonly<Record<string, string>>): Node {
  return {
    name,
    labels: new Map(Object.entries(labels)),
    taints: [],
    unschedulable: false,
    allocatable: new Map(),
    capacity: new Map(),
    providerID: undefined,
    volumeLimits: new Map(),
    declaredFeatures: undefined,
  };
}

describe('planTable', () => {
  test('says what it comes to, and shows each claim with type, zones, price and fill', () => {
    expect(shown()).toBe(
      [
        '2 of 2 pods placed | 1 new node | 0.0952 USD/h',
        '',
        'NODECLAIM  COUNT  NODEPOOL  TYPE                 ZONES         CAPACITY   PODS   USD/H  CPU              MEMORY',
        'general-1     x1  general   m7g.large (+1 more)  eu-west-3a,b  on-demand     2  0.0952  #####.....  50%  #######...  66%',
        '',
      ].join('\n'),
    );
  });

  test('gives equal claims one row with their pods and price together, and others a row of their own', () => {
    const claims = [
      claim(),
      claim({ name: 'general-2', pods: ['default/web-2', 'default/web-3'] }),
      claim({ name: 'general-3', instanceTypes: ['m7g.large'] }),
    ];
    const rows = shown({ claims })
      .split('\n')
      .filter((line) => line.startsWith('general'));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^general-1, \.\.\. +x2 .* 4 +0\.1904 /);
    expect(rows[1]).toMatch(/^general-3 +x1 .* m7g\.large  /);
  });

  test('shows devices where claims have some', () => {
    const gpu = { 'nvidia.com/gpu': 4 };
    const claims = [
      claim({
        requests: resourceList({ cpu: 100, memory: 1, pods: 2, 'nvidia.com/gpu': 1 }),
        allocatable: resourceList({ cpu: 1000, memory: 4, pods: 29, ...gpu }),
      }),
    ];
    expect(shown({ claims })).toMatch(/ MEMORY +DEVICES\n.* {2}1\/4 nvidia\.com\/gpu\n/);
    expect(shown()).not.toContain('DEVICES');
  });

  test('tells lower bound, ratio, estimates and the price of existing nodes when there are any', () => {
    const text = shown({
      claims: [claim({ estimated: true })],
      cost: { hourly: 1.2, lowerBound: 1, existingHourly: 3.5 },
    });
    expect(text).toContain(
      '1.2000 USD/h (estimated) | lower bound 1.0000 (ratio 1.20) | existing nodes 3.5000 USD/h\n',
    );
  });

  test('tells the reasons of many pods once, per pool, largest group first', () => {
    const noPool = [{ nodePool: '', reason: { code: 'NoNodePools' } }] as const;
    const affinity = { code: 'PodAffinity', key: 'topology.kubernetes.io/zone' } as const;
    const perPool = [
      { nodePool: 'gpu', reason: { code: 'StaticPool' } },
      { nodePool: 'general', reason: affinity },
    ] as const;
    const text = shown({
      claims: [],
      unschedulable: [
        { pod: 'default/db-0', reasons: noPool },
        { pod: 'default/web-0', reasons: perPool },
        { pod: 'default/web-1', reasons: perPool },
      ],
    });
    expect(text).toMatch(/^0 of 3 pods placed, 3 cannot be \| 0 new nodes \| 0\.0000 USD\/h\n/);
    expect(text.slice(text.indexOf('Cannot'))).toBe(
      [
        'Cannot be placed: 3 pods',
        '  2 pods like default/web-0',
        `    gpu:      ${describeReason({ code: 'StaticPool' })}`,
        `    general:  ${describeReason(affinity)}`,
        '  default/db-0',
        `    ${describeReason({ code: 'NoNodePools' })}`,
        '',
      ].join('\n'),
    );
  });

  test('lists the existing nodes that take pods, by name', () => {
    const text = shown(
      {
        claims: [],
        placements: [
          { pod: 'default/b', target: { kind: 'Node', name: 'node-b' } },
          { pod: 'default/a', target: { kind: 'Node', name: 'node-a' } },
          { pod: 'default/c', target: { kind: 'Node', name: 'node-b' } },
        ],
      },
      [
        node('node-b', {
          'node.kubernetes.io/instance-type': 'm7g.large',
          'topology.kubernetes.io/zone': 'eu-west-3a',
        }),
      ],
    );
    expect(text.slice(text.indexOf('Existing'))).toBe(
      [
        'Existing nodes that take pods:',
        '  NODE    TYPE       ZONE        PODS',
        '  node-a  -          -             +1',
        '  node-b  m7g.large  eu-west-3a    +2',
        '',
      ].join('\n'),
    );
  });

  test('uses blocks and colours on a terminal that shows them', () => {
    const text = planTable(plan(), [], { style: styleOf(true), glyphs: UNICODE_GLYPHS });
    expect(text).toContain('█████░░░░░  50%');
    expect(text).toContain('×1');
    expect(text).toContain('\u001b[32m2 of 2 pods placed\u001b[39m');
  });
});
