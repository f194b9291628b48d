/** How many volumes of pods can be attached to a node of an instance type before its CSINode says so. */
import type { InstanceType } from '../../../domain/nodes/instance-type.js';
import type { NodeSettings } from '../families/node-settings.js';
import type { InstanceFacts } from './instance-facts.js';

/** The CSI driver of EBS volumes. */
const EBS_DRIVER = 'ebs.csi.aws.com';
/** Interfaces of a node when the driver counts them: the first, and the one that the VPC CNI keeps warm. */
const INTERFACES = 2;

/**
 * As the driver counts (its GetLimits): what EC2 attaches, less the volumes that the instance is launched with, and where
 * the limit is shared less the interfaces after the first. Nothing where EC2's limit is not known.
 */
export function volumeLimitsOf(
  { attachments }: Pick<InstanceFacts, 'attachments'>,
  { volumes = 1 }: Pick<NodeSettings, 'volumes'>,
): Pick<InstanceType, 'volumeLimits'> {
  if (attachments === undefined) return {};
  const { most, areShared } = attachments;
  const left = most - volumes - (areShared ? INTERFACES - 1 : 0);
  return { volumeLimits: new Map([[EBS_DRIVER, Math.max(1, left)]]) };
}
