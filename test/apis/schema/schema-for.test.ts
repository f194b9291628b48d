import { readdirSync, readFileSync } from 'node:fs';
import { schemaFiles } from '../../../scripts/policy-schemas.js';
import type { JsonSchema } from '../../../src/apis/schema/schema-for.js';

const FOLDER = new URL('../../../docs/schemas/', import.meta.url);

function fieldsWithoutMeaning(schema: JsonSchema, path = ''): string[] {
  const { properties = {}, items, additionalProperties } = schema;
  const own = Object.entries(properties).flatMap(([name, child]) => [
    ...(child.description === undefined && child.items?.description === undefined ? [`${path}.${name}`] : []),
    ...fieldsWithoutMeaning(child, `${path}.${name}`),
  ]);
  const below = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [
    ...own,
    ...[...(items ? [items] : []), ...below].flatMap((child) => fieldsWithoutMeaning(child, `${path}[]`)),
  ];
}

describe('schemaFiles', () => {
  test('are what docs/schemas holds (make generate writes them)', () => {
    const written = readdirSync(FOLDER).sort();
    expect(written).toEqual([...schemaFiles().keys()].sort());
    for (const [name, schema] of schemaFiles()) {
      expect(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))).toEqual(
        JSON.parse(JSON.stringify(schema)),
      );
    }
  });

  test.each([...schemaFiles()])('%s says what every field means', (_, schema) => {
    expect(fieldsWithoutMeaning(schema)).toEqual([]);
  });
});
