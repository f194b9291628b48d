// Writes the tables of docs/compatibility.md (`make generate`).
import { readFileSync, writeFileSync } from 'node:fs';
import { compatibilityTables, MARK } from './compatibility.js';
import { loadSource } from './load-source.js';

const PAGE = 'docs/compatibility.md';
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const source = await loadSource('src/app/service/options/karpenter-settings.ts');
const tables = compatibilityTables({
  names: json('test/karpenter/names.json'),
  metrics: json('test/karpenter/metrics.json'),
  answers: json('scripts/compatibility/names.json'),
  absentMetrics: json('scripts/compatibility/metrics.json'),
  settings: source.KARPENTER_SETTINGS,
  gates: source.KARPENTER_GATES,
  cloudGates: source.KARPENTER_CLOUD_GATES,
});
const [head] = readFileSync(PAGE, 'utf8').split(MARK);
writeFileSync(PAGE, `${head.trimEnd()}\n\n${tables}`);
