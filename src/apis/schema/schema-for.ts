/** JSON Schemas of all policies, for editors and for `berth explain`. */
import * as z from 'zod';
import { policyKinds, type PolicyKind } from '../conversion/policy-kinds.js';

/** A JSON Schema (draft 2020-12), as far as zod's schemas need it. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** The schema of a kind: what a document may contain, before rules over several fields. */
export function schemaFor({
  apiVersion,
  kind,
  schema,
}: Pick<PolicyKind, 'apiVersion' | 'kind' | 'schema'>): JsonSchema {
  const generated = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: withoutNoise });
  return { title: `${kind} of ${apiVersion}`, ...(generated as JsonSchema) };
}

/** JavaScript's own bounds of whole numbers are not shown, nor keys without a rule. */
function withoutNoise({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.propertyNames;
}

/** Every schema by the name of its file in docs/schemas: `nodepool-karpenter.sh-v1.json`. */
export function schemaFiles(): ReadonlyMap<string, JsonSchema> {
  return new Map(policyKinds().map((item) => [schemaFileName(item), schemaFor(item)]));
}

function schemaFileName({ apiVersion, kind }: PolicyKind): string {
  return `${kind.toLowerCase()}-${apiVersion.replace('/', '-')}.json`;
}
