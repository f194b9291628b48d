/** The part of an EC2NodeClass document of v1 that decides what its nodes can hold. */
import type { NodeClass } from '../../domain/node-class.js';
import { kubeletSettings } from './kubelet.js';
import { familyOfAlias, type EC2NodeClassDocument } from './v1.js';
import { rootVolumeBytes } from './volume-size.js';

/** The node class for planning. */
export function toNodeClass({ metadata, spec }: EC2NodeClassDocument): NodeClass {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  const amiFamily = spec.amiFamily ?? familyOfAlias(alias ?? '') ?? 'Custom';
  return {
    name: metadata.name,
    amiFamily,
    kubelet: kubeletSettings(spec.kubelet),
    rootVolumeBytes: rootVolumeBytes(spec.blockDeviceMappings ?? [], amiFamily),
    instanceStoreRaid0: spec.instanceStorePolicy === 'RAID0',
    zones: undefined,
  };
}
