/** What is served, as clients ask for it: the old lists, group by group, and the aggregated ones. */
import type { JsonObject } from '../objects/json.js';
import type { ResourceRegistry, ServedResource } from '../resources/registry.js';
import { groupVersion, type ResourceType, type ServedVersion } from '../resources/resource-type.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const STATUS_VERBS = ['get', 'patch', 'update'];

/** What can be asked without being stored. */
export const REVIEWS: readonly (readonly [apiVersion: string, plural: string, kind: string])[] = [
  ['authorization.k8s.io/v1', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview'],
  ['authorization.k8s.io/v1', 'subjectaccessreviews', 'SubjectAccessReview'],
  ['authentication.k8s.io/v1', 'selfsubjectreviews', 'SelfSubjectReview'],
];

interface Described {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly {
    readonly name: string;
    readonly kind: JsonObject;
    readonly verbs: readonly string[];
  }[];
}

interface Group {
  readonly name: string;
  readonly versions: Map<string, Described[]>;
}

/** Groups in the order in which kubectl resolves names: the core first. */
function groupsOf(registry: ResourceRegistry): readonly Group[] {
  const groups = new Map<string, Group>();
  const add = ({ group, version }: ServedVersion, described: Described): void => {
    const known = groups.get(group) ?? { name: group, versions: new Map<string, Described[]>() };
    groups.set(group, known);
    known.versions.set(version, [...(known.versions.get(version) ?? []), described]);
  };
  for (const type of registry.types)
    for (const served of type.served) add(served, describe({ type, served }));
  for (const [apiVersion, plural, kind] of REVIEWS) {
    const [group = '', version = ''] = apiVersion.split('/');
    const names = {
      plural,
      singular: kind.toLowerCase(),
      kind,
      namespaced: false,
      shortNames: [],
      categories: [],
    };
    add({ group, version }, { ...names, verbs: ['create'], subresources: [] });
  }
  return [...groups.values()];
}

function describe({ type, served }: ServedResource): Described {
  const { plural, singular, kind, namespaced, shortNames, categories } = type;
  return {
    plural,
    singular,
    kind,
    namespaced,
    shortNames,
    categories,
    verbs: VERBS,
    subresources: subresourcesOf(type, served),
  };
}

function subresourcesOf(type: ResourceType, { group, version }: ServedVersion): Described['subresources'] {
  const own = { group, version, kind: type.kind };
  const status = type.hasStatus ? [{ name: 'status', kind: own, verbs: STATUS_VERBS }] : [];
  const scale =
    type.scale === undefined
      ? []
      : [
          {
            name: 'scale',
            kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: STATUS_VERBS,
          },
        ];
  if (type.key !== 'pods') return [...scale, ...status];
  return [
    { name: 'binding', kind: { group: '', version: 'v1', kind: 'Binding' }, verbs: ['create'] },
    { name: 'eviction', kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
    { name: 'log', kind: own, verbs: ['get'] },
    { name: 'resize', kind: own, verbs: ['patch'] },
    ...status,
  ];
}

/** /api */
export function apiVersions(): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

/** /apis */
export function apiGroupList(registry: ResourceRegistry): JsonObject {
  const groups = groupsOf(registry)
    .filter(({ name }) => name !== '')
    .map(apiGroup);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** /apis/GROUP; undefined for one that is not served. */
export function apiGroupOf(registry: ResourceRegistry, name: string): JsonObject | undefined {
  const group = groupsOf(registry).find((each) => each.name === name);
  return group === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) };
}

function apiGroup({ name, versions }: Group): JsonObject {
  const all = [...versions.keys()].map((version) => ({
    groupVersion: groupVersion({ group: name, version }),
    version,
  }));
  return { name, versions: all, preferredVersion: all[0] };
}

/** /api/v1, /apis/GROUP/VERSION; undefined for one that is not served. */
export function apiResourceList(
  registry: ResourceRegistry,
  group: string,
  version: string,
): JsonObject | undefined {
  const resources = groupsOf(registry)
    .find(({ name }) => name === group)
    ?.versions.get(version);
  if (resources === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion({ group, version }),
    resources: resources.flatMap((each) => [
      {
        name: each.plural,
        singularName: each.singular,
        namespaced: each.namespaced,
        kind: each.kind,
        verbs: each.verbs,
        ...(each.shortNames.length > 0 && { shortNames: each.shortNames }),
        ...(each.categories.length > 0 && { categories: each.categories }),
      },
      ...each.subresources.map(({ name, kind, verbs }) => ({
        name: `${each.plural}/${name}`,
        singularName: '',
        namespaced: each.namespaced,
        ...kind,
        verbs,
      })),
    ]),
  };
}

/** /api or /apis with `as=APIGroupDiscoveryList` (apidiscovery.k8s.io). */
export function aggregatedDiscovery(
  registry: ResourceRegistry,
  isCore: boolean,
  apiVersion: string,
): JsonObject {
  const items = groupsOf(registry)
    .filter(({ name }) => (name === '') === isCore)
    .map(({ name, versions }) => ({
      metadata: { ...(name !== '' && { name }), creationTimestamp: null },
      versions: [...versions].map(([version, resources]) => ({
        version,
        freshness: 'Current',
        resources: resources.map((each) => aggregated(each, { group: name, version })),
      })),
    }));
  return { kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items };
}

function aggregated(each: Described, own: { readonly group: string; readonly version: string }): JsonObject {
  return {
    resource: each.plural,
    singularResource: each.singular,
    responseKind: { ...own, kind: each.kind },
    scope: each.namespaced ? 'Namespaced' : 'Cluster',
    verbs: each.verbs,
    ...(each.shortNames.length > 0 && { shortNames: each.shortNames }),
    ...(each.categories.length > 0 && { categories: each.categories }),
    ...(each.subresources.length > 0 && {
      subresources: each.subresources.map(({ name, kind, verbs }) => ({
        subresource: name,
        responseKind: kind,
        verbs,
      })),
    }),
  };
}
