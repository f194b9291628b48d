/** All scenarios that every world runs. */
export { BAD_INPUT } from './cases/bad-input.js';
export { DISRUPTIONS } from './cases/disruptions.js';
export { EXAMPLES } from './cases/examples.js';
export type { ScenarioCase } from './scenario-case.js';
