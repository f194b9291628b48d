import {
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
} from '../../../../src/apis/kubernetes/volumes/storage.js';
import { requirementTexts, type Manifest } from '../manifests.js';

function object(parts: Manifest): Manifest {
  return { metadata: { name: 'x' }, ...parts };
}

describe('decodePersistentVolume', () => {
  const nodeAffinity = {
    required: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: ['eu-west-3a'] },
          ],
        },
      ],
    },
  };

  function termsOf(parts: Manifest): unknown {
    const { value, findings } = decodePersistentVolume(object(parts));
    expect(findings).toEqual([]);
    return value?.nodeAffinity?.map((term) => requirementTexts(term.labels));
  }

  test('reads driver and node affinity, the driver’s own zone key as the zone', () => {
    const spec = { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' }, nodeAffinity };
    expect(decodePersistentVolume(object({ spec })).value).toMatchObject({
      name: 'x',
      driver: 'ebs.csi.aws.com',
    });
    expect(termsOf({ spec })).toEqual([['topology.kubernetes.io/zone In [eu-west-3a]']]);
  });

  test('can be used anywhere unless it says otherwise', () => {
    expect(decodePersistentVolume(object({ spec: { nfs: {} } })).value).toMatchObject({
      name: 'x',
      driver: undefined,
      nodeAffinity: undefined,
      zones: undefined,
    });
  });

  test('says what it offers to claims while it is free', () => {
    const labels = { disk: 'ssd' };
    const spec = {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'by-hand',
    };
    const { value } = decodePersistentVolume({
      metadata: { name: 'x', labels },
      spec: { ...spec, volumeMode: 'Block', volumeAttributesClassName: 'gold' },
      status: { phase: 'Available' },
    });
    expect(value?.free).toEqual({
      storageClassName: 'by-hand',
      bytes: 10 * 2 ** 30,
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Block',
      attributesClass: 'gold',
      labels: new Map(Object.entries(labels)),
      reservedFor: undefined,
    });
  });

  test.each<[string, Manifest, object | undefined]>([
    ['no status', { spec: {} }, { reservedFor: undefined }],
    ['phase Pending', { spec: {}, status: { phase: 'Pending' } }, undefined],
    [
      'a claim named by hand',
      { spec: { claimRef: { namespace: 'db', name: 'data' } }, status: { phase: 'Pending' } },
      { reservedFor: 'db/data' },
    ],
    ['a claim with a UID', { spec: { claimRef: { namespace: 'db', name: 'data', uid: 'u' } } }, undefined],
    [
      'a deletion',
      { metadata: { name: 'x', deletionTimestamp: '2026-11-21T12:00:00Z' }, spec: {} },
      undefined,
    ],
  ])('with %s is free: %#', (_, parts, free) => {
    const { value } = decodePersistentVolume(object(parts));
    expect(value?.free && { reservedFor: value.free.reservedFor }).toEqual(free);
  });

  test('is bound by old labels to zone and region, of several zones to any, where nodes say where they are', () => {
    const labels = {
      'failure-domain.beta.kubernetes.io/zone': 'eu-west-3a__eu-west-3b',
      'topology.kubernetes.io/region': 'eu-west-3',
    };
    const { value } = decodePersistentVolume({ metadata: { name: 'x', labels }, spec: { nodeAffinity } });
    expect(value?.zones?.map((term) => requirementTexts(term.labels))).toEqual([
      [
        'topology.kubernetes.io/zone In [eu-west-3a, eu-west-3b]',
        'topology.kubernetes.io/region In [eu-west-3]',
      ],
      ['topology.kubernetes.io/zone DoesNotExist', 'topology.kubernetes.io/region DoesNotExist'],
    ]);
    expect(value?.nodeAffinity).toHaveLength(1);
  });

  test('is attached by the EBS CSI driver when it is an in-tree EBS volume', () => {
    const { value } = decodePersistentVolume(
      object({ spec: { awsElasticBlockStore: { volumeID: 'vol-1' } } }),
    );
    expect(value?.driver).toBe('ebs.csi.aws.com');
  });

  test('needs a driver where it names CSI', () => {
    expect(decodePersistentVolume(object({ spec: { csi: {} } })).findings).toMatchObject([
      { path: ['spec', 'csi', 'driver'] },
    ]);
  });
});

