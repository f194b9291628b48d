/** Manifests for cluster tests: what is not said is the least that the API server takes. */
import type { Manifest } from '../fixture/api/api-client.js';

export interface PodParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Resource name → quantity; 100m of cpu. */
  readonly requests?: Readonly<Record<string, string>>;
  /** Further fields of the pod's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A pod of one container that ends at once when it is told to. */
export function podManifest({ name = 'web', namespace = 'default', ...parts }: PodParts = {}): Manifest {
  const { labels, annotations } = parts;
  return {
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: podSpec(parts),
  };
}

export interface WorkloadParts extends PodParts {
  /** Further fields of the workload's spec, such as `replicas`. */
  readonly workload?: Readonly<Record<string, unknown>>;
}

/** A Deployment, ReplicaSet, StatefulSet or DaemonSet whose pods bear the label `app: NAME`. */
export function workloadManifest({
  name = 'web',
  namespace = 'default',
  ...parts
}: WorkloadParts = {}): Manifest {
  const labels = { app: name, ...parts.labels };
  return {
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: podSpec(parts) },
      ...parts.workload,
    },
  };
}

/** A Job of one pod, which is not tried again. */
export function jobManifest({ name = 'job', namespace = 'default', ...parts }: WorkloadParts = {}): Manifest {
  return {
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      template: { spec: { ...podSpec(parts), restartPolicy: 'Never' } },
      ...parts.workload,
    },
  };
}

function podSpec({ requests = { cpu: '100m' }, spec }: PodParts): Readonly<Record<string, unknown>> {
  return {
    containers: [{ name: 'c', image: 'x', resources: { requests } }],
    terminationGracePeriodSeconds: 1,
    ...spec,
  };
}
