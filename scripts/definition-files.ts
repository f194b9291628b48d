/** Berth's own kinds, as `make generate` writes their CustomResourceDefinitions. */
import { decisionKind } from '../src/apis/berth/decision.js';
import { BERTH_API_VERSION } from '../src/apis/berth/kind.js';
import type { JsonObject } from '../src/domain/policies/policy.js';
import { nodeClaimKind } from '../src/apis/berth/node-claim.js';
import { policyStatusKind } from '../src/apis/berth/policy-status.js';
import { reservationKind } from '../src/apis/berth/reservation.js';

/** A CustomResourceDefinition and its file in manifests/crds. */
export interface DefinitionFile {
  readonly name: string;
  /** The comment that it opens with. */
  readonly about: string;
  readonly definition: JsonObject;
}

/** The JSON Schema of a kind, for editors, and its file in docs/reference/schemas. */
export interface KindSchemaFile {
  readonly name: string;
  readonly schema: JsonObject;
}

export const DEFINITION_FILES: readonly DefinitionFile[] = [
  { name: 'node-claims.yaml', ...fileOf(nodeClaimKind) },
  { name: 'reservations.yaml', ...fileOf(reservationKind) },
  { name: 'policy-statuses.yaml', ...fileOf(policyStatusKind) },
  { name: 'decisions.yaml', ...fileOf(decisionKind) },
];

export const KIND_SCHEMA_FILES: readonly KindSchemaFile[] = [
  schemaFileOf(nodeClaimKind),
  schemaFileOf(reservationKind),
  schemaFileOf(policyStatusKind),
  schemaFileOf(decisionKind),
];

/** What the definition says of an object, with apiVersion and kind; extensions of Kubernetes are left out. */
function schemaFileOf({
  options: { kind },
  definition,
}: {
  readonly options: { readonly kind: string };
  readonly definition: JsonObject;
}): KindSchemaFile {
  const { spec } = withoutExtensions(definition) as Definition;
  const { properties, required, ...rest } = spec.versions[0].schema.openAPIV3Schema;
  return {
    name: `${kind.toLowerCase()}-berth.sh-v1.json`,
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `${kind} of ${BERTH_API_VERSION}`,
      ...rest,
      required: ['apiVersion', 'kind', 'metadata', ...required],
      properties: {
        ...properties,
        apiVersion: { ...properties.apiVersion, const: BERTH_API_VERSION },
        kind: { ...properties.kind, const: kind },
      },
    },
  };
}

interface Definition {
  readonly spec: {
    readonly versions: readonly [
      {
        readonly schema: {
          readonly openAPIV3Schema: {
            readonly properties: JsonObject & { readonly apiVersion: JsonObject; readonly kind: JsonObject };
            readonly required: readonly string[];
          };
        };
      },
    ];
  };
}

function withoutExtensions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtensions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      key.startsWith('x-kubernetes-') ? [] : [[key, withoutExtensions(child)]],
    ),
  );
}

function fileOf({
  options,
  definition,
}: {
  readonly options: { readonly about: string };
  readonly definition: JsonObject;
}): Omit<DefinitionFile, 'name'> {
  return { about: options.about, definition };
}
