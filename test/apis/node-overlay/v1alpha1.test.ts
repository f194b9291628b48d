/** NodeOverlay documents: what is accepted, what is refused, and where. */
import { decodePolicy } from '../../support/decode-policy.js';
import { readPolicies } from '../../../src/apis/policies/read-policies.js';
import { allows } from '../../../src/domain/values/requirement.js';
import { nodeOverlayDocument } from '../../support/builders/node-overlay.js';
import { accepted, documentOf, documentsOf, errorsOf, type Plain } from '../policies-as-written.js';

const written = (spec: Plain): Plain => nodeOverlayDocument('o', spec);

function decode(spec: Plain) {
  const [policy] = accepted(written(spec));
  if (policy?.kind !== 'NodeOverlay') throw new Error('expected a NodeOverlay');
  return policy.nodeOverlay;
}

describe('NodeOverlay of karpenter.sh/v1alpha1', () => {
  test('is about everything, with weight 0, unless it says otherwise', () => {
    expect(decode({ price: '0.05' })).toEqual({
      name: 'o',
      weight: 0,
      requirements: new Map(),
      price: { kind: 'absolute', value: 0.05 },
      capacity: new Map(),
    });
  });

  test('reads every field, under the current names of labels', () => {
    const overlay = decode({
      weight: 10,
      requirements: [
        { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['arm64'] },
        { key: 'karpenter.sh/nodepool', operator: 'NotIn', values: ['batch'] },
        { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gte', values: ['8'] },
        { key: 'team', operator: 'Exists' },
      ],
      priceAdjustment: '-15%',
      capacity: { 'hugepages-2Mi': '100Mi', 'smarter-devices/fuse': 1 },
    });
    expect(overlay).toMatchObject({
      weight: 10,
      price: { kind: 'percentage', value: -15 },
      capacity: new Map([
        ['hugepages-2Mi', 100 * 2 ** 20],
        ['smarter-devices/fuse', 1],
      ]),
    });
    expect([...overlay.requirements.keys()]).toEqual([
      'kubernetes.io/arch',
      'karpenter.sh/nodepool',
      'karpenter.k8s.aws/instance-cpu',
      'team',
    ]);
    const pool = overlay.requirements.get('karpenter.sh/nodepool');
    expect(pool && [allows(pool, 'web'), allows(pool, 'batch')]).toEqual([true, false]);
  });

  test.each<[Plain, string, number]>([
    [{ price: '0' }, 'absolute', 0],
    [{ price: '5.00' }, 'absolute', 5],
    [{ priceAdjustment: '+10%' }, 'percentage', 10],
    [{ priceAdjustment: '+250.5%' }, 'percentage', 250.5],
    [{ priceAdjustment: '-12.5%' }, 'percentage', -12.5],
    [{ priceAdjustment: '-100%' }, 'percentage', -100],
    [{ priceAdjustment: '+0.02' }, 'difference', 0.02],
    [{ priceAdjustment: '-.5' }, 'difference', -0.5],
  ])('takes %j', (spec, kind, value) => {
    expect(decode(spec).price).toEqual({ kind, value });
  });

  test.each<[string, Plain, string]>([
    ['price and change together', { price: '1', priceAdjustment: '+1' }, 'conflict spec.priceAdjustment'],
    ['a price with a sign', { price: '-1' }, 'invalid-value spec.price'],
    ['a price that is a number', { price: 0.05 }, 'wrong-type spec.price'],
    ['a price in another notation', { price: '1e3' }, 'invalid-value spec.price'],
    ['a change without sign', { priceAdjustment: '10%' }, 'invalid-value spec.priceAdjustment'],
    ['more than all of it off', { priceAdjustment: '-101%' }, 'invalid-value spec.priceAdjustment'],
    ['a weight of 0', { weight: 0 }, 'invalid-value spec.weight'],
    ['a weight above 10000', { weight: 10_001 }, 'invalid-value spec.weight'],
    ['cpu', { capacity: { cpu: '1' } }, 'invalid-value spec.capacity.cpu'],
    ['pods', { capacity: { pods: 1, 'a/b': 1 } }, 'invalid-value spec.capacity.pods'],
    ['an amount that is none', { capacity: { 'a/b': 'many' } }, 'invalid-value spec.capacity.a/b'],
    [
      'minValues',
      { requirements: [{ key: 'team', operator: 'In', values: ['a'], minValues: 1 }] },
      'unknown-field spec.requirements.0.minValues',
    ],
    [
      'In without values',
      { requirements: [{ key: 'team', operator: 'In', values: [] }] },
      'missing-value spec.requirements.0.values',
    ],
    [
      'Gt with text',
      { requirements: [{ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['x'] }] },
      'invalid-value spec.requirements.0.values',
    ],
    [
      'a label that nothing sets',
      { requirements: [{ key: 'karpenter.k8s.aws/instance-famly', operator: 'Exists' }] },
      'restricted-label spec.requirements.0.key',
    ],
    [
      'a node’s own name',
      { requirements: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] },
      'restricted-label spec.requirements.0.key',
    ],
    [
      'unknown capacity types only',
      { requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['onDemand'] }] },
      'invalid-value spec.requirements.0.values',
    ],
    ['an unknown field', { priceAdjustments: '+1' }, 'unknown-field spec.priceAdjustments'],
  ])('refuses %s', (_, spec, error) => {
    expect(errorsOf(written(spec))).toEqual([error]);
  });

  test('refuses a document without requirements, since an empty list says everything on purpose', () => {
    const document = { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', metadata: { name: 'o' } };
    expect(errorsOf({ ...document, spec: { price: '1' } })).toEqual(['missing-field spec.requirements']);
  });

  test('tells of everything that is wrong at once, each at its line and column', () => {
    const { policies, issues } = decodePolicy(
      documentOf(
        [
          'apiVersion: karpenter.sh/v1alpha1',
          'kind: NodeOverlay',
          'metadata: {name: o}',
          'spec:',
          '  weight: 0',
          '  requirements: []',
          '  price: "-1"',
          '  capacity: {memory: 1Gi}',
        ].join('\n'),
      ),
    );
    expect(policies).toEqual([]);
    expect(issues.map(({ path, line, column }) => [path.join('.'), line, column])).toEqual([
      ['spec.weight', 5, 11],
      ['spec.price', 7, 10],
      ['spec.capacity.memory', 8, 14],
    ]);
  });

  test('warns of one that changes nothing', () => {
    const { issues } = readPolicies(documentsOf(written({})));
    expect(issues).toMatchObject([{ severity: 'warning', code: 'does-nothing', path: ['spec'] }]);
  });

  test('a bad one does not stop the others', () => {
    const good = nodeOverlayDocument('good', { price: '1' }) as Plain;
    const { nodeOverlays, issues } = readPolicies(documentsOf(written({ price: 'free' }), good));
    expect(nodeOverlays.map(({ name }) => name)).toEqual(['good']);
    expect(issues).toHaveLength(1);
  });
});
