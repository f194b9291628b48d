import { DEFAULT_NODE_CLASS } from '../../../../src/clouds/aws/catalogue/default-node-class.js';
import { catalogueFor } from '../../../../src/clouds/aws/catalogue/embedded/embedded-catalogue.js';
import { Catalogue } from '../../../../src/clouds/aws/catalogue/catalogue.js';
import { nodeClass } from './node-class.js';

const catalogue = catalogueFor('eu-west-3');

describe('Catalogue.forNodeClass', () => {
  test('gives what the kubelet of that class leaves to pods', () => {
    const [type] = catalogue.forNodeClass(nodeClass({ kubelet: { maxPods: 20 } }));
    expect(type?.allocatable.get('pods')).toBe(20);
    expect(type?.offerings).toBe(catalogue.instanceTypes[0]?.offerings);
  });

  test('gives equal settings the same array, whatever the node class is called', () => {
    const settings = {
      maxPods: 20,
      systemReserved: new Map([
        ['cpu', 100],
        ['memory', 1],
      ]),
    };
    const reordered = {
      maxPods: 20,
      systemReserved: new Map([
        ['memory', 1],
        ['cpu', 100],
      ]),
    };
    const types = catalogue.forNodeClass({
      ...DEFAULT_NODE_CLASS,
      name: 'x',
      kubelet: nodeClass({ kubelet: settings }).kubelet,
    });
    expect(
      catalogue.forNodeClass({
        ...DEFAULT_NODE_CLASS,
        name: 'y',
        kubelet: nodeClass({ kubelet: reordered }).kubelet,
      }),
    ).toBe(types);
  });

  test.each([
    ['maxPods', { kubelet: { maxPods: 21 } }],
    ['podsPerCore', { kubelet: { podsPerCore: 3 } }],
    ['system-reserved', { kubelet: { systemReserved: new Map([['cpu', 1]]) } }],
    ['kube-reserved', { kubelet: { kubeReserved: new Map([['cpu', 1]]) } }],
    ['the eviction threshold', { kubelet: { evictionHard: new Map([['memory.available', '1Mi']]) } }],
    ['the root volume', { rootVolumeBytes: 1 }],
    ['RAID 0', { instanceStoreRaid0: true }],
    ['Nitro Enclaves', { nitroEnclaves: true }],
    ['the AMI family', { amiFamily: 'Bottlerocket' as const }],
  ])('tells classes apart by %s', (_what, overrides) => {
    expect(catalogue.forNodeClass(nodeClass(overrides))).not.toBe(catalogue.instanceTypes);
  });

  test('excludes types without Nitro Enclaves from a class that launches with them, and says what they would offer', () => {
    const types = catalogue.forNodeClass(nodeClass({ nitroEnclaves: true }));
    const named = (name: string) => types.find((type) => type.name === name);
    const known = (name: string) => catalogue.instanceTypes.find((type) => type.name === name);
    for (const name of ['m5.large', 't3.2xlarge', 'm5.metal', 'm4.xlarge', 'm6g.medium']) {
      const offerings = known(name)?.offerings;
      expect(named(name)).toMatchObject({
        offerings: [],
        excluded: { setting: 'spec.enclaveOptions.enabled', lacks: 'Nitro Enclaves', offerings },
      });
    }
    for (const name of ['m5.xlarge', 'm6g.large', 'm8a.large', 'g5.xlarge'])
      expect(named(name)).toEqual(known(name));
  });

  test('has EFAs on request, unless the class names its interfaces; then types with too few of them are excluded', () => {
    const named = (name: string, efaInterfaces?: number) =>
      catalogue.forNodeClass(nodeClass({ efaInterfaces })).find((type) => type.name === name);
    const request = (name: string) => named(name)?.onRequest;
    expect([request('p4d.24xlarge'), request('m5.large')]).toEqual([
      new Set(['vpc.amazonaws.com/efa']),
      undefined,
    ]);
    const { excluded, onRequest } = named('p4d.24xlarge', 2) ?? {};
    expect([excluded, onRequest]).toEqual([undefined, undefined]);
    expect(named('m5n.24xlarge', 2)?.excluded).toMatchObject({
      setting: 'spec.networkInterfaces',
      lacks: '2 Elastic Fabric Adapters',
    });
  });

  test('labels Windows nodes with their system and build, and has no arm64 among them', () => {
    const types = catalogue.forNodeClass(nodeClass({ amiFamily: 'Windows2022' }));
    expect(new Set(types.map(({ arch }) => arch))).toEqual(new Set(['amd64']));
    expect(types[0]?.labels.get('kubernetes.io/os')).toBe('windows');
    expect(types[0]?.labels.get('node.kubernetes.io/windows-build')).toBe('10.0.20348');
    expect(catalogue.instanceTypes[0]?.labels.get('kubernetes.io/os')).toBe('linux');
  });
});

describe('Catalogue.forNodeClass with reports', () => {
  const MI = 2 ** 20;
  const reports = new Map([['m5.large', 7000 * MI]]);
  const reporting = new Catalogue({
    region: 'eu-west-3',
    entries: catalogue.entries,
    reported: (name) => (name === 'default' ? reports : new Map()),
  });
  const memoryOf = (overrides: Parameters<typeof nodeClass>[0], name = 'default'): readonly number[] => {
    const types = reporting.forNodeClass({ ...DEFAULT_NODE_CLASS, ...nodeClass(overrides), name });
    const type = types.find((each) => each.name === 'm5.large');
    return [type?.capacity, type?.allocatable].map((list) => (list?.get('memory') ?? 0) / MI);
  };

  test('has the memory that nodes of the class reported, less what is reserved of it', () => {
    expect(memoryOf({})).toEqual([7000, 7000 - 574 - 100]);
    expect(memoryOf({}, 'other')).toEqual([7577, 6903]);
  });

  test('evicts at a share of the memory that was reported', () => {
    const evictionHard = new Map([['memory.available', '10%']]);
    expect(memoryOf({ kubelet: { evictionHard } })).toEqual([7000, 7000 - 574 - 700]);
  });

  test('leaves other types the same objects, and gives the same list again', () => {
    const estimated = reporting.forNodeClass({ ...DEFAULT_NODE_CLASS, name: 'other' });
    const types = reporting.forNodeClass(DEFAULT_NODE_CLASS);
    expect(types.filter((type, index) => type !== estimated[index]).map(({ name }) => name)).toEqual([
      'm5.large',
    ]);
    expect(reporting.forNodeClass(DEFAULT_NODE_CLASS)).toBe(types);
  });
});
