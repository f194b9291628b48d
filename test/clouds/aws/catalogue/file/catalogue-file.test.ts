import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/embedded/embedded-catalogue.js';
import type { Catalogue } from '../../../../../src/clouds/aws/catalogue/catalogue.js';
import { filterCatalogue } from '../../../../../src/catalogue/filter.js';
import { readCatalogueFile } from '../../../../../src/clouds/aws/catalogue/file/read-catalogue-file.js';
import { writeCatalogueFile } from '../../../../../src/clouds/aws/catalogue/file/catalogue-file.js';
import type { InstanceType } from '../../../../../src/domain/nodes/instance-type.js';
import { nodeClass } from '../node-class.js';

const P = 'karpenter.k8s.aws/instance-';
const OFFERING = { zone: 'us-east-1a', capacityType: 'on-demand', price: 0.1 };

/** A type as a catalog file has it. */
function record(overrides: object = {}): object {
  return {
    name: 'm5.large',
    vcpu: 2,
    memoryMiB: 8192,
    arch: 'amd64',
    maxPods: 29,
    offerings: [OFFERING],
    ...overrides,
  };
}

function read(...instanceTypes: readonly object[]): Catalogue {
  const { catalogue, issues } = readCatalogueFile({ region: 'us-east-1', instanceTypes });
  if (!catalogue) throw new Error(issues.map(({ message }) => message).join('\n'));
  return catalogue;
}

/** The only type of a catalogue with one. */
function readType(overrides: object = {}): InstanceType {
  const [type] = read(record(overrides)).instanceTypes;
  if (!type) throw new Error('no type');
  return type;
}

const messages = (value: unknown) => readCatalogueFile(value).issues.map(({ message }) => message);
const faults = (overrides: object) => messages({ region: 'us-east-1', instanceTypes: [record(overrides)] });

