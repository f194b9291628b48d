import type { ScenarioCase } from '../scenario-case.js';
export const BAD_INPUT: readonly ScenarioCase[] = [];
