/** Which objects of a resource a list or watch is about. */
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourceType } from '../resources/resource-type.js';
import { parseFieldSelector } from './field-selector.js';
import { parseLabelSelector } from '../objects/label-selector.js';

export interface Selection {
  /** All namespaces where it is missing. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** @throws ApiError 400 */
export function selects(type: ResourceType, selection: Selection): (object: KubeObject) => boolean {
  const { namespace, labelSelector = '', fieldSelector = '' } = selection;
  const byLabels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector);
  const byFields = fieldSelector === '' ? undefined : parseFieldSelector(type, fieldSelector);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (byLabels === undefined || byLabels(object.metadata.labels ?? {})) &&
    (byFields === undefined || byFields(object));
}
