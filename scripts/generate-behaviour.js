// Writes docs/reference/karpenter-behaviour.md (`make generate`).
import { writeFileSync } from 'node:fs';
import { behaviourPage } from './behaviour.js';
import { loadSource } from './load-source.js';

const { SUITES } = await loadSource('test/karpenter/behaviour/suites.ts');
const { LIVE_FACTS } = await loadSource('test/live/facts/index.ts');
writeFileSync('docs/reference/karpenter-behaviour.md', behaviourPage(SUITES, LIVE_FACTS));
