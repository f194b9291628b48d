/** What overlays make of instance types. */
import * as fc from 'fast-check';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import {
  CAPACITY_TYPE,
  INSTANCE_PREFIX,
  INSTANCE_TYPE,
  NODEPOOL,
  ZONE,
} from '../../../src/domain/values/labels.js';
import type { NodeOverlay } from '../../../src/domain/policies/node-overlay.js';
import { inPrecedence } from '../../../src/domain/policies/node-overlay.js';
import { overlaidTypes, overlaysOfPool } from '../../../src/domain/nodes/overlaid-types.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { MEMORY } from '../../../src/domain/values/resources.js';
import { instanceType, offering, smallCatalogue, ZONE_A } from '../../support/builders/instance-type.js';
import { nodeOverlay } from '../../support/builders/node-overlay.js';
import { labels } from '../../support/builders/pod.js';

const M5 = instanceType({ name: 'm5.large', price: 0.1 });
const C5 = instanceType({ name: 'c5.large', price: 0.08 });
const isFamily = (...families: readonly string[]) => requirement(`${INSTANCE_PREFIX}family`, 'In', families);

/** `zone capacity-type price` of what is not at its list price. */
function changed({ offerings }: InstanceType | undefined = M5): readonly string[] {
  return offerings.flatMap(({ zone, capacityType, price, listPrice }) =>
    listPrice === undefined ? [] : [`${zone.slice(-1)} ${capacityType} ${String(price)}`],
  );
}

function applied(types: readonly InstanceType[], ...overlays: readonly NodeOverlay[]) {
  return overlaidTypes(types, inPrecedence(overlays));
}

