/** All that Berth writes to the Kubernetes API, put together from one file per noun. */
import type { CertificateStore } from '../../../ports/certificate-store.js';
import type { KubeWriter, NodeCreator } from '../../../ports/kube-writer.js';
import type { LeaseStore } from '../../../ports/lease-store.js';
import type { ApiClient } from './api-object.js';
import { certificateStore } from './certificate-store.js';
import { decisionWriter } from './decision-writer.js';
import { eventWriter } from './event-writer.js';
import { leaseStore } from './lease-store.js';
import { nodeClaimWriter } from './node-claim-writer.js';
import { nodeWriter } from './node-writer.js';
import { podWriter } from './pod-writer.js';
import { policyStatusWriter } from './policy-status-writer.js';
import { reservationWriter } from './reservation-writer.js';

export interface KubeWriterOptions {
  readonly client: ApiClient;
  /** Berth's own: of its Lease and its certificates. */
  readonly namespace: string;
  /** Which replica Events come from: the pod's name. */
  readonly reportingInstance: string;
  /** Called right before each request is sent, after it has waited for its turn: throws where it must not be sent any more. */
  readonly permit?: (() => void) | undefined;
}

/** Every request has the client's time-out. */
export function kubeWriter(
  options: KubeWriterOptions,
): KubeWriter & NodeCreator & LeaseStore & CertificateStore {
  const { namespace, reportingInstance, permit } = options;
  const client = permit === undefined ? options.client : permitted(options.client, permit);
  return {
    ...nodeClaimWriter(client),
    ...reservationWriter(client),
    ...nodeWriter(client),
    ...podWriter(client),
    ...policyStatusWriter(client),
    ...decisionWriter(client),
    ...eventWriter(client, reportingInstance),
    ...leaseStore(client, namespace),
    ...certificateStore(client, namespace),
  };
}

function permitted(client: ApiClient, permit: () => void): ApiClient {
  return { request: (request) => client.request({ ...request, permit }) };
}
