/** Objects as a Table (meta.k8s.io/v1), which kubectl prints. */
import type { JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { TableColumn } from './table-column.js';

/** What each row carries of its object. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableRequest {
  /** `v1` or `v1beta1` of meta.k8s.io. */
  readonly version: string;
  readonly includeObject: IncludeObject;
  /** Further rows of a watch come without the definitions. */
  readonly withoutDefinitions?: boolean;
}

export function tableOf(
  columns: readonly TableColumn[],
  objects: readonly KubeObject[],
  {
    metadata,
    nowMillis,
    ...request
  }: TableRequest & { readonly metadata: JsonObject; readonly nowMillis: number },
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${request.version}`,
    metadata,
    columnDefinitions: request.withoutDefinitions === true ? [] : columns.map(definitionOf),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowMillis)),
      object: includedOf(object, request),
    })),
  };
}

function definitionOf({ name, type, format = '', description = '', priority }: TableColumn): JsonObject {
  return { name, type, format, description, priority };
}

function includedOf(object: KubeObject, { includeObject, version }: TableRequest): JsonObject | null {
  if (includeObject === 'None') return null;
  if (includeObject === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
