/** The kubeconfig that kubectl and Berth reach the embedded world with. */
import { stringify } from 'yaml';

const NAME = 'berth-demo';

/** `server` is plain HTTP on loopback: nobody else can reach it, and it asks nobody who they are. */
export function kubeconfigText(server: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster: { server } }],
    users: [{ name: NAME, user: {} }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
    'current-context': NAME,
  });
}
