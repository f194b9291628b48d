/** Interruption: what the cloud says of its machines becomes a mark on their claims. */
export { InterruptionController } from './interruption-controller.js';
