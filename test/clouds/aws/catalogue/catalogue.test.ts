import { DEFAULT_NODE_CLASS } from '../../../../src/clouds/aws/catalogue/default-node-class.js';
import { catalogueFor } from '../../../../src/clouds/aws/catalogue/embedded-catalogue.js';
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
    ['the AMI family', { amiFamily: 'Bottlerocket' as const }],
  ])('tells classes apart by %s', (_what, overrides) => {
    expect(catalogue.forNodeClass(nodeClass(overrides))).not.toBe(catalogue.instanceTypes);
  });

  test('labels Windows nodes with their system and build, and has no arm64 among them', () => {
    const types = catalogue.forNodeClass(nodeClass({ amiFamily: 'Windows2022' }));
    expect(new Set(types.map(({ arch }) => arch))).toEqual(new Set(['amd64']));
    expect(types[0]?.labels.get('kubernetes.io/os')).toBe('windows');
    expect(types[0]?.labels.get('node.kubernetes.io/windows-build')).toBe('10.0.20348');
    expect(catalogue.instanceTypes[0]?.labels.get('kubernetes.io/os')).toBe('linux');
  });
});