describe('readCatalogueFile', () => {
  test('computes allocatable where the file gives none', () => {
    expect(Object.fromEntries(readType({ name: 'zz9.large' }).allocatable)).toEqual({
      cpu: 1930,
      memory: 6903 * 2 ** 20,
      pods: 29,
      'ephemeral-storage': 17 * 2 ** 30,
    });
  });

  test('takes a given allocatable as all there is, capacity being no less', () => {
    const allocatable = { cpu: '1930m', memory: '6000Mi', pods: '29', 'ephemeral-storage': '17Gi' };
    const type = readType({ allocatable });
    expect(Object.fromEntries(type.allocatable)).toEqual({
      cpu: 1930,
      memory: 6000 * 2 ** 20,
      pods: 29,
      'ephemeral-storage': 17 * 2 ** 30,
    });
    expect([...type.capacity.keys()]).toEqual([...type.allocatable.keys()]);
    expect(type.capacity.get('cpu')).toBe(2000);
  });

  test('computes what every node has where a given allocatable is silent', () => {
    const type = readType({ name: 'g5.xlarge', vcpu: 4, allocatable: { memory: '1Gi' } });
    expect(Object.fromEntries(type.allocatable)).toMatchObject({
      cpu: 3920,
      memory: 2 ** 30,
      pods: 29,
      'nvidia.com/gpu': 1,
    });
  });

  test('lets a node class lower the pods of a given allocatable and change nothing else', () => {
    const catalogue = read(
      record({ allocatable: { cpu: '1', memory: '1Gi', pods: '20', 'ephemeral-storage': '1Gi' } }),
    );
    const settings = { maxPods: 10, systemReserved: new Map([['cpu', 500]]) };
    const [type] = catalogue.forNodeClass(nodeClass({ kubelet: settings, rootVolumeBytes: 2 ** 40 }));
    expect(Object.fromEntries(type?.allocatable ?? [])).toEqual({
      cpu: 1000,
      memory: 2 ** 30,
      pods: 10,
      'ephemeral-storage': 2 ** 30,
    });
    const [more] = catalogue.forNodeClass(nodeClass({ kubelet: { maxPods: 200 } }));
    expect(more?.allocatable.get('pods')).toBe(20);
  });

  test('knows the rest of an embedded type, but believes the file first', () => {
    const { labels } = readType({ memoryMiB: 9000, networkMbps: 1, localStorageGB: 7 });
    expect(Object.fromEntries(labels)).toMatchObject({
      [`${P}cpu-manufacturer`]: 'intel',
      [`${P}hypervisor`]: 'nitro',
      [`${P}ebs-bandwidth`]: '4750',
      [`${P}memory`]: '9000',
      [`${P}network-bandwidth`]: '1',
      [`${P}local-nvme`]: '7',
    });
  });

  test('reads family, category, generation and size of an unknown type from its name', () => {
    const { labels } = readType({ name: 'm12gd.24xlarge' });
    expect(Object.fromEntries(labels)).toMatchObject({
      [`${P}category`]: 'm',
      [`${P}family`]: 'm12gd',
      [`${P}generation`]: '12',
      [`${P}size`]: '24xlarge',
    });
    expect(labels.has(`${P}hypervisor`)).toBe(false);
  });

  test.each([
    ['nvidia', 'nvidia.com/gpu'],
    ['amd', 'amd.com/gpu'],
    ['habana', 'habana.ai/gaudi'],
  ])('gives a GPU of %s labels and the resource %s', (manufacturer, resource) => {
    const type = readType({ name: 'gx1.large', gpu: { name: 'x', manufacturer, count: 2, memoryMiB: 1000 } });
    expect(type.allocatable.get(resource)).toBe(2);
    expect(Object.fromEntries(type.labels)).toMatchObject({
      [`${P}gpu-name`]: 'x',
      [`${P}gpu-manufacturer`]: manufacturer,
      [`${P}gpu-count`]: '2',
      [`${P}gpu-memory`]: '1000',
    });
  });

  test('takes a GPU memory of 0 for unknown', () => {
    const gpu = { name: 'a10g', manufacturer: 'nvidia', count: 1, memoryMiB: 0 };
    expect(readType({ name: 'g5.xlarge', gpu }).labels.get(`${P}gpu-memory`)).toBe('22888');
    expect(readType({ name: 'gx1.large', gpu }).labels.has(`${P}gpu-memory`)).toBe(false);
  });

  test('reads the reservations behind reserved offerings, several of a zone', () => {
    const reserved = (id: string) => ({
      ...OFFERING,
      capacityType: 'reserved',
      price: 0,
      reservation: { id, count: 3 },
    });
    const offerings = [reserved('cr-1'), reserved('cr-2')];
    expect(readType({ offerings }).offerings).toEqual(
      offerings.map((each) => ({ ...each, estimated: false, available: true })),
    );
    expect(writeCatalogueFile(read(record({ offerings }))).instanceTypes[0]?.offerings).toEqual(offerings);
  });

  test('believes prices, unless the file calls them estimates', () => {
    const spot = { ...OFFERING, capacityType: 'spot', estimated: true };
    expect(readType({ offerings: [OFFERING, spot] }).offerings).toEqual([
      { ...OFFERING, estimated: false, available: true },
      { ...spot, available: true },
    ]);
  });

  test.each<[string, object, string]>([
    [
      'a negative size',
      { vcpu: -2 },
      'instance type m5.large: vcpu must be a whole number from 1 on, not -2',
    ],
    [
      'a text for a number',
      { memoryMiB: '8Gi' },
      'instance type m5.large: memoryMiB must be a whole number from 1 on, not "8Gi"',
    ],
    [
      'another architecture',
      { arch: 'riscv' },
      'instance type m5.large: arch must be one of amd64, arm64, not "riscv"',
    ],
    [
      'no maxPods',
      { maxPods: undefined },
      'instance type m5.large: maxPods must be a whole number from 0 on, but is missing',
    ],
    ['no name', { name: '' }, 'instance type number 1: name must be a text, not ""'],
    [
      'offerings that are no list',
      { offerings: {} },
      'instance type m5.large: offerings must be a list, not {}',
    ],
    [
      'a price below 0',
      { offerings: [{ ...OFFERING, price: -1 }] },
      'instance type m5.large, offering 1: price must be a number from 0 on, not -1',
    ],
    [
      'another capacity type',
      { offerings: [{ ...OFFERING, capacityType: 'cheap' }] },
      'instance type m5.large, offering 1: capacityType must be one of reserved, spot, on-demand, not "cheap"',
    ],
    [
      'one offering twice',
      { offerings: [OFFERING, { ...OFFERING, price: 1 }] },
      'instance type m5.large: offerings must be distinct, but on-demand in us-east-1a is there more than once',
    ],
    [
      'a reservation of what is not reserved',
      { offerings: [{ ...OFFERING, reservation: { id: 'cr-1', count: 1 } }] },
      'instance type m5.large, offering 1: reservation belongs to offerings of capacityType reserved only',
    ],
    [
      'a reservation without a count',
      { offerings: [{ ...OFFERING, capacityType: 'reserved', reservation: { id: 'cr-1' } }] },
      'instance type m5.large, offering 1, reservation: count must be a whole number from 0 on, but is missing',
    ],
    ['a GPU that is none', { gpu: 'a10g' }, 'instance type m5.large, gpu must be an object, not "a10g"'],
    [
      'another manufacturer',
      { gpu: { name: 'x', manufacturer: 'acme', count: 1 } },
      'instance type m5.large, gpu: manufacturer must be one of nvidia, amd, habana, not "acme"',
    ],
    [
      'a number for a quantity',
      { allocatable: { cpu: 2 } },
      'instance type m5.large, allocatable: cpu must be a text, not 2',
    ],
    [
      'no quantity',
      { allocatable: { cpu: '2 cores' } },
      'instance type m5.large, allocatable: cpu must be a Kubernetes quantity: quantity "2 cores": expected a number with an optional suffix such as m, k, M, Ki, Mi or Gi',
    ],
  ])('refuses %s, naming type, field and value', (_what, overrides, message) => {
    expect(faults(overrides)[0]).toBe(message);
    expect(readCatalogueFile({ region: 'r', instanceTypes: [record(overrides)] }).catalogue).toBeUndefined();
  });

  test('says where each issue is', () => {
    const { issues } = readCatalogueFile({
      region: 'r',
      instanceTypes: [record(), record({ name: 'c5.large', offerings: [{ ...OFFERING, zone: 3 }] })],
    });
    expect(issues.map(({ path }) => path)).toEqual([['instanceTypes', 1, 'offerings', 0, 'zone']]);
  });

  test('finds all issues at once', () => {
    expect(faults({ vcpu: 0, memoryMiB: 0, arch: 'x' })).toHaveLength(3);
  });

  test('refuses one name twice', () => {
    expect(messages({ region: 'r', instanceTypes: [record(), record()] })).toEqual([
      'catalog: instanceTypes must have distinct names, but m5.large is there more than once',
    ]);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a text', 'catalog'],
  ])('refuses %s for a catalog', (_what, value) => {
    expect(readCatalogueFile(value).catalogue).toBeUndefined();
    expect(messages(value)[0]).toMatch(/^catalog must be an object, not /);
  });

  test('warns of a field that it does not know, and reads the rest', () => {
    const reading = readCatalogueFile({ region: 'r', instanceTypes: [record({ allocateable: {} })] });
    expect(reading.issues).toEqual([
      expect.objectContaining({
        severity: 'warning',
        message: expect.stringContaining('instance type m5.large: allocateable is not a field') as string,
      }),
    ]);
    expect(reading.catalogue?.entries).toHaveLength(1);
  });

  test('takes no field from the prototype', () => {
    const value: unknown = JSON.parse(
      '{"region":"r","instanceTypes":[],"__proto__":{"region":"evil"},"constructor":1}',
    );
    const { catalogue, issues } = readCatalogueFile(value);
    expect(catalogue?.region).toBe('r');
    expect(issues.map(({ path }) => path)).toEqual([['__proto__'], ['constructor']]);
  });
});

