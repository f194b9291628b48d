/** Asking an admission webhook. */
import type { JsonObject } from '../objects/json.js';

export interface WebhookCall {
  /** clientConfig of the configuration. */
  readonly client: {
    readonly url?: string | undefined;
    readonly service?:
      | { readonly namespace: string; readonly name: string; readonly path: string; readonly port: number }
      | undefined;
    /** PEM in base64. */
    readonly caBundle?: string | undefined;
  };
  readonly timeoutMillis: number;
  /** An AdmissionReview with its request. */
  readonly review: JsonObject;
}

/** Answers an AdmissionReview with its response; rejects where there is none. */
export type CallWebhook = (call: WebhookCall) => Promise<unknown>;
