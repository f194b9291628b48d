/** Who the API server takes us for. */
import type { KubeClient } from '../adapters/kube/transport/index.js';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** As the API server knows us (Kubernetes 1.28: SelfSubjectReview); undefined where it does not say. */
export async function apiUser(client: Pick<KubeClient, 'request'>): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const answer = (await client.request({ method: 'POST', path: REVIEWS, body })) as {
      readonly status?: { readonly userInfo?: { readonly username?: unknown } };
    };
    const name = answer.status?.userInfo?.username;
    return typeof name === 'string' && name !== '' ? name : undefined;
  } catch {
    return undefined;
  }
}
