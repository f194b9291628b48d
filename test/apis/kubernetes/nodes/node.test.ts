import { decodeCSINode, decodeNode } from '../../../../src/apis/kubernetes/nodes/node.js';
import type { Manifest } from '../manifests.js';

function node(parts: Manifest = {}): Manifest {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, ...parts };
}

describe('decodeNode', () => {
  test('reads what decides whether pods fit', () => {
    const taints = [
      { key: 'a', value: 'b', effect: 'NoSchedule' },
      { key: 'c', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
    ];
    const status = {
      capacity: { cpu: '4', memory: '16Gi', pods: '58' },
      allocatable: { cpu: '3920m', memory: '15Gi', pods: '58', 'nvidia.com/gpu': '0' },
      declaredFeatures: ['X', 'Y'],
    };
    const limits = new Map([['ebs.csi.aws.com', 25]]);
    const spec = { taints, unschedulable: true, providerID: 'aws:///eu-west-3a/i-1' };
    expect(decodeNode(node({ metadata: { name: 'n1', labels: { a: 'b' } }, spec, status }), limits)).toEqual({
      value: {
        name: 'n1',
        labels: new Map([['a', 'b']]),
        taints: [
          { key: 'a', value: 'b', effect: 'NoSchedule' },
          { key: 'c', value: '', effect: 'NoExecute' },
        ],
        unschedulable: true,
        allocatable: new Map([
          ['cpu', 3920],
          ['memory', 15 * 2 ** 30],
          ['pods', 58],
        ]),
        capacity: new Map([
          ['cpu', 4000],
          ['memory', 16 * 2 ** 30],
          ['pods', 58],
        ]),
        providerID: 'aws:///eu-west-3a/i-1',
        volumeLimits: limits,
        declaredFeatures: new Set(['X', 'Y']),
      },
      findings: [],
    });
  });

  test('takes the capacity of a node that reports no allocatable', () => {
    const { value } = decodeNode(node({ status: { capacity: { cpu: '2' } } }));
    expect(value?.allocatable).toEqual(new Map([['cpu', 2000]]));
    expect(value?.declaredFeatures).toBeUndefined();
    expect(value?.providerID).toBeUndefined();
  });

  test('makes old labels readable by their current names without losing them', () => {
    const labels = {
      'failure-domain.beta.kubernetes.io/zone': 'a',
      'beta.kubernetes.io/arch': 'x',
      'kubernetes.io/arch': 'arm64',
    };
    expect(decodeNode(node({ metadata: { name: 'n1', labels } })).value?.labels).toEqual(
      new Map(Object.entries({ ...labels, 'topology.kubernetes.io/zone': 'a' })),
    );
  });

  test('refuses taints without key or effect', () => {
    const spec = { taints: [{ value: 'x' }, { key: 'a', effect: 'noschedule' }] };
    expect(decodeNode(node({ spec })).findings).toMatchObject([
      { path: ['spec', 'taints', 0, 'key'], code: 'missing-field' },
      { path: ['spec', 'taints', 0, 'effect'], code: 'missing-field' },
      { path: ['spec', 'taints', 1, 'effect'], guess: 'NoSchedule' },
    ]);
  });
});

describe('decodeCSINode', () => {
  test('reads attach limits; a driver without a count has none', () => {
    const drivers = [{ name: 'ebs.csi.aws.com', allocatable: { count: 0 } }, { name: 'efs.csi.aws.com' }];
    expect(decodeCSINode(node({ spec: { drivers } })).value).toEqual({
      name: 'n1',
      volumeLimits: new Map([
        ['ebs.csi.aws.com', 0],
        ['efs.csi.aws.com', Infinity],
      ]),
    });
  });
});
