/** What the API server knows about a kind of object: its names, what is special about it, how it is printed. */
import type { FieldError } from '../objects/field-error.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { TableColumn } from '../printing/table-column.js';

/** A group and version under which the objects are served; where fields differ, with the way there and back. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** From storage. */
  show?(object: KubeObject): KubeObject;
  /** To storage. */
  read?(object: KubeObject): KubeObject;
}

/** What happens to objects of the kind before they are stored. */
export interface Strategy {
  /** Fields that are missing; must change nothing when applied twice. Also of an object that lacks what it needs. */
  readonly defaults?: ((object: KubeObject) => KubeObject) | undefined;
  /** What is wrong with it; `old` is missing at creation. */
  readonly validate?:
    ((object: KubeObject, old: KubeObject | undefined) => readonly FieldError[]) | undefined;
  /** Once, at creation, before defaults. */
  readonly create?: ((object: KubeObject) => KubeObject) | undefined;
  /** Before defaults, at creation and change: fields that the schema does not know are listed, and go. */
  readonly prune?: ((object: KubeObject, version: string) => Pruned) | undefined;
}

export interface Pruned {
  readonly object: KubeObject;
  /** Paths: `spec.replica`. */
  readonly unknown: readonly string[];
}

/** Paths without the leading dot: `spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** A label selector, or its text. */
  readonly selector: string;
}

export interface ResourceType {
  /** `pods`, `deployments.apps`: what its storage is called. */
  readonly key: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** The first is the storage version. */
  readonly served: readonly [ServedVersion, ...ServedVersion[]];
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths | undefined;
  /** Whether metadata.generation counts changes of the specification. */
  readonly hasGeneration: boolean;
  /** Made from a CustomResourceDefinition. */
  readonly isCustom: boolean;
  /** Field selectors besides metadata.name and metadata.namespace: label → path. */
  readonly fieldLabels: Readonly<Record<string, string>>;
  readonly columns: readonly TableColumn[];
  readonly strategy: Strategy;
}

export function groupOf(type: ResourceType): string {
  return type.served[0].group;
}

/** `v1`, `apps/v1`. */
export function groupVersion({ group, version }: Pick<ServedVersion, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** As refusals about objects name it. */
export function subjectOf(type: ResourceType): { readonly group: string; readonly resource: string } {
  return { group: groupOf(type), resource: type.plural };
}

/** As refusals about fields name it. */
export function kindOf(type: ResourceType): { readonly group: string; readonly resource: string } {
  return { group: groupOf(type), resource: type.kind };
}
