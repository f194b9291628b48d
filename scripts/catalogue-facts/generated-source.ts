/** Writes the worked-out tables as the TypeScript file that the program reads. */
import type { FamilyRow } from '../../src/clouds/aws/catalogue/embedded/family-row.js';
import { expandFamilies } from './expand.js';

/** The text of instance-types.generated.ts: a line per size, so that changes of facts show as changed lines. */
export function generatedSource(): string {
  return [
    '/** Facts of instance types, worked out by `make generate` from the tables in scripts/catalogue-facts: change those. */',
    "import type { FamilyRow } from './family-row.js';",
    '',
    'export const FAMILIES: readonly FamilyRow[] = [',
    ...expandFamilies().map(familySource),
    '];',
    '',
  ].join('\n');
}

function familySource({ sizes, ...family }: FamilyRow): string {
  const head = JSON.stringify(family).slice(0, -1);
  return [`${head},"sizes":[`, ...sizes.map((size) => `${JSON.stringify(size)},`), ']},'].join('\n');
}
