import { decodeVolumeAttachment } from '../../../../src/apis/kubernetes/volumes/storage.js';

const metadata = { name: 'csi-1' };

test('a VolumeAttachment says which volume is attached to which node', () => {
  const source = { persistentVolumeName: 'pv-1' };
  const spec = { attacher: 'ebs.csi.aws.com', nodeName: 'node-1', source };
  expect(decodeVolumeAttachment({ metadata, spec })).toEqual({
    value: { name: 'csi-1', nodeName: 'node-1', volumeName: 'pv-1' },
    findings: [],
  });
});

test('an inline volume has no PersistentVolume', () => {
  const spec = { attacher: 'ebs.csi.aws.com', nodeName: 'node-1', source: { inlineVolumeSpec: {} } };
  expect(decodeVolumeAttachment({ metadata, spec }).value?.volumeName).toBeUndefined();
});

test('one without a node is reported', () => {
  expect(decodeVolumeAttachment({ metadata, spec: {} }).findings).not.toEqual([]);
});
