/** What a stand-in node is and how it fares, and the object it registers with. */
import type { Condition } from '../../../world/cluster/objects.js';
import type { Manifest } from '../fixture/api/api-client.js';
import type { Taint } from '../fixture/api/kube-object.js';

/** The taint of a node that Berth launched and has not recognised yet (Karpenter's, DESIGN: level L0). */
export const UNREGISTERED_TAINT: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

/** Resource name → quantity. */
export type Quantities = Readonly<Record<string, string>>;

export interface StandInNodeOptions {
  readonly name: string;
  /** Beside the hostname, operating system (linux) and architecture (amd64), which may be overridden. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** As kubelet's --register-with-taints. */
  readonly taints?: readonly Taint[];
  /** 4 CPUs, 16Gi, 100Gi of ephemeral storage, 110 pods; what is given is put over that. */
  readonly capacity?: Quantities;
  /** The capacity unless given; what is given is put over it. */
  readonly allocatable?: Quantities;
  readonly providerID?: string;
  /** Features the kubelet declares (status.declaredFeatures, Kubernetes 1.35 and newer). */
  readonly declaredFeatures?: readonly string[];
  /** From being added until it registers; 0. */
  readonly bootMillis?: number;
  /** From registering until it is Ready; 0. */
  readonly readyMillis?: number;
  /** `never-registers`: the instance runs, no Node appears. `never-ready`: it registers and stays NotReady. */
  readonly failure?: 'never-registers' | 'never-ready';
}

export interface NodeIdentity {
  readonly internalIP: string;
  readonly kubeletVersion: string;
}

export type Conditions = readonly Condition[];

const PLAIN_CAPACITY: Quantities = { cpu: '4', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/** The Node that a kubelet creates when it starts. */
export function nodeManifest(
  options: StandInNodeOptions,
  identity: NodeIdentity,
  conditions: Conditions,
): Manifest {
  const { name, labels, annotations, taints, providerID } = options;
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...labels,
      },
      ...(annotations && { annotations }),
    },
    spec: { ...(taints && { taints }), ...(providerID !== undefined && { providerID }) },
    status: { ...nodeStatus(options, identity), conditions },
  };
}

/** What the node has, where it is and what it runs. */
function nodeStatus(options: StandInNodeOptions, identity: NodeIdentity): Record<string, unknown> {
  const capacity = { ...PLAIN_CAPACITY, ...options.capacity };
  const architecture = options.labels?.['kubernetes.io/arch'] ?? 'amd64';
  return {
    capacity,
    allocatable: { ...capacity, ...options.allocatable },
    addresses: [
      { type: 'InternalIP', address: identity.internalIP },
      { type: 'Hostname', address: options.name },
    ],
    nodeInfo: {
      architecture,
      bootID: options.name,
      containerRuntimeVersion: 'none://0',
      kernelVersion: '0',
      kubeProxyVersion: '',
      kubeletVersion: identity.kubeletVersion,
      machineID: options.name,
      operatingSystem: 'linux',
      osImage: 'stand-in',
      systemUUID: options.name,
    },
    ...(options.declaredFeatures && { declaredFeatures: options.declaredFeatures }),
  };
}
