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
  'adapters/notifications': ['ports', 'runtime'],
  'adapters/planner': ['domain', 'planning', 'ports', 'runtime', 'state'],
  'adapters/policies': ['domain', 'apis', 'ports', 'runtime'],
  'clouds/aws/families': ['domain', 'apis', 'ports'],
  'clouds/aws/api': ['domain', 'apis', 'clouds/aws/families'],
  'clouds/aws/catalogue': ['domain', 'catalogue', 'clouds/aws/families'],
  'clouds/aws': ['domain', 'apis', 'ports', 'runtime', 'catalogue'],
  'clouds/kwok': ['domain', 'apis', 'ports', 'runtime', 'catalogue'],
};
for (const room of Object.keys(layers)) if (room.startsWith('clouds/aws/')) layers['clouds/aws'].push(room);
layers.app = Object.keys(layers);

/**
 * The rooms of world/, a package of its own, and which rooms of src/ and of itself each may import. No room of src/ imports them.
 * What plays a cluster and a cloud shares nothing with planning (ADR 6); the demo's script may use what the command line uses.
 *
 * @type {Record<string, string[]>}
 */
export const worldLayers = {
  world: ['domain', 'ports', 'runtime', 'catalogue', 'clouds/aws/catalogue'],
};
worldLayers['world/demo'] = [
  ...Object.keys(worldLayers),
  ...'domain apis planning ports runtime catalogue clouds/aws/catalogue state app'.split(' '),
  'adapters/kube',
];

/**
 * The stages of src/planning and which of the others each may import; all of them may import the files beside the stages
 * (what a plan, its options and its reasons are), which import no stage.
 *
 * @type {Record<string, string[]>}
 */
export const stages = {
  devices: [],
  snapshot: ['devices'],
  optimize: [],
  model: ['devices', 'snapshot'],
  prove: ['snapshot', 'model'],
  offerings: ['model'],
  rules: ['devices', 'snapshot', 'model', 'offerings'],
  explain: ['devices', 'snapshot', 'model', 'rules'],
  pack: ['optimize', 'model', 'offerings', 'rules'],
  finish: ['model', 'offerings', 'rules', 'pack'],
  improve: ['model', 'offerings', 'rules', 'pack', 'finish'],
};
stages.engine = Object.keys(stages);
stages.replicas = ['snapshot', 'engine'];
stages.disrupt = ['snapshot', 'optimize', 'model', 'rules', 'explain', 'pack', 'engine', 'replicas'];
stages.placement = [];
stages.handover = [];

/**
 * The rooms that only decide, each with the packages it may use: no I/O, clock, randomness or waiting.
 *
 * @type {Record<string, string[]>}
 */
export const pureLayers = {
  domain: ['croner'],
  apis: ['yaml', 'zod'],
  planning: ['@marcbachmann/cel-js'],
  'clouds/aws/api': ['zod'],
};
