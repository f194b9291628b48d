import '../../../src/app/clouds.js';
import { explainField } from '../../../src/apis/schema/explain-field.js';

function found(path: string) {
  const explained = explainField(path);
  if (!explained.found) throw new Error(explained.message);
  return explained;
}

describe('explainField', () => {
  test('tells type, default, meaning and fields of a list', () => {
    const budgets = found('nodepool.spec.disruption.budgets');
    expect(budgets).toMatchObject({
      path: 'NodePool.spec.disruption.budgets',
      apiVersion: 'karpenter.sh/v1',
      type: '[]Object',
      required: false,
      default: [{ nodes: '10%' }],
      bounds: 'at most 50 entries',
    });
    expect(budgets.description).not.toBe('');
    expect(budgets.children.map((child) => [child.name, child.type])).toEqual([
      ['nodes', 'string'],
      ['schedule', 'string'],
      ['duration', 'string'],
      ['reasons', '[]string'],
    ]);
  });

  test.each([
    ['np.spec.weight', { type: 'integer', required: false, bounds: '1 to 100' }],
    [
      'NodePool.spec.template.spec.requirements[0].operator',
      {
        type: 'string',
        required: true,
        allowed: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'],
      },
    ],
    [
      'nodepool.spec.disruption.budgets[].reasons',
      { type: '[]string', allowed: ['Underutilized', 'Empty', 'Drifted', 'Unhealthy'] },
    ],
    [
      'NODEPOOL.SPEC.DISRUPTION.CONSOLIDATIONPOLICY',
      { path: 'NodePool.spec.disruption.consolidationPolicy', default: 'WhenEmptyOrUnderutilized' },
    ],
    ['nodepool.spec.limits', { type: 'map[string]integer or string', children: [] }],
    [
      'nodepool.spec.limits.nvidia.com/gpu',
      { path: 'NodePool.spec.limits.nvidia.com/gpu', type: 'integer or string' },
    ],
    ['nodepool.spec.template.metadata.labels["a.b/c"]', { type: 'string' }],
    ['nodepool.berth.expiration', { default: 'Forceful', allowed: ['Forceful', 'Budgeted'] }],
    ['ec2nc.spec.metadataOptions', { type: 'Object', default: {} }],
    ['nodeclass.spec.metadataOptions.httpPutResponseHopLimit', { default: 1, bounds: '1 to 64' }],
    ['poddefaults.spec.spread.zone.maxSkew', { default: 1, bounds: 'at least 1' }],
    ['provisioner.spec.ttlSecondsAfterEmpty', { apiVersion: 'karpenter.sh/v1alpha5', type: 'integer' }],
    ['nodepool', { type: 'Object', required: true }],
  ])('%s', (path, expected) => {
    expect(found(path)).toMatchObject(expected);
  });

  test.each([
    ['nodpool.spec', 'there is no kind "nodpool" to explain', 'NodePool'],
    ['nodepool.spec.wieght', 'NodePool.spec has no field "wieght"', 'weight'],
    ['nodepool.spec.weight.more', 'NodePool.spec.weight has no fields', undefined],
    ['', 'there is no kind "" to explain', undefined],
  ])('%j is unknown', (path, message, guess) => {
    expect(explainField(path)).toMatchObject({ found: false, message, guess });
  });
});
