/** What a burst is, and what happens to it. */
import { daemonSet, deployment, nodePool, type WorkloadParts } from '../../scenario/objects.js';
import type { Manifest, SeenPod } from '../../scenario/world.js';
import type { BerthCluster, BerthClusterOptions } from '../berth/berth-cluster.js';
import type { RealWorld } from '../berth/real-world.js';
import type { Timeline } from './timeline.js';

/** Where a burst happens. */
export interface Stage {
  readonly berth: BerthCluster;
  readonly world: RealWorld;
  readonly timeline: Timeline;
}

export interface Workload {
  readonly name: string;
  readonly manifests: readonly Manifest[];
  /** How many there are in the end. */
  readonly pods: number;
  /**
   * Whether there is a node that takes none of them, as the one that Berth itself runs on. Without any node kube-scheduler
   * does not wait for one to appear: it tries again later and later, up to every ten seconds.
   */
  readonly besideSystemNode: boolean;
  readonly cluster?: BerthClusterOptions;
  /** As rows name it; that of the cluster unless given. */
  readonly level?: string;
  /** Instead of one without limits. */
  readonly pool?: Manifest;
  /** Before the pods are created. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** While they get their nodes; begins when they are created. */
  readonly during?: (stage: Stage) => Promise<void>;
  /** Which pods are the burst's; all unless given. */
  readonly ours?: (pod: SeenPod) => boolean;
  /** Whether the pod is one of the `pods` that there are in the end; all unless given. */
  readonly isCurrent?: (pod: SeenPod) => boolean;
  /** Until all are bound, after what happens during the burst. */
  readonly withinSeconds?: number;
}

/** 300 pods of one Deployment. */
export const BURST: Workload = {
  name: 'burst-300',
  manifests: [deployment({ name: 'burst', replicas: 300, requests: { cpu: '500m', memory: '1Gi' } })],
  pods: 300,
  besideSystemNode: false,
};

/** As many of six sizes, which fill nodes unevenly. */
export const MIXED: Workload = {
  name: 'mixed-300',
  manifests: [
    ['250m', '512Mi'],
    ['500m', '2Gi'],
    ['900m', '700Mi'],
    ['1300m', '1500Mi'],
    ['2', '6Gi'],
    ['3500m', '3Gi'],
  ].map(([cpu = '', memory = ''], index) =>
    deployment({ name: `mixed-${String(index)}`, replicas: 50, requests: { cpu, memory } }),
  ),
  pods: 300,
  besideSystemNode: true,
};

const TEN_SIZES = [
  ['100m', '256Mi'],
  ['250m', '512Mi'],
  ['250m', '2Gi'],
  ['500m', '1Gi'],
  ['500m', '3Gi'],
  ['900m', '700Mi'],
  ['1', '4Gi'],
  ['1300m', '1500Mi'],
  ['2', '2Gi'],
  ['1900m', '6Gi'],
] as const;

/** Nothing is moved afterwards: what is measured is where pods land. */
export const UNMOVED_POOL = nodePool({
  spec: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' } },
});

/**
 * So many pods of ten sizes, or as many kinds, and a DaemonSet, on instances that boot for up to eight seconds and are Ready up to
 * three later. `podOf` answers further fields of the pods of a kind.
 */
export function tenSizes(
  name: string,
  pods: number,
  { kinds = TEN_SIZES.length, podOf }: { readonly kinds?: number; readonly podOf?: PodOf } = {},
): Workload {
  const replicas = Math.ceil(pods / kinds);
  let booted = 0;
  return {
    name: `${name}-${String(replicas * kinds)}`,
    manifests: [
      daemonSet({ name: 'agent', requests: { cpu: '50m', memory: '64Mi' } }),
      ...Array.from({ length: kinds }, (_, kind) => ofKind(kind, { replicas, pod: podOf?.(kind) ?? {} })),
    ],
    pods: replicas * kinds,
    besideSystemNode: true,
    pool: UNMOVED_POOL,
    cluster: {
      nodeChange: () => ({
        bootMillis: (booted++ * 1700) % 8000,
        readyMillis: 300 + ((booted * 700) % 2500),
      }),
    },
    ours: ({ labels }) => labels['app']?.startsWith('kind-') === true,
  };
}

type PodOf = (kind: number) => Readonly<Record<string, unknown>>;

/** The Deployment of a kind. */
export function ofKind(kind: number, parts: Omit<WorkloadParts, 'name' | 'requests'>): Manifest {
  const [cpu, memory] = TEN_SIZES[kind % TEN_SIZES.length] ?? TEN_SIZES[0];
  return deployment({ name: `kind-${String(kind)}`, requests: { cpu, memory }, ...parts });
}
