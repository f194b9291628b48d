/** Pausing Berth and resuming it from the command line: the annotation on its namespace, written once. */
import { KubeClient, KubeconfigSource, MERGE_PATCH, pathSegment } from '../adapters/kube/transport/index.js';
import { formatPause, PAUSED_ANNOTATION, type Pause } from '../domain/records/pause.js';
import { PortError } from '../ports/port-error.js';
import { systemClock } from '../runtime/time/system-clock.js';
import { apiUser } from './api-user.js';

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

/** Through the Kubernetes API, with the rights of the kubeconfig. */
export async function changePause(change: PauseChange): Promise<Pause | undefined> {
  const { kubeconfig: file, context, namespace, reason, user } = change;
  const clock = systemClock;
  const connection = new KubeconfigSource({ clock, file, context });
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli' });
  try {
    const pause =
      reason === undefined ? undefined : { reason, by: await pausedBy(client, user), since: clock.now() };
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

/** Only shown, and a pause cannot wait: where the API server does not say who asks, it is whom the shell names. */
async function pausedBy(client: KubeClient, user: string): Promise<string> {
  try {
    return await apiUser(client);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return user;
  }
}
