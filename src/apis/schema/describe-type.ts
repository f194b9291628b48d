/** Types and bounds of JSON Schemas in the words of kubectl explain. */
import type { JsonSchema } from './schema-for.js';

/** `string`, `[]Object`, `map[string]integer or string`, … */
export function describeType(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return alternatives(schema.anyOf.map(describeType));
  if (schema.items !== undefined) return `[]${describeType(schema.items)}`;
  if (schema.type !== 'object')
    return typeof schema.type === 'object' ? alternatives(schema.type) : (schema.type ?? 'any');
  const { properties, additionalProperties } = schema;
  return properties === undefined && typeof additionalProperties === 'object'
    ? `map[string]${describeType(additionalProperties)}`
    : 'Object';
}

function alternatives(types: readonly string[]): string {
  return [...types].sort().join(' or ');
}

/** `1 to 100`, `at least 0`, `at most 50 entries`; '' when nothing bounds it. */
export function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength } = schema;
  return [
    range(minimum, maximum, ''),
    range(minItems, maxItems, ' entries'),
    range(minLength, maxLength, ' characters'),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${String(least)} to ${String(most)}${unit}`;
  if (least !== undefined) return `at least ${String(least)}${unit}`;
  return most === undefined ? '' : `at most ${String(most)}${unit}`;
}
