/** How large root volumes have to be. */
import fc from 'fast-check';
import { allocatableFor } from '../../../../src/clouds/aws/catalogue/allocatable.js';
import { Catalogue } from '../../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../../src/clouds/aws/catalogue/embedded/embedded-catalogue.js';
import { embeddedTypes } from '../../../../src/clouds/aws/catalogue/embedded/embedded-types.js';
import type { InstanceFacts } from '../../../../src/clouds/aws/catalogue/instance-facts.js';
import { rootVolumeGiB } from '../../../../src/clouds/aws/catalogue/root-volume.js';
import type { NodeSettings } from '../../../../src/clouds/aws/families/node-settings.js';
import { EPHEMERAL_STORAGE } from '../../../../src/domain/values/resources.js';
import { nodeClass } from './node-class.js';

const GIB = 2 ** 30;
const MEASURED = { maxRootVolumeBytes: 500 * GIB };

function facts(name: string): InstanceFacts {
  const type = embeddedTypes().get(name);
  if (!type) throw new Error(`no ${name}`);
  return type.facts;
}

function left(of: NodeSettings, gib: number): number {
  const sized = { ...of, rootVolumeBytes: gib * GIB, maxRootVolumeBytes: undefined };
  return allocatableFor(facts('m5.large'), sized).allocatable.get(EPHEMERAL_STORAGE) ?? 0;
}

describe('rootVolumeGiB', () => {
  test('is the smallest size that leaves enough beside what the kubelet keeps', () => {
    const evictionHard = fc.constantFrom(new Map<string, string>(), new Map([['nodefs.available', '25%']]));
    const systemReserved = fc.constantFrom(
      new Map<string, number>(),
      new Map([[EPHEMERAL_STORAGE, 3 * GIB]]),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 18 * GIB, max: 360 * GIB }),
        evictionHard,
        systemReserved,
        (bytes, hard, system) => {
          const of = nodeClass({ ...MEASURED, kubelet: { evictionHard: hard, systemReserved: system } });
          const gib = rootVolumeGiB(facts('m5.large'), of, bytes) ?? 0;
          expect(left(of, gib)).toBeGreaterThanOrEqual(bytes);
          expect(left(of, gib - 1)).toBeLessThan(bytes);
          expect(gib).toBeLessThanOrEqual(500);
        },
      ),
    );
  });

  test('is nothing of its own where the class says no more, or its size will do', () => {
    expect(rootVolumeGiB(facts('m5.large'), nodeClass(), 100 * GIB)).toBeUndefined();
    expect(rootVolumeGiB(facts('m5.large'), nodeClass(MEASURED), 17 * GIB)).toBeUndefined();
    expect(rootVolumeGiB(facts('m5.large'), nodeClass(MEASURED), 17 * GIB + 1)).toBe(21);
  });

  test('does not matter where local disks are the storage of pods', () => {
    const raid = nodeClass({ ...MEASURED, instanceStoreRaid0: true });
    expect(rootVolumeGiB(facts('m5d.large'), raid, 100 * GIB)).toBeUndefined();
    expect(rootVolumeGiB(facts('m5.large'), raid, 100 * GIB)).toBe(113);
  });
});

describe('types of a node class with volumes made to measure', () => {
  const catalogue = catalogueFor('eu-west-3');
  const ofName = (from: Catalogue, name: string, of: NodeSettings) =>
    from.forNodeClass(of).find((type) => type.name === name);

  test('offer pods as much storage as there may be, and say what there is at least', () => {
    const type = ofName(catalogue, 'm5.large', nodeClass(MEASURED));
    expect(type?.allocatable.get(EPHEMERAL_STORAGE)).toBe(449 * GIB);
    expect(type?.leastStorage).toEqual({ capacity: 20 * GIB, allocatable: 17 * GIB });
    expect(ofName(catalogue, 'm5.large', nodeClass())?.leastStorage).toBeUndefined();
  });

  test('but for those whose storage is fixed: local disks, or what a catalog file says', () => {
    const raid = nodeClass({ ...MEASURED, instanceStoreRaid0: true });
    expect(ofName(catalogue, 'm5d.large', raid)?.leastStorage).toBeUndefined();
    const entries = catalogue.entries
      .filter((entry) => entry.facts.name === 'm5.large')
      .map((entry) => ({ ...entry, allocatable: new Map([[EPHEMERAL_STORAGE, 5 * GIB]]) }));
    const own = ofName(new Catalogue({ region: 'eu-west-3', entries }), 'm5.large', nodeClass(MEASURED));
    expect(own?.allocatable.get(EPHEMERAL_STORAGE)).toBe(5 * GIB);
    expect(own?.leastStorage).toBeUndefined();
  });
});
