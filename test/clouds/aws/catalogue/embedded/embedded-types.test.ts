import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allocatableFor } from '../../../../../src/clouds/aws/catalogue/allocatable.js';
import { DEFAULT_NODE_CLASS } from '../../../../../src/clouds/aws/catalogue/default-node-class.js';
import {
  type EmbeddedType,
  embeddedTypes,
} from '../../../../../src/clouds/aws/catalogue/embedded/embedded-types.js';
import { parseInstanceName } from '../../../../../src/clouds/aws/catalogue/instance-labels.js';
import { parseAmount } from '../../../../../src/domain/values/resources.js';

const types = embeddedTypes();

describe('embeddedTypes', () => {
  // From AWS' pages of instance types and on-demand prices (Linux, us-east-1).
  test.each([
    { name: 't4g.small', arch: 'arm64', vcpu: 2, memoryMiB: 2048, maxPods: 11, price: 0.0168 },
    { name: 'm5.large', arch: 'amd64', vcpu: 2, memoryMiB: 8192, maxPods: 29, price: 0.096 },
    { name: 'm6i.2xlarge', arch: 'amd64', vcpu: 8, memoryMiB: 32768, maxPods: 58, price: 0.384 },
    { name: 'c7g.16xlarge', arch: 'arm64', vcpu: 64, memoryMiB: 131072, maxPods: 737, price: 2.32 },
    { name: 'r6a.48xlarge', arch: 'amd64', vcpu: 192, memoryMiB: 1572864, maxPods: 737, price: 10.8864 },
    { name: 'g5.xlarge', arch: 'amd64', vcpu: 4, memoryMiB: 16384, maxPods: 58, price: 1.006 },
    { name: 'p4d.24xlarge', arch: 'amd64', vcpu: 96, memoryMiB: 1179648, maxPods: 737, price: 21.957642 },
  ])('knows $name', ({ name, price, ...facts }) => {
    const type = types.get(name);
    expect(type?.facts).toMatchObject(facts);
    expect(type?.onDemandPrice).toBe(price);
  });

  test('counts only the addresses of the default network card', () => {
    expect(types.get('p5.48xlarge')?.facts.maxPods).toBe(100);
  });

  // From DescribeInstanceTypes, and from "Supported instance types" of Elastic Fabric Adapters in the EC2 User Guide.
  test.each([
    ['m5.24xlarge', []],
    ['m5n.24xlarge', [0]],
    ['c6in.32xlarge', [0, 1]],
    ['g4dn.4xlarge', []],
    ['g4dn.8xlarge', [0]],
    ['p4d.24xlarge', [0, 1, 2, 3]],
    ['i7i.metal-24xl', []],
    ['i7i.24xlarge', [0]],
    ['p6-b300.48xlarge', Array.from({ length: 16 }, (_, index) => index + 1)],
  ])('knows the network cards of %s that take an EFA', (name, cards) => {
    expect(types.get(name)?.facts.efaCards).toEqual(cards);
  });

  test('is built once', () => {
    expect(embeddedTypes()).toBe(types);
  });
});

/** One type of an independent collection of facts and us-east-1 prices. */
interface Reference {
  readonly instanceType: string;
  readonly vcpu: number;
  readonly memoryMiB: number;
  readonly arch: string;
  readonly gpuCount: number;
  readonly gpuName: string;
  readonly gpuMemoryMiB: number;
  readonly acceleratorName: string;
  readonly acceleratorCount: number;
  readonly ipv4PerEni: number;
  readonly category: string;
  readonly family: string;
  readonly generation: string;
  readonly size: string;
  readonly hypervisor: string;
  readonly cpuManufacturer: string;
  readonly localNvmeGiB: number;
  readonly networkMbps: number;
  readonly ebsMbps: number;
  readonly onDemandPrice: number;
  readonly docAllocatable: Readonly<Record<string, string>>;
}

function expectedFacts(reference: Reference): object {
  return {
    vcpu: reference.vcpu,
    memoryMiB: reference.memoryMiB,
    arch: reference.arch,
    maxPods: Number(reference.docAllocatable['pods']),
    addresses: reference.ipv4PerEni,
    gpu: [reference.gpuName, reference.gpuCount, reference.gpuMemoryMiB],
    accelerator: [reference.acceleratorName, reference.acceleratorCount],
    name: [reference.category, reference.family, reference.generation, reference.size],
    cpu: [reference.cpuManufacturer, reference.hypervisor],
    rates: [reference.localNvmeGiB, reference.networkMbps, reference.ebsMbps],
    allocatable: Object.fromEntries(
      Object.entries(reference.docAllocatable).map(([resource, quantity]) => [
        resource,
        parseAmount(resource, quantity),
      ]),
    ),
  };
}

function foundFacts({ facts }: EmbeddedType): object {
  const { category, family, generation, size } = parseInstanceName(facts.name);
  const gpu = facts.gpu ?? { name: '', count: 0, memoryMiB: 0 };
  const accelerator = facts.accelerator ?? { name: '', count: 0 };
  return {
    vcpu: facts.vcpu,
    memoryMiB: facts.memoryMiB,
    arch: facts.arch,
    maxPods: facts.maxPods,
    addresses: facts.addressesPerInterface,
    gpu: [gpu.name, gpu.count, gpu.memoryMiB],
    accelerator: [accelerator.name, accelerator.count],
    name: [category, family, String(generation), size],
    cpu: [facts.cpuManufacturer, facts.hypervisor],
    rates: [facts.localStorageGB, facts.networkMbps, facts.ebsMbps].map((rate) => rate ?? 0),
    allocatable: Object.fromEntries(allocatableFor(facts, DEFAULT_NODE_CLASS).allocatable),
  };
}

const referenceFolder = process.env['BERTH_BENCH_DIR'];
if (referenceFolder !== undefined) {
  describe('embeddedTypes, beside an independent collection', () => {
    const text = readFileSync(join(referenceFolder, 'instance-types.json'), 'utf8');
    const references = (JSON.parse(text) as { readonly instanceTypes: readonly Reference[] }).instanceTypes;
    const pairs = references.flatMap((reference) => {
      const type = types.get(reference.instanceType);
      return type ? [{ reference, type }] : [];
    });

    test('has at least 700 types in common with it', () => {
      process.stdout.write(
        `compared ${String(pairs.length)} of ${String(references.length)} types with ${String(types.size)} embedded\n`,
      );
      expect(pairs.length).toBeGreaterThanOrEqual(700);
    });

    test('agrees with it on every fact of every type that both know', () => {
      const found = pairs.map(({ type }) => [type.facts.name, foundFacts(type)]);
      expect(found).toEqual(pairs.map(({ reference }) => [reference.instanceType, expectedFacts(reference)]));
    });

    test('is within 1 % of its price on every type that both know', () => {
      const off = pairs.map(({ reference, type }) =>
        Math.abs(type.onDemandPrice / reference.onDemandPrice - 1),
      );
      process.stdout.write(`largest difference in price: ${(100 * Math.max(...off)).toFixed(4)} %\n`);
      expect(Math.max(...off)).toBeLessThan(0.01);
    });
  });
}
