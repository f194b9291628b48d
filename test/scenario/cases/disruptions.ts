import type { ScenarioCase } from '../scenario-case.js';
export const DISRUPTIONS: readonly ScenarioCase[] = [];
