/**
 * The rooms of src/ and which of the others each may import: the dependency DAG of docs/architecture.md.
 * ESLint enforces it, tests read it. A room may always import itself.
 *
 * @type {Record<string, string[]>}
 */
export const layers = {
  domain: [],
  apis: ['domain'],
  planning: ['domain', 'apis'],
  ports: ['domain', 'planning'],
  runtime: ['ports'],
  catalogue: ['domain'],
  state: ['domain', 'planning', 'ports'],
  controllers: ['domain', 'apis', 'planning', 'ports', 'runtime', 'state', 'catalogue'],
  servers: ['domain', 'apis', 'planning', 'ports', 'runtime', 'state', 'catalogue'],
  'adapters/kube': ['domain', 'apis', 'ports', 'runtime'],
  'adapters/aws': ['domain', 'apis', 'ports', 'runtime', 'catalogue'],
  'adapters/planner': ['domain', 'planning', 'ports', 'runtime'],
  'adapters/policies': ['domain', 'apis', 'ports', 'runtime'],
  simulator: ['domain', 'ports', 'runtime', 'catalogue'],
};
layers.app = Object.keys(layers);

/**
 * The rooms that only decide, each with the packages it may use: no I/O, clock, randomness or waiting.
 *
 * @type {Record<string, string[]>}
 */
export const pureLayers = { domain: ['croner'], apis: ['yaml', 'zod'], planning: [] };
