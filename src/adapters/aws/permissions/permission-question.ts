/** The launch by which a node class's permissions are judged: one of any that it could lead to. */
import type { Catalogue } from '../../../catalogue/index.js';
import type { NodeClassSource } from '../../../ports/cloud.js';
import { launchTemplateData } from '../launch/launch-template-data.js';
import type { NodeClassView } from '../launch/node-class-view.js';
import type { PermissionQuestion } from './permission-check.js';

/** undefined when there is nothing to launch. User data is left out: it changes, and nobody is denied it. */
export function permissionQuestion(
  { nodeClass }: NodeClassSource,
  { spec, images, subnets, securityGroups, instanceProfile }: NodeClassView,
  catalogue: Catalogue,
): PermissionQuestion | undefined {
  const [image] = images;
  const [subnet] = subnets;
  const type = catalogue.entries.find(({ facts }) => facts.arch === image?.arch)?.facts.name;
  if (image === undefined || subnet === undefined || type === undefined) return undefined;
  const data = launchTemplateData({
    spec,
    family: nodeClass.amiFamily,
    imageID: image.id,
    securityGroupIDs: securityGroups.map(({ id }) => id),
    instanceProfile,
    userData: '',
  });
  return { subject: nodeClass.name, data, instanceType: type, subnetID: subnet.id };
}
