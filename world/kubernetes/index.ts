/** A simulated Kubernetes API server: for actors in the same process, and for clients over HTTP. */
export { httpsWebhooks } from './call-webhook.js';
export type { WebhookCall } from './admission/webhook-call.js';
export { ApiError } from './objects/api-error.js';
export type { KubeObject, NewObject } from './objects/kube-object.js';
export { SimulatedApi, type ApiEvent, type SimulatedApiOptions } from './simulated-api.js';
