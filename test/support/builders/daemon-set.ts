/** DaemonSets for tests. */
import type { DaemonSet } from '../../../src/domain/pods/daemon-set.js';
import { podSpec, type PodSpecOverrides } from './pod.js';

/** `kube-system/agent`, 100m CPU and 128Mi, tolerating nothing unless said. */
export function daemonSet(overrides: PodSpecOverrides & { readonly name?: string } = {}): DaemonSet {
  const { name = 'agent', ...spec } = overrides;
  const namespace = spec.namespace ?? 'kube-system';
  return { namespace, name, spec: podSpec({ ...spec, namespace }) };
}