describe('writeCatalogueFile', () => {
  const paris = catalogueFor('eu-west-3');
  /** All of a type in one line: thousands of maps are compared too slowly. */
  const asText = ({ labels, capacity, allocatable, ...rest }: InstanceType): string =>
    JSON.stringify([rest, ...[labels, capacity, allocatable].map((map) => [...map].sort())]);
  const reread = (catalogue: Catalogue): Catalogue => {
    const { catalogue: copy } = readCatalogueFile(JSON.parse(JSON.stringify(writeCatalogueFile(catalogue))));
    if (!copy) throw new Error('not readable');
    return copy;
  };

  test('writes what reads back as the same catalogue, for any node class', () => {
    const copy = reread(paris);
    const special = nodeClass({
      kubelet: { maxPods: 20, systemReserved: new Map([['cpu', 100]]) },
      instanceStoreRaid0: true,
    });
    expect(copy.instanceTypes.map(asText)).toEqual(paris.instanceTypes.map(asText));
    expect(copy.forNodeClass(special).map(asText)).toEqual(paris.forNodeClass(special).map(asText));
  });

  test('writes what was read, its own allocatable too', () => {
    const catalogue = read(
      record({ allocatable: { cpu: '1500m', memory: '1Gi', pods: '7' } }),
      record({ name: 'zz1.large' }),
    );
    expect(reread(catalogue).instanceTypes).toEqual(catalogue.instanceTypes);
  });

  test('has the documented fields, quantities as text', () => {
    const [first] = writeCatalogueFile(
      paris,
      filterCatalogue(paris.instanceTypes, { families: new Set(['g5']) }),
    ).instanceTypes;
    expect(first).toMatchObject({
      name: 'g5.xlarge',
      vcpu: 4,
      memoryMiB: 16384,
      arch: 'amd64',
      gpu: { name: 'a10g', manufacturer: 'nvidia', count: 1, memoryMiB: 22888 },
      maxPods: 58,
      localStorageGB: 250,
      networkMbps: 2500,
      allocatable: { cpu: '3920m', pods: '58', 'nvidia.com/gpu': '1', 'ephemeral-storage': '17Gi' },
    });
    expect(first?.offerings[0]).toEqual({
      zone: 'eu-west-3a',
      capacityType: 'on-demand',
      price: 1.17702,
      estimated: true,
    });
  });

  test('refuses a type of another catalogue', () => {
    const [stranger] = read(record({ name: 'zz1.large' })).instanceTypes;
    expect(() => writeCatalogueFile(paris, stranger ? [stranger] : [])).toThrow(
      'instance type zz1.large: not in the catalogue of eu-west-3',
    );
  });
});
