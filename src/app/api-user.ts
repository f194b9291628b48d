/** Who the API server takes us for. */
import type { KubeClient } from '../adapters/kube/transport/index.js';
import { hasCode, PortError } from '../ports/port-error.js';

/** Of SelfSubjectReview, the oldest last: v1 since Kubernetes 1.28, v1beta1 since 1.27. */
const VERSIONS = ['v1', 'v1beta1'];
const OPERATION = 'read the name of your user';

/** As the API server authenticated us. @throws PortError where it does not say */
export async function apiUser(client: Pick<KubeClient, 'request'>): Promise<string> {
  for (const version of VERSIONS) {
    const name = await reviewedName(client, version);
    if (name !== undefined) return name;
  }
  const message = 'the API server does not say who you are: it has no SelfSubjectReview (Kubernetes 1.27)';
  throw new PortError('Invalid', { operation: OPERATION, message });
}

/** undefined: the API server does not have this version. */
async function reviewedName(
  client: Pick<KubeClient, 'request'>,
  version: string,
): Promise<string | undefined> {
  const group = `authentication.k8s.io/${version}`;
  const path = `/apis/${group}/selfsubjectreviews`;
  const body = { apiVersion: group, kind: 'SelfSubjectReview' };
  try {
    const answer = await client.request({ method: 'POST', path, body, operation: OPERATION });
    return nameIn(answer);
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}

function nameIn(answer: unknown): string {
  const { status } = (answer ?? {}) as {
    readonly status?: { readonly userInfo?: { readonly username?: unknown } };
  };
  const name = status?.userInfo?.username;
  if (typeof name === 'string' && name !== '') return name;
  throw new PortError('Invalid', { operation: OPERATION, message: 'the answer has no name of a user' });
}
