/** How much of each object is asked for (Kubernetes API concepts: metadata-only fetches). */
import type { ReflectedResource } from './reflector-options.js';

/** undefined: all of it. A server that does not know the form sends all of it, too. */
export function acceptOfList(resource: ReflectedResource): string | undefined {
  return resource.isMetadataOnly === true ? accept('PartialObjectMetadataList') : undefined;
}

/** As acceptOfList, for the objects of a watch. */
export function acceptOfWatch(resource: ReflectedResource): string | undefined {
  return resource.isMetadataOnly === true ? accept('PartialObjectMetadata') : undefined;
}

function accept(form: string): string {
  return `application/json;as=${form};g=meta.k8s.io;v=v1,application/json`;
}
