/** How Berth is started beside the embedded world. */
import type { DemoAddresses } from './embedded/demo-addresses.js';
import { CLUSTER_NAME, QUEUE_NAME, REGION } from './embedded/embedded-region.js';

export interface BerthArgumentsOptions {
  readonly addresses: DemoAddresses;
  readonly kubeconfig: string;
  readonly awsURL: string;
}

export function berthArguments({ addresses, kubeconfig, awsURL }: BerthArgumentsOptions): readonly string[] {
  const at = (name: keyof DemoAddresses): string => `${addresses[name].host}:${String(addresses[name].port)}`;
  const options: Readonly<Record<string, string>> = {
    kubeconfig,
    cloud: 'aws',
    'aws-endpoint': awsURL,
    region: REGION,
    'cluster-name': CLUSTER_NAME,
    'interruption-queue': QUEUE_NAME,
    'webhook-address': at('webhooks'),
    'extender-address': at('extender'),
    'metrics-address': at('metrics'),
    'health-address': at('health'),
    'dashboard-address': at('dashboard'),
    'virtual-time': at('time'),
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}
