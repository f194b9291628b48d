/** Objects and lists as they were asked for: whole, as tables, or their metadata alone. */
import type { Clock } from '../../../src/ports/clock.js';
import { compact, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { tableOf, type IncludeObject } from '../printing/table.js';
import type { ServedResource } from '../resources/registry.js';
import { groupVersion } from '../resources/resource-type.js';
import type { Rendering } from './api-request.js';

export interface RenderOptions {
  readonly resource: ServedResource;
  readonly clock: Clock;
  readonly as: Rendering;
  /** Of meta.k8s.io. */
  readonly version: string;
  readonly includeObject: IncludeObject;
}

/** The object as its version has it. */
export function shown({ served }: ServedResource, object: KubeObject): KubeObject {
  return served.show?.(object) ?? object;
}

export function renderObject(object: KubeObject, options: RenderOptions, isFirst = true): JsonObject {
  const { resource, as, version } = options;
  const whole = shown(resource, object);
  if (as === 'object') return whole;
  if (as === 'metadata') return partial(whole, version);
  return tableOf(resource.type.columns, [object], {
    ...{ version, includeObject: options.includeObject, nowMillis: options.clock.now() },
    metadata: { resourceVersion: object.metadata.resourceVersion },
    withoutDefinitions: !isFirst,
  });
}

/** Items of a list carry no apiVersion and kind of their own, but custom ones do. */
export function renderList(
  objects: readonly KubeObject[],
  metadata: JsonObject,
  options: RenderOptions,
): JsonObject {
  const { resource, as, version, includeObject, clock } = options;
  const { type, served } = resource;
  if (as === 'table')
    return tableOf(type.columns, objects, { version, includeObject, metadata, nowMillis: clock.now() });
  if (as === 'metadata')
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${version}`,
      metadata,
      items: objects.map((object) => partial(shown(resource, object), version)),
    };
  const items = objects.map((object) => {
    const whole = shown(resource, object);
    return type.isCustom ? whole : compact(whole, 'apiVersion', 'kind');
  });
  return { kind: type.listKind, apiVersion: groupVersion(served), metadata, items };
}

function partial({ metadata }: KubeObject, version: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}
