// Writes docs/reference/features.md (`make generate`).
import { readFileSync, writeFileSync } from 'node:fs';
import { featuresPage } from './features.js';

const sections = JSON.parse(readFileSync('test/karpenter/features.json', 'utf8'));
writeFileSync('docs/reference/features.md', featuresPage(sections));
