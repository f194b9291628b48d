/** What one use of a volume demands of the node. */
import { ZONE } from '../../../src/domain/values/labels.js';
import type { VolumeUse } from '../../../src/domain/pods/volume.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { volumeDemand } from '../../../src/planning/snapshot/volume-index.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, oneOf } from '../../support/builders/constraints.js';
import { replicas } from '../../support/builders/pod.js';
import { EBS_DRIVER, persistentVolume, storageClass, volumeClaim } from '../../support/builders/volume.js';

function demandOf(
  input: Partial<ClusterInput>,
  use: VolumeUse = { claim: 'default/data' },
): ReturnType<typeof volumeDemand> {
  return volumeDemand(buildSnapshot(clusterInput(input)).volumes, use);
}

describe('volumeDemand', () => {
  const inB = [nodeTerm(oneOf(ZONE, 'us-east-1b'))];

  test('is where the bound volume is, on the driver that attaches it', () => {
    const demand = demandOf({
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
      persistentVolumes: [persistentVolume({ zone: 'us-east-1b' })],
    });
    expect(demand).toMatchObject({ driver: EBS_DRIVER, terms: inB, shared: false, readWriteOncePod: false });
  });

  test('is where the class may make a volume, on the driver that will', () => {
    const demand = demandOf({
      persistentVolumeClaims: [volumeClaim()],
      storageClasses: [storageClass({ allowedTopologies: inB })],
    });
    expect(demand).toMatchObject({ driver: EBS_DRIVER, terms: inB });
  });

  test('is shared when several pods use the claim, whether one spec or many', () => {
    const demand = demandOf({
      pods: replicas(2, { volumes: ['data'] }),
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
      persistentVolumes: [persistentVolume()],
    });
    expect(demand).toMatchObject({ shared: true });
  });

  test('takes a claim that exists before the class of an ephemeral volume', () => {
    const demand = demandOf(
      {
        persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
        persistentVolumes: [persistentVolume({ zone: 'us-east-1b' })],
      },
      { claim: 'default/data', ephemeralClass: 'gp3' },
    );
    expect(demand).toMatchObject({ terms: inB });
  });

  test('takes the default class for an ephemeral volume that names none', () => {
    const storageClasses = [storageClass({ isDefault: true, allowedTopologies: inB })];
    expect(demandOf({ storageClasses }, { claim: 'default/x', ephemeralClass: '' })).toMatchObject({
      terms: inB,
    });
  });

  test.each([
    ['VolumeClaimNotFound', {}, undefined],
    ['VolumeNotFound', { persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })] }, undefined],
    ['StorageClassNotFound', { persistentVolumeClaims: [volumeClaim()] }, undefined],
    ['StorageClassNotFound', {}, 'gone'],
  ])('is %s where it cannot be met', (code, input, ephemeralClass) => {
    expect(demandOf(input, { claim: 'default/data', ephemeralClass })).toMatchObject({
      code,
      claim: 'default/data',
    });
  });
});
