/** What node classes mean in the account: `AwsDiscovery` resolves them, `imageFor` chooses an instance's image. */
export { AwsDiscovery } from './aws-discovery.js';
export { imageFor, type InstanceKind } from './choose-images.js';
export type { Resolution } from './resolution.js';