describe('decodePersistentVolumeClaim', () => {
  test.each<[Manifest, Manifest]>([
    [{}, { volumeName: undefined, storageClassName: undefined, readWriteOncePod: false }],
    [
      { volumeName: 'pv', storageClassName: 'gp3' },
      { volumeName: 'pv', storageClassName: 'gp3' },
    ],
    [{ storageClassName: '' }, { storageClassName: '' }],
    [{ accessModes: ['ReadWriteOncePod'] }, { readWriteOncePod: true }],
  ])('reads %j', (spec, expected) => {
    const claim = { metadata: { name: 'data', namespace: 'db' }, spec };
    expect(decodePersistentVolumeClaim(claim).value).toMatchObject({ name: 'db/data', ...expected });
  });

  test.each<[Manifest, string | undefined]>([
    [{ status: { phase: 'Pending' } }, 'Prebound'],
    [{ status: { phase: 'Bound' } }, undefined],
    [{}, undefined],
    [{ metadata: { name: 'x', deletionTimestamp: '2026-11-21T12:00:00Z' } }, 'Terminating'],
    [
      {
        metadata: { name: 'x', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        status: { phase: 'Pending' },
      },
      undefined,
    ],
  ])('with a volume and %j is held back for: %s', (parts, hold) => {
    expect(decodePersistentVolumeClaim(object({ spec: { volumeName: 'pv' }, ...parts })).value?.hold).toBe(
      hold,
    );
  });

  test('reads what it asks of a volume', () => {
    const selector = { matchLabels: { disk: 'ssd' } };
    const resources = { requests: { storage: '1500M' } };
    const spec = { accessModes: ['ReadWriteMany'], resources, selector };
    const { request } = decodePersistentVolumeClaim(object({ spec })).value ?? {};
    expect(request).toMatchObject({
      bytes: 1_500_000_000,
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Filesystem',
      attributesClass: '',
    });
    expect(request?.selector && requirementTexts(request.selector.requirements)).toEqual(['disk In [ssd]']);
    expect(decodePersistentVolumeClaim(object({ spec: {} })).value?.request?.selector).toBeUndefined();
  });

  test('reads the class from the old annotation', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'gp2' };
    expect(
      decodePersistentVolumeClaim({ metadata: { name: 'x', annotations } }).value?.storageClassName,
    ).toBe('gp2');
  });
});

describe('decodeStorageClass', () => {
  test('binds at once and anywhere unless it says otherwise', () => {
    expect(decodeStorageClass(object({ provisioner: 'ebs.csi.aws.com' })).value).toEqual({
      name: 'x',
      provisioner: 'ebs.csi.aws.com',
      bindingMode: 'Immediate',
      allowedTopologies: undefined,
      isDefault: false,
    });
  });

  test('names the CSI driver that does the work of the in-tree EBS provisioner', () => {
    expect(decodeStorageClass(object({ provisioner: 'kubernetes.io/aws-ebs' })).value?.provisioner).toBe(
      'ebs.csi.aws.com',
    );
  });

  test('reads binding mode, topologies and whether it is the default', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const matchLabelExpressions = [{ key: 'topology.ebs.csi.aws.com/zone', values: ['a', 'b'] }];
    const { value, findings } = decodeStorageClass({
      metadata: { name: 'x', annotations },
      provisioner: 'ebs.csi.aws.com',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions }],
    });
    expect(findings).toEqual([]);
    expect(value).toMatchObject({ bindingMode: 'WaitForFirstConsumer', isDefault: true });
    expect(value?.allowedTopologies?.map((term) => requirementTexts(term.labels))).toEqual([
      ['topology.kubernetes.io/zone In [a, b]'],
    ]);
  });

  test('needs a provisioner, a known binding mode and zones in its topologies', () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'a' }] }];
    const { findings } = decodeStorageClass(object({ volumeBindingMode: 'Later', allowedTopologies }));
    expect(findings.map((item) => item.path)).toEqual([
      ['provisioner'],
      ['volumeBindingMode'],
      ['allowedTopologies', 0, 'matchLabelExpressions', 0, 'values'],
    ]);
  });
});
