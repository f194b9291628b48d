/** Pausing Berth and resuming it from the command line: the annotation on its namespace, written once. */
import { KubeClient, KubeconfigSource, MERGE_PATCH, pathSegment } from '../adapters/kube/transport/index.js';
import { formatPause, PAUSED_ANNOTATION, type Pause } from '../domain/records/pause.js';
import { systemClock } from '../runtime/time/system-clock.js';

export interface PauseChange {
  /** undefined: kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Berth's own. */
  readonly namespace: string;
  /** undefined ends the pause. */
  readonly reason: string | undefined;
  /** Who asks, where the API server does not say. */
  readonly user: string;
}

/** Answers the pause that was written; undefined when it was ended. @throws PortError */
export type ChangePause = (change: PauseChange) => Promise<Pause | undefined>;

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Through the Kubernetes API, with the rights of the kubeconfig. */
export async function changePause(change: PauseChange): Promise<Pause | undefined> {
  const { kubeconfig: file, context, namespace, reason, user } = change;
  const clock = systemClock;
  const connection = new KubeconfigSource({ clock, file, context });
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli' });
  try {
    const pause =
      reason === undefined ? undefined : { reason, by: (await nameOf(client)) ?? user, since: clock.now() };
    await client.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${pathSegment(namespace)}`,
      contentType: MERGE_PATCH,
      body: { metadata: { annotations: { [PAUSED_ANNOTATION]: pause ? formatPause(pause) : null } } },
      operation: `annotate namespaces/${namespace}`,
    });
    return pause;
  } finally {
    client.close();
  }
}

/** As the API server knows us (Kubernetes 1.28: SelfSubjectReview); undefined where it does not say. */
async function nameOf(client: KubeClient): Promise<string | undefined> {
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
