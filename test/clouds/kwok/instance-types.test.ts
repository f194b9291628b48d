/** The file of instance types for KWOK nodes, and the list without one. */
import { generatedTypes, KwokCatalogue, readInstanceTypes } from '../../../src/clouds/kwok/instance-types.js';

const REQUIREMENTS = [
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-1'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
];
const TYPE = {
  name: 'big.2xlarge',
  architecture: 'arm64',
  operatingSystems: ['linux'],
  resources: { cpu: '8', memory: '32Gi', 'nvidia.com/gpu': '1' },
  offerings: [{ price: 0.3, requirements: REQUIREMENTS, count: 2 }],
};

test('a file gives types with their resources, labels and offerings', () => {
  const [type] = new KwokCatalogue(readInstanceTypes([TYPE])).instanceTypes;
  expect(type).toMatchObject({
    name: 'big.2xlarge',
    arch: 'arm64',
    offerings: [{ zone: 'zone-1', capacityType: 'spot', price: 0.3, available: true }],
  });
  expect(Object.fromEntries(type?.capacity ?? [])).toEqual({
    cpu: 8000,
    memory: 32 * 2 ** 30,
    'nvidia.com/gpu': 1,
    pods: 110,
  });
  expect(type?.labels.get('karpenter.kwok.sh/instance-size')).toBe('2xlarge');
});

test('offerings with the field names of Go are read, and those that are not available left out', () => {
  const go = [
    { Price: 0.2, Available: true, Requirements: REQUIREMENTS },
    { Price: 0.1, Available: false, Requirements: REQUIREMENTS },
  ];
  const [type] = readInstanceTypes([{ ...TYPE, offerings: go }]);
  expect(type?.offerings.map(({ price }) => price)).toEqual([0.2]);
});

test('labels that all offerings of a type share are labels of its nodes', () => {
  const [zone, spot] = REQUIREMENTS;
  const onDemand = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] };
  const category = { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['m'] };
  const room = (name: string): unknown => ({ key: 'example.com/room', operator: 'In', values: [name] });
  const offerings = [
    { price: 0.1, requirements: [zone, spot, category, room('a')] },
    { price: 0.3, requirements: [zone, onDemand, category, room('b')] },
  ];
  const [type] = new KwokCatalogue(readInstanceTypes([{ ...TYPE, offerings }])).instanceTypes;
  expect(type?.labels.get('karpenter.k8s.aws/instance-category')).toBe('m');
  expect(type?.labels.has('example.com/room')).toBe(false);
  expect(type?.labels.has('karpenter.sh/capacity-type')).toBe(false);
});

test.each([
  ['no list', {}, /instanceTypes must be a list/],
  ['an architecture that there is not', [{ ...TYPE, architecture: 'vax' }], /architecture must be one of/],
  ['a resource that is no quantity', [{ ...TYPE, resources: { cpu: 'many' } }], /cpu must be a Kubernetes/],
  ['an offering without a zone', [{ ...TYPE, offerings: [{ price: 1, requirements: [] }] }], /must name a/],
  ['a name twice', [TYPE, TYPE], /big.2xlarge is there more than once/],
])('%s is an error that says so', (_, value, expected) => {
  expect(() => readInstanceTypes(value)).toThrow(expected);
});

test('without a file there are 72 types, each on spot and on demand in four zones, larger ones dearer', () => {
  const types = generatedTypes();
  expect(types).toHaveLength(72);
  expect(new Set(types.map(({ name }) => name)).size).toBe(72);
  for (const { offerings } of types) expect(offerings).toHaveLength(8);
  const priceOf = (name: string): number =>
    types
      .find((type) => type.name === name)
      ?.offerings.find(({ capacityType }) => capacityType === 'on-demand')?.price ?? NaN;
  expect(priceOf('s-8x-amd64-linux')).toBeGreaterThan(priceOf('s-4x-amd64-linux') * 1.9);
});
