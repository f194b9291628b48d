import fc from 'fast-check';
import { allocatableFor, allocatableWith } from '../../../../src/clouds/aws/catalogue/allocatable.js';
import { embeddedTypes } from '../../../../src/clouds/aws/catalogue/embedded/embedded-types.js';
import type { InstanceFacts } from '../../../../src/clouds/aws/catalogue/instance-facts.js';
import { QuantityError } from '../../../../src/domain/values/quantity.js';
import { formatAmount, parseAmount } from '../../../../src/domain/values/resources.js';
import { fitsWithin } from '../../../support/builders/resources.js';
import { nodeClass } from './node-class.js';

const GI = 2 ** 30;

function facts(name: string): InstanceFacts {
  const type = embeddedTypes().get(name);
  if (!type) throw new Error(`no ${name}`);
  return type.facts;
}

/** Allocatable as Kubernetes writes it. */
function allocatable(
  name: string,
  overrides: Parameters<typeof nodeClass>[0] = {},
): Readonly<Record<string, string>> {
  const list = allocatableFor(facts(name), nodeClass(overrides)).allocatable;
  return Object.fromEntries(
    [...list].map(([resource, amount]) => [resource, formatAmount(resource, amount)]),
  );
}

describe('allocatableFor', () => {
  test.each([
    ['a1.medium', '940m', '1392Mi', '8'],
    ['m5.large', '1930m', '6903Mi', '29'],
    ['t3.nano', '1930m', '74Mi', '4'],
    ['c5.xlarge', '3920m', '6584Mi', '58'],
    ['c4.8xlarge', '35840m', '53903Mi', '234'],
    ['p5.48xlarge', '191450m', '1938410Mi', '100'],
  ])('of %s is what Karpenter documents', (name, cpu, memory, pods) => {
    expect(allocatable(name)).toMatchObject({ cpu, memory, pods, 'ephemeral-storage': '17Gi' });
  });

  test('of capacity leaves all vCPUs and the memory that the hypervisor does not take', () => {
    const { capacity } = allocatableFor(facts('m5.large'), nodeClass());
    expect(capacity.get('cpu')).toBe(2000);
    expect(capacity.get('memory')).toBe(parseAmount('memory', '7577Mi'));
    expect(capacity.get('ephemeral-storage')).toBe(20 * GI);
  });

  test('takes off the share of the memory that an operator says', () => {
    const of = (memoryOverheadPerMillion: number): string => {
      const terms = { memoryOverheadPerMillion, reservedInterfaces: 0 };
      return formatAmount(
        'memory',
        allocatableWith(nodeClass(), terms)(facts('m5.large')).capacity.get('memory') ?? 0,
      );
    };
    expect([of(0), of(50_000), of(75_000)]).toEqual(['8Gi', '7782Mi', '7577Mi']);
  });

  test('has no addresses for pods on reserved interfaces, and reserves memory as before', () => {
    const of = (name: string, reservedInterfaces: number, kubelet = {}) => {
      const terms = { memoryOverheadPerMillion: 75_000, reservedInterfaces };
      return allocatableWith(nodeClass(kubelet), terms)(facts(name)).allocatable;
    };
    expect([0, 1, 2, 3].map((reserved) => of('m5.large', reserved).get('pods'))).toEqual([
      29,
      20,
      11,
      undefined,
    ]);
    expect(of('m5.large', 1).get('memory')).toBe(of('m5.large', 0).get('memory'));
    expect(of('m5.large', 1, { amiFamily: 'Windows2022' }).get('pods')).toBe(110);
  });

  test('keeps 64 MiB more on Graviton', () => {
    expect(allocatable('m6g.large')['memory']).toBe('6844Mi');
  });

  test.each([
    ['g5.12xlarge', { 'nvidia.com/gpu': '4' }],
    ['g4ad.16xlarge', { 'amd.com/gpu': '4' }],
    ['dl1.24xlarge', { 'habana.ai/gaudi': '8' }],
    ['inf1.6xlarge', { 'aws.amazon.com/neuron': '4', 'aws.amazon.com/neuroncore': '16' }],
    ['m5.large', { 'vpc.amazonaws.com/pod-eni': '9' }],
    ['p5.48xlarge', { 'nvidia.com/gpu': '8', 'vpc.amazonaws.com/efa': '32' }],
  ])('of %s has its devices', (name, devices) => {
    expect(allocatable(name)).toMatchObject(devices);
  });

  test('has the EFAs of the node class where that names its interfaces', () => {
    expect(allocatable('p5.48xlarge', { efaInterfaces: 4 })).toMatchObject({ 'vpc.amazonaws.com/efa': '4' });
    expect(allocatable('p5.48xlarge', { efaInterfaces: 0 })).not.toHaveProperty(['vpc.amazonaws.com/efa']);
    expect(allocatable('m5n.large')).not.toHaveProperty(['vpc.amazonaws.com/efa']);
  });

  test('of a share of a GPU has no whole one', () => {
    expect(allocatable('g6f.large')).not.toHaveProperty(['nvidia.com/gpu']);
  });

  test('follows maxPods and podsPerCore, whichever is less', () => {
    expect(allocatable('m5.xlarge', { kubelet: { maxPods: 110 } })['pods']).toBe('110');
    expect(allocatable('m5.xlarge', { kubelet: { maxPods: 110, podsPerCore: 10 } })['pods']).toBe('40');
    expect(allocatable('m5.xlarge', { kubelet: { podsPerCore: 100 } })['pods']).toBe('58');
  });

  test('reserves memory for the pods there are addresses for, on Bottlerocket for those there can be', () => {
    const kubelet = { maxPods: 10 };
    expect(allocatable('m5.large', { kubelet })['memory']).toBe('6903Mi');
    expect(allocatable('m5.large', { kubelet, amiFamily: 'Bottlerocket' })['memory']).toBe(
      `${String(6903 + 19 * 11)}Mi`,
    );
  });

  test('ignores podsPerCore on Bottlerocket, which has no such setting', () => {
    expect(allocatable('m5.large', { kubelet: { podsPerCore: 1 }, amiFamily: 'Bottlerocket' })['pods']).toBe(
      '29',
    );
  });

  test('replaces kube-reserved resource by resource', () => {
    const kubeReserved = new Map([['cpu', 500]]);
    expect(allocatable('m5.large', { kubelet: { kubeReserved } })).toMatchObject({
      cpu: '1500m',
      memory: '6903Mi',
    });
  });

  test('takes a kube-reserved of zero at its word', () => {
    expect(allocatable('m5.large', { kubelet: { kubeReserved: new Map([['cpu', 0]]) } })['cpu']).toBe('2');
  });

  test('takes system-reserved away besides', () => {
    const systemReserved = new Map([
      ['cpu', 100],
      ['memory', 2 ** 20 * 3],
    ]);
    expect(allocatable('m5.large', { kubelet: { systemReserved } })).toMatchObject({
      cpu: '1830m',
      memory: '6900Mi',
    });
  });

  test.each([
    ['200Mi', '6803Mi'],
    ['0', '7003Mi'],
    ['100%', '7003Mi'],
  ])('evicts at memory.available %s', (threshold, memory) => {
    expect(
      allocatable('m5.large', { kubelet: { evictionHard: new Map([['memory.available', threshold]]) } })[
        'memory'
      ],
    ).toBe(memory);
  });

  test('evicts at a share of the capacity, rounded up to the byte', () => {
    const { capacity, allocatable: left } = allocatableFor(
      facts('m5.large'),
      nodeClass({ kubelet: { evictionHard: new Map([['memory.available', '7.3%']]) } }),
    );
    const total = capacity.get('memory') ?? 0;
    const kubeReserved = parseAmount('memory', '574Mi');
    expect(total - kubeReserved - (left.get('memory') ?? 0)).toBe(Math.ceil(total * 0.073));
  });

  test('refuses a threshold that is neither a quantity nor a percentage', () => {
    const kubelet = { evictionHard: new Map([['memory.available', 'some']]) };
    expect(() => allocatable('m5.large', { kubelet })).toThrow(QuantityError);
  });

  test('counts the root volume as the disk of pods', () => {
    expect(allocatable('m5.large', { rootVolumeBytes: 100 * GI })['ephemeral-storage']).toBe('89Gi');
  });

  test('counts local disks instead when they are one array, where there are some', () => {
    const { capacity } = allocatableFor(facts('m5d.large'), nodeClass({ instanceStoreRaid0: true }));
    expect(capacity.get('ephemeral-storage')).toBe(75e9);
    expect(allocatable('m5.large', { instanceStoreRaid0: true })['ephemeral-storage']).toBe('17Gi');
  });

  test('gives Windows 110 pods and the addresses of one interface', () => {
    expect(allocatable('m5.large', { amiFamily: 'Windows2022' })).toMatchObject({
      pods: '110',
      'vpc.amazonaws.com/PrivateIPv4Address': '9',
    });
  });

  test('of nothing left is nothing, never less', () => {
    const systemReserved = new Map([
      ['cpu', 1e9],
      ['memory', 1e15],
    ]);
    const left = allocatable('m5.large', { kubelet: { systemReserved } });
    expect(left).not.toHaveProperty('cpu');
    expect(left).not.toHaveProperty('memory');
  });

  test('is within capacity for every type and any settings, and never grows with what is reserved', () => {
    const amount = fc.nat({ max: 2 ** 31 });
    const reserved = fc
      .dictionary(fc.constantFrom('cpu', 'memory', 'ephemeral-storage'), amount)
      .map((record) => new Map(Object.entries(record)));
    const types = [...embeddedTypes().values()];
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        reserved,
        fc.option(fc.nat({ max: 300 }), { nil: undefined }),
        fc.nat({ max: 100 }),
        (type, systemReserved, maxPods, percent) => {
          const evictionHard = new Map([['memory.available', `${String(percent)}%`]]);
          const plain = allocatableFor(type.facts, nodeClass({ kubelet: { maxPods, evictionHard } }));
          const less = allocatableFor(
            type.facts,
            nodeClass({ kubelet: { maxPods, evictionHard, systemReserved } }),
          );
          expect(fitsWithin(plain.allocatable, plain.capacity)).toBe(true);
          expect(fitsWithin(less.allocatable, plain.allocatable)).toBe(true);
          expect(less.capacity).toEqual(plain.capacity);
        },
      ),
    );
  });
});
