/** The kubeconfig that kubectl and Berth reach the embedded world with. */
import { stringify } from 'yaml';

const NAME = 'berth-demo';

/** `server` is plain HTTP on loopback: no other host can reach it, and it authenticates no client. */
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
