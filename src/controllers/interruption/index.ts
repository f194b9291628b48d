/** Interruption: what the cloud says of its instances becomes a mark on their claims. */
export { InterruptionController } from './interruption-controller.js';
