/** A check of a cloud account by `berth doctor`, and what it may ask about the cluster. */
import type { NodeClass } from '../domain/policies/node-class.js';
import type { Check } from './check.js';

/** What a check of the account may ask about the cluster; each is read when it is asked for. @throws PortError, from each. */
export interface AccountSubject {
  nodeClasses(): Promise<readonly NodeClass[]>;
  /** Its data; undefined: there is none. */
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** undefined: the API server calls no pod of the cluster. */
  webhook(): Promise<WebhookPlace | undefined>;
}

/** Where the API server reaches Berth's webhook. */
export interface WebhookPlace {
  readonly port: number;
  /** Of the pods; each once. */
  readonly nodes: readonly { readonly name: string; readonly providerID: string }[];
}

export interface AccountCheck extends Check<AccountSubject> {
  /** Whether the others need not be tried when it fails. */
  readonly isGate?: true;
}
