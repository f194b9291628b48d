/** The part of an EC2NodeClass document of v1 that decides what its nodes can hold. */
import type { NodeClass } from '../../../domain/policies/node-class.js';
import { kubeletSettings } from '../../../apis/fields/kubelet.js';
import { familyOfAlias, type EC2NodeClassDocument } from './v1.js';
import { isSizeOurs, rootVolumeBytes, volumeBytes } from './volume-size.js';

/** The node class for planning. */
export function toNodeClass({ metadata, spec, berth }: EC2NodeClassDocument): NodeClass {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  const amiFamily = spec.amiFamily ?? familyOfAlias(alias ?? '') ?? 'Custom';
  const most = volumeBytes(berth?.maxVolumeSize ?? '') ?? 0;
  const least = rootVolumeBytes(spec.blockDeviceMappings ?? [], amiFamily);
  return {
    name: metadata.name,
    amiFamily,
    kubelet: kubeletSettings(spec.kubelet),
    rootVolumeBytes: least,
    ...(most > least && isSizeOurs(spec.blockDeviceMappings, amiFamily) && { maxRootVolumeBytes: most }),
    instanceStoreRaid0: spec.instanceStorePolicy === 'RAID0',
    zones: undefined,
  };
}
