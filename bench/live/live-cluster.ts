/** A real control plane whose nodes and pods are played by KWOK. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane, type ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import { NODES } from '../../test/controlplane/fixture/api/kube-object.js';
import { freePorts } from '../../test/controlplane/fixture/process/free-port.js';

/** Nodes become Ready and keep a Lease; pods run at once, and end at once when they are deleted. */
const STAGES = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
];

/** The user that Karpenter speaks as. */
export const KARPENTER_USER = 'karpenter';

/** Paths of what build.sh has built, and of the modules that it was built from. */
export interface Builds {
  readonly karpenter: string;
  readonly karpenterModule: string;
  readonly kwok: string;
  readonly kwokModule: string;
}

/** Builds what is missing. @throws Error when it cannot be built. */
export function builds(): Builds {
  const out = execFileSync(join(import.meta.dirname, 'build.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [karpenter = '', karpenterModule = '', kwok = '', kwokModule = ''] = out.trim().split('\n');
  return { karpenter, karpenterModule, kwok, kwokModule };
}

export async function startLiveCluster({ kwok, kwokModule }: Builds): Promise<ControlPlane> {
  const cluster = await startControlPlane({ audit: true, users: { [KARPENTER_USER]: ['system:masters'] } });
  const stages = join(cluster.folder, 'stages.yaml');
  const texts = STAGES.map((stage) => readFileSync(join(kwokModule, 'kustomize/stage', stage), 'utf8'));
  writeFileSync(stages, texts.join('\n---\n'));
  const [port = 0] = await freePorts(1);
  cluster.startProgram({
    name: 'kwok',
    command: kwok,
    arguments: [
      ...['--kubeconfig', cluster.kubeconfig(), '--manage-all-nodes=true', '--config', stages],
      ...[`--server-address=127.0.0.1:${String(port)}`, '--node-ip=127.0.0.1'],
      '--node-lease-duration-seconds=40',
    ],
  });
  await cluster.api.create(NODES, SYSTEM_NODE);
  return cluster;
}

/** Where the system itself would run. Without any node kube-scheduler tries pods again later and later. */
export const SYSTEM_NODE = {
  metadata: { name: 'system', labels: { 'kubernetes.io/hostname': 'system' } },
  spec: { taints: [{ key: 'CriticalAddonsOnly', effect: 'NoSchedule' }] },
  status: {
    allocatable: { cpu: '2', memory: '4Gi', pods: '20' },
    capacity: { cpu: '2', memory: '4Gi', pods: '20' },
  },
};
