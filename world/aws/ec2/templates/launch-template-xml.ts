/** Launch templates and their versions as EC2 tells them. */
import type { QueryNode } from '../../protocol/query.js';
import { NamedList, xmlTime, type XmlStructure, type XmlValue } from '../../protocol/xml.js';
import type { LaunchTemplate, LaunchTemplateVersion } from './launch-template.js';
import { tagSet } from '../query/tags.js';

export function templateXml(template: LaunchTemplate, createdBy: string): XmlStructure {
  return {
    launchTemplateId: template.id,
    launchTemplateName: template.name,
    createTime: xmlTime(template.createdAt),
    createdBy,
    defaultVersionNumber: template.defaultVersion,
    latestVersionNumber: template.latestVersion,
    tagSet: tagSet(template.tags),
  };
}

export function versionXml(
  template: LaunchTemplate,
  version: LaunchTemplateVersion,
  createdBy: string,
): XmlStructure {
  return {
    launchTemplateId: template.id,
    launchTemplateName: template.name,
    versionNumber: version.number,
    versionDescription: version.description,
    createTime: xmlTime(version.createdAt),
    createdBy,
    defaultVersion: version.number === template.defaultVersion,
    launchTemplateData: dataXml(version.data),
  };
}

/** What was asked for, renamed: `SecurityGroupId.1` comes back as `securityGroupIdSet`. */
function dataXml(data: QueryNode, within = ''): XmlStructure {
  return Object.fromEntries([...data.entries].map(([name, node]) => memberXml(name, node, within)));
}

function memberXml(name: string, node: QueryNode, within: string): readonly [string, XmlValue] {
  const own = name.slice(0, 1).toLowerCase() + name.slice(1);
  if (node.value !== undefined) return [own, node.value];
  if (node.items.length === 0) return [own, dataXml(node, name)];
  const values = node.items.map((item) => item.value ?? dataXml(item, name));
  // The one list of a template whose name and elements are unlike the others.
  if (within === 'NetworkInterface' && name === 'SecurityGroupId')
    return ['groupSet', new NamedList('groupId', values)];
  return [`${own}Set`, values];
}
