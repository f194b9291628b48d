// Writes src/clouds/aws/catalogue/embedded/instance-types.generated.ts from the tables in scripts/catalogue-facts/ (`make generate`).
import { writeFileSync } from 'node:fs';
import { loadSource } from './load-source.js';

const { generatedSource } = await loadSource('scripts/catalogue-facts/generated-source.ts');
writeFileSync('src/clouds/aws/catalogue/embedded/instance-types.generated.ts', generatedSource());
