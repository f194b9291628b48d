/** An EC2NodeClass as the rooms of this cloud have it: what planning needs of it, and the spec that launches are made of. */
import type { NodeClass } from '../../../domain/policies/node-class.js';
import { familyOfAlias, imageFamily, type AmiFamily } from '../families/families.js';
import type { NodeSettings } from '../families/node-settings.js';
import { kubeletSettings } from './kubelet.js';
import type { EC2NodeClassDocument } from './v1.js';
import { isSizeOurs, rootVolumeBytes, volumeBytes } from './volume-size.js';

export const EC2_NODE_CLASS = 'EC2NodeClass';

/** The spec with all its defaults. */
export type NodeClassSpec = EC2NodeClassDocument['spec'];

export interface EC2NodeClass extends NodeClass, NodeSettings {
  readonly kind: typeof EC2_NODE_CLASS;
  readonly spec: NodeClassSpec;
}

/** Whether it is one; other clouds have other kinds. */
export function isEC2NodeClass(nodeClass: NodeClass): nodeClass is EC2NodeClass {
  return nodeClass.kind === EC2_NODE_CLASS;
}

/** It was no selector in earlier versions of Berth. */
const PLACEMENT_GROUP = 'placementGroupSelector';

/** Selectors: what they select now is compared with the node instead (Karpenter: dynamic drift). */
const SELECTORS: ReadonlySet<string> = new Set([
  'amiSelectorTerms',
  'subnetSelectorTerms',
  'securityGroupSelectorTerms',
  'capacityReservationSelectorTerms',
  PLACEMENT_GROUP,
]);
const FORMER_SELECTORS = new Set([...SELECTORS].filter((field) => field !== PLACEMENT_GROUP));

function templatesOf(spec: NodeClassSpec): Pick<NodeClass, 'template' | 'formerTemplate'> {
  const template = without(spec, SELECTORS);
  if (spec.placementGroupSelector === undefined) return { template };
  return { template, formerTemplate: without(spec, FORMER_SELECTORS) };
}

/** The spec without these fields. */
function without(spec: NodeClassSpec, fields: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !fields.has(field)));
}

export function toEC2NodeClass({ metadata, spec, berth }: EC2NodeClassDocument): EC2NodeClass {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  const amiFamily = spec.amiFamily ?? familyOfAlias(alias ?? '')?.name ?? 'Custom';
  const most = volumeBytes(berth?.maxVolumeSize ?? '') ?? 0;
  const least = rootVolumeBytes(spec.blockDeviceMappings ?? [], amiFamily);
  return {
    kind: EC2_NODE_CLASS,
    name: metadata.name,
    ...templatesOf(spec),
    secretFields: ['spec.userData'],
    amiFamily,
    kubelet: kubeletSettings(spec.kubelet),
    rootVolumeBytes: least,
    ...(most > least && isSizeOurs(spec.blockDeviceMappings, amiFamily) && { maxRootVolumeBytes: most }),
    volumes: volumesOf(spec, amiFamily),
    nitroEnclaves: hasEnclaves(spec),
    efaInterfaces: adaptersOf(spec),
    instanceStoreRaid0: spec.instanceStorePolicy === 'RAID0',
    spec,
  };
}

function adaptersOf({ networkInterfaces = [] }: NodeClassSpec): number | undefined {
  if (networkInterfaces.length === 0) return undefined;
  return networkInterfaces.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
}

function hasEnclaves({ enclaveOptions }: NodeClassSpec): boolean {
  return enclaveOptions?.enabled === true;
}

/** A mapping without `ebs` is one of the image or of a local disk; whatever the image, it has a root volume. */
function volumesOf({ blockDeviceMappings }: NodeClassSpec, family: AmiFamily): number {
  const devices = blockDeviceMappings?.filter(({ ebs }) => ebs !== undefined) ?? imageFamily(family).disks;
  return Math.max(1, devices.length);
}
