/** Reasons written down. */
export { RecordingController } from './recording-controller.js';
