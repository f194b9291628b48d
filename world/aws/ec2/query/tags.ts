/** Tags: on what is created, and with CreateTags and DeleteTags on what is there. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';

export interface Tagged {
  readonly tags: Labels;
  setTags(tags: Labels): void;
}

/** Finds what has an id; undefined when the id is of another kind. @throws ServiceError …NotFound. */
export type TaggedLookup = (id: string) => Tagged | undefined;

const MAX_TAGS = 50;
const MAX_RESOURCES = 1000;

/** The tags of one TagSpecification after the other that are for this kind of resource. */
export function tagsFor(query: QueryNode, resourceType: string): Labels {
  const tags = query
    .list('TagSpecification')
    .filter((specification) => specification.text('ResourceType') === resourceType)
    .flatMap((specification) => tagList(specification));
  return checkTags(new Map(tags));
}

export function tagSet(tags: Labels): readonly XmlStructure[] {
  return [...tags].map(([key, value]) => ({ key, value }));
}

/** `Tag.N.Key` and `.Value` of the node, in their order. */
function tagList(node: QueryNode): readonly (readonly [string, string])[] {
  return node.list('Tag').map((tag) => [tag.required('Key'), tag.text('Value') ?? ''] as const);
}

/** Adds to the tags of resources, or replaces; one id that is not there fails all. */
export function createTags(query: QueryNode, lookups: readonly TaggedLookup[]): XmlStructure {
  const added = checkTags(new Map(tagList(query)));
  for (const resource of resources(query, lookups)) {
    const tags = new Map([...resource.tags, ...added]);
    resource.setTags(checkTags(tags, ''));
  }
  return { return: true };
}

/** Takes tags away: those named, where a value is given only if it is that one; all but AWS' own when none is named. */
export function deleteTags(query: QueryNode, lookups: readonly TaggedLookup[]): XmlStructure {
  const named = query.list('Tag').map((tag) => ({ key: tag.required('Key'), value: tag.text('Value') }));
  for (const resource of resources(query, lookups)) {
    const kept = [...resource.tags].filter(
      ([key, value]) =>
        key.startsWith('aws:') ||
        (named.length > 0 &&
          !named.some((tag) => tag.key === key && (tag.value === undefined || tag.value === value))),
    );
    resource.setTags(new Map(kept));
  }
  return { return: true };
}

function resources(query: QueryNode, lookups: readonly TaggedLookup[]): readonly Tagged[] {
  const ids = query.texts('ResourceId');
  if (ids.length === 0)
    throw new ServiceError('MissingParameter', 'The request must contain the parameter resourceIdSet');
  if (ids.length > MAX_RESOURCES)
    throw new ServiceError('InvalidParameterValue', 'A request may name at most 1000 resources');
  return ids.map((id) => {
    for (const lookup of lookups) {
      const found = lookup(id);
      if (found) return found;
    }
    throw new ServiceError('InvalidID', `The ID '${id}' is not valid`);
  });
}

function checkTags(tags: Labels, reserved = 'aws:'): Labels {
  for (const [key, value] of tags) {
    if (reserved !== '' && key.startsWith(reserved))
      throw new ServiceError(
        'InvalidParameterValue',
        `Tag keys starting with 'aws:' are reserved for internal use`,
      );
    if (key.length > 127 + 1 || value.length > 255 + 1)
      throw new ServiceError('InvalidParameterValue', `The tag '${key}' exceeds the maximum length`);
  }
  const own = [...tags.keys()].filter((key) => !key.startsWith('aws:'));
  if (own.length > MAX_TAGS)
    throw new ServiceError('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
  return tags;
}