describe('overlaidTypes', () => {
  test('changes the price of the offerings that are meant, and keeps the list price beside it', () => {
    const overlay = nodeOverlay({
      requirements: [
        isFamily('m5'),
        requirement(ZONE, 'In', [ZONE_A]),
        requirement(CAPACITY_TYPE, 'In', ['on-demand']),
      ],
      price: { kind: 'percentage', value: -50 },
    });
    const [m5, c5] = applied([M5, C5], overlay);
    expect(changed(m5)).toEqual(['a on-demand 0.05']);
    expect(m5?.offerings[0]).toMatchObject({ price: 0.05, listPrice: 0.1 });
    expect(c5).toBe(C5);
  });

  test('offers what has no price at the one that an overlay gives it, where that overlay is meant', () => {
    const preview: InstanceType = {
      ...instanceType({ name: 'm99.large' }),
      offerings: [],
      unpriced: [
        { zone: ZONE_A, capacityType: 'on-demand' },
        { zone: ZONE_A, capacityType: 'spot' },
      ],
    };
    const onDemand = [requirement(CAPACITY_TYPE, 'In', ['on-demand'])];
    const cheaper = nodeOverlay({ name: 'z', price: { kind: 'percentage', value: -50 } });
    const priced = nodeOverlay({
      name: 'a',
      requirements: onDemand,
      price: { kind: 'absolute', value: 0.2 },
      capacity: { 'example.com/device': '1' },
    });
    expect(applied([preview], cheaper)[0]).toBe(preview);
    const [type] = applied([preview], priced);
    expect(type?.offerings).toEqual([
      { zone: ZONE_A, capacityType: 'on-demand', price: 0.2, estimated: false, available: true },
    ]);
    expect(type?.capacity.get('example.com/device')).toBe(1);
  });

  test('counts the heaviest alone where several change one price; a lighter one counts for the rest', () => {
    const light = nodeOverlay({ name: 'z', weight: 1, price: { kind: 'difference', value: 0.02 } });
    const heavy = nodeOverlay({
      name: 'a',
      weight: 2,
      requirements: [requirement(CAPACITY_TYPE, 'In', ['spot'])],
      price: { kind: 'percentage', value: -50 },
    });
    const type = instanceType({ price: 0.1, zones: [ZONE_A] });
    const [first] = applied([type], light, heavy);
    expect(changed(first)).toEqual(['a on-demand 0.12', 'a spot 0.02']);
  });

  test('adds extended resources, those of all overlays together, the heaviest first for each', () => {
    const overlays = [
      nodeOverlay({ name: 'slices', weight: 5, capacity: { 'acme.io/slice': '4' } }),
      nodeOverlay({ name: 'fuse', weight: 1, capacity: { 'acme.io/slice': '2', 'dev/fuse': '1' } }),
    ];
    const [type] = applied([M5], ...overlays);
    for (const amounts of [type?.capacity, type?.allocatable]) {
      expect(amounts?.get('acme.io/slice')).toBe(4);
      expect(amounts?.get('dev/fuse')).toBe(1);
      expect(amounts?.get('cpu')).toBeGreaterThan(0);
    }
    expect(type?.offerings).toBe(M5.offerings);
  });

  test('replaces the amount of a resource that the type has, and takes it away with 0', () => {
    const gpu = instanceType({ name: 'g5.xlarge', gpus: 1 });
    const of = (amount: string) => nodeOverlay({ capacity: { 'nvidia.com/gpu': amount } });
    expect(applied([gpu], of('4'))[0]?.allocatable.get('nvidia.com/gpu')).toBe(4);
    expect(applied([gpu], of('0'))[0]?.allocatable.has('nvidia.com/gpu')).toBe(false);
  });

  test('takes huge pages from the memory that pods can use', () => {
    const [type] = applied([M5], nodeOverlay({ capacity: { 'hugepages-2Mi': '1Gi' } }));
    expect(type?.allocatable.get('hugepages-2Mi')).toBe(2 ** 30);
    expect(type?.allocatable.get(MEMORY)).toBe((M5.allocatable.get(MEMORY) ?? 0) - 2 ** 30);
    expect(type?.capacity.get(MEMORY)).toBe(M5.capacity.get(MEMORY));
  });

  test('gives a type its resources as soon as one of its offerings is meant', () => {
    const overlay = nodeOverlay({
      requirements: [requirement(ZONE, 'In', [ZONE_A])],
      capacity: { 'dev/fuse': '1' },
    });
    expect(applied([M5], overlay)[0]?.allocatable.get('dev/fuse')).toBe(1);
    const elsewhere = instanceType({ zones: ['us-east-1b'] });
    expect(applied([elsewhere], overlay)).toEqual([elsewhere]);
  });

  test('knows offerings by their capacity reservation', () => {
    const reserved = (id: string) =>
      offering({ capacityType: 'reserved', reservation: { id, count: 1 }, price: 0.1 });
    const type = instanceType({ offerings: [reserved('cr-1'), reserved('cr-2'), offering()] });
    const overlay = nodeOverlay({
      requirements: [requirement('karpenter.k8s.aws/capacity-reservation-id', 'In', ['cr-2'])],
      price: { kind: 'absolute', value: 0 },
    });
    expect(applied([type], overlay)[0]?.offerings.map(({ price }) => price)).toEqual([0.1, 0, 0.1]);
  });

  test('asks a label that a type lacks as Kubernetes does', () => {
    const gpuName = `${INSTANCE_PREFIX}gpu-name`;
    const free = { kind: 'absolute', value: 0 } as const;
    const without = nodeOverlay({ requirements: [requirement(gpuName, 'DoesNotExist')], price: free });
    const some = nodeOverlay({ requirements: [requirement(gpuName, 'Exists')], price: free });
    expect(changed(applied([M5], without)[0])).toHaveLength(M5.offerings.length);
    expect(applied([M5], some)[0]).toBe(M5);
  });

  test('changes nothing by an overlay that matches nothing: the list is the same object', () => {
    const catalogue = smallCatalogue();
    const nothing = fc.constantFrom(
      requirement(INSTANCE_TYPE, 'In', ['x9.large']),
      requirement(ZONE, 'In', ['eu-north-1a']),
      requirement(CAPACITY_TYPE, 'In', ['reserved']),
      requirement(`${INSTANCE_PREFIX}cpu`, 'Gt', ['1000']),
      requirement(`${INSTANCE_PREFIX}family`, 'In', []),
    );
    fc.assert(
      fc.property(nothing, fc.integer({ min: 0, max: 100 }), (item, weight) => {
        const overlay = nodeOverlay({
          weight,
          requirements: [item],
          price: { kind: 'absolute', value: 0 },
          capacity: { 'dev/fuse': '1' },
        });
        expect(applied(catalogue, overlay)).toBe(catalogue);
      }),
    );
  });

  test('keeps every list price: undoing the changes gives the catalogue back', () => {
    const catalogue = smallCatalogue();
    const overlays = fc.array(
      fc.record({
        family: fc.constantFrom('c6i', 'm6i', 'm7g', 'g5'),
        weight: fc.integer({ min: 0, max: 5 }),
        value: fc.integer({ min: -100, max: 100 }),
      }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(overlays, (list) => {
        const made = list.map(({ family, weight, value }, index) =>
          nodeOverlay({
            name: `o${String(index)}`,
            weight,
            requirements: [isFamily(family)],
            price: { kind: 'percentage', value },
          }),
        );
        const undone = applied(catalogue, ...made).map((type) => ({
          ...type,
          offerings: type.offerings.map(({ listPrice, ...rest }) => ({
            ...rest,
            price: listPrice ?? rest.price,
          })),
        }));
        expect(undone).toEqual(catalogue);
      }),
    );
  });
});

describe('overlaysOfPool', () => {
  const pool = { name: 'web', labels: labels({ team: 'a' }) };

  test.each([
    [requirement(NODEPOOL, 'In', ['web']), 1],
    [requirement(NODEPOOL, 'NotIn', ['web']), 0],
    [requirement('team', 'In', ['a']), 1],
    [requirement('team', 'In', ['b']), 0],
    [requirement('stage', 'Exists'), 0],
    [requirement('stage', 'DoesNotExist'), 1],
    [isFamily('m5'), 1],
  ])('with %j are %d', (item, count) => {
    expect(overlaysOfPool([nodeOverlay({ requirements: [item] })], pool)).toHaveLength(count);
  });
});
