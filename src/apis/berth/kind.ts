/** Berth's own kinds: metadata, spec and status by their codecs, and the CustomResourceDefinition that goes with them. */
import type { Labels } from '../../domain/values/labels.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import { member, rootField } from '../kubernetes/object/field.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import { readObjectMeta, type ObjectMeta } from '../kubernetes/object/object-meta.js';
import { formatTime } from '../kubernetes/object/time.js';
import { describedSchema, type Property, type Validation } from './codec.js';

const GROUP = 'berth.sh';
const VERSION = 'v1';
export const BERTH_API_VERSION = `${GROUP}/${VERSION}`;

/** Kinds whose objects Berth writes. */
export type BerthKind = 'NodeClaim' | 'Reservation' | 'PolicyStatus' | 'Decision';

/** metadata, as far as it is known. Times in milliseconds since 1970. */
export interface BerthMeta {
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly createdAt?: number;
  readonly deletionTimestamp?: number | undefined;
  readonly finalizers?: readonly string[];
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'date';
  readonly jsonPath: string;
  /** Only with `-o wide`. */
  readonly isWide?: true;
}

export interface KindOptions<Spec, Status> {
  readonly kind: BerthKind;
  readonly plural: string;
  readonly shortName: string;
  /** First line of the file that the definition is generated into. */
  readonly about: string;
  /** What `kubectl explain` says of the kind. */
  readonly description: string;
  readonly columns: readonly Column[];
  /** For field selectors of the API server. */
  readonly selectableFields: readonly string[];
  readonly validations?: readonly Validation[];
  /** Where its objects have the numbers that `kubectl scale` changes and shows. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
  readonly spec: Property<Spec>;
  /** Undefined where the kind has no status. */
  readonly status: Property<Status> | undefined;
}

export interface Kind<Spec, Status> {
  readonly options: KindOptions<Spec, Status>;
  /** The object; of its metadata as much as is given, and a status only where one is given. */
  encode(meta: BerthMeta, spec: Spec, status?: Status): JsonObject;
  /**
   * Decodes an object. `value` makes the domain's value, or undefined where what it means without is missing. Never throws.
   */
  decode<T>(object: unknown, value: (parts: KindParts<Spec, Status>) => T | undefined): Decoded<T>;
  /** The CustomResourceDefinition as JSON. */
  readonly definition: JsonObject;
}

/** What an object was read as. */
export interface KindParts<Spec, Status> {
  readonly meta: ObjectMeta;
  readonly spec: Spec;
  readonly status: Status;
}

/** A kind; `Status` is undefined where it has none. */
export function berthKind<Spec, Status = undefined>(options: KindOptions<Spec, Status>): Kind<Spec, Status> {
  return {
    options,
    encode: (meta, spec, status) => {
      const written = status === undefined ? undefined : options.status?.write(status);
      return {
        apiVersion: BERTH_API_VERSION,
        kind: options.kind,
        metadata: encodeMeta(meta),
        spec: options.spec.write(spec),
        ...(written !== undefined && { status: written }),
      };
    },
    decode: (json, value) => {
      const root = rootField(json);
      const meta = readObjectMeta(root);
      if (meta === undefined) return { value: undefined, findings: root.findings };
      const spec = options.spec.read(member(root, 'spec'));
      const status = options.status?.read(member(root, 'status')) as Status;
      return { value: value({ meta, spec, status }), findings: root.findings };
    },
    definition: definitionOf(options),
  };
}

function encodeMeta(meta: BerthMeta): JsonObject {
  const { uid, resourceVersion, createdAt, deletionTimestamp, finalizers = [], labels, annotations } = meta;
  return {
    name: meta.name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(createdAt !== undefined && { creationTimestamp: formatTime(createdAt) }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp: formatTime(deletionTimestamp) }),
    ...(finalizers.length > 0 && { finalizers }),
    ...(labels !== undefined && labels.size > 0 && { labels: Object.fromEntries(labels) }),
    ...(annotations !== undefined &&
      annotations.size > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

function definitionOf<Spec, Status>(options: KindOptions<Spec, Status>): JsonObject {
  const { kind, plural, shortName, columns, selectableFields, scale, status } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['berth'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          ...(status !== undefined && { subresources: { status: {}, ...(scale && { scale }) } }),
          selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
          additionalPrinterColumns: columns.map(({ name, type, jsonPath, isWide }) => ({
            name,
            type,
            jsonPath,
            ...(isWide === true && { priority: 1 }),
          })),
          schema: { openAPIV3Schema: schemaOf(options) },
        },
      ],
    },
  };
}

function schemaOf<Spec, Status>(options: KindOptions<Spec, Status>): JsonObject {
  const { description, validations = [], spec, status } = options;
  return {
    description,
    type: 'object',
    required: ['spec'],
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
    properties: {
      apiVersion: { description: 'Version of the schema that the object follows.', type: 'string' },
      kind: { description: 'Kind of the object.', type: 'string' },
      metadata: { type: 'object' },
      spec: describedSchema(spec),
      ...(status !== undefined && { status: describedSchema(status) }),
    },
  };
}

/** The spec of kinds that never change. */
export const IMMUTABLE: Validation = { rule: 'self == oldSelf', message: 'spec is immutable' };

export const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** A column with the status of a condition. */
export function conditionColumn(type: string): Column {
  return { name: type, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].status` };
}
