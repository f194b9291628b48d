/** Reading policy ConfigMaps in a thread of its own. */
export { isPolicyWorker, startPolicyWorker } from './policy-worker.js';
export { ThreadPolicyReader } from './thread-policy-reader.js';
