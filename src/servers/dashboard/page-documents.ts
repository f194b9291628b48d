/** The dashboard's documents of nodes, pods and Decisions: small JSON, made from the cluster state. */
import { describeOutcome, type Decision } from '../../domain/records/decision.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import { CPU, MEMORY, type ResourceList } from '../../domain/values/resources.js';
import { dominantShare } from '../../domain/nodes/cost-report.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { driftOf, heldOn, stateNodeOfNode, type StateNode } from '../../state/nodes/state-node.js';
import { podStanding, type PodStanding } from '../../state/nodes/pod-standing.js';
import { poolVerdicts } from '../../state/story/pool-verdicts.js';

/** A box of the page. */
export interface BoxDocument {
  /** `NodeClaim/<name>` of what Berth launched, from the order to the end; `Node/<name>` of other nodes. */
  readonly id: string;
  readonly name: string;
  readonly node: string | undefined;
  readonly claim: string | undefined;
  readonly pool: string;
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  /** USD/h. */
  readonly price: number | undefined;
  readonly phase: StateNode['phase'];
  /** Why it goes; undefined while it stays. */
  readonly disruption: string | undefined;
  /** The message of the claim's condition Drifted while that is True; its reason where there is none. */
  readonly drifted: string | undefined;
  /** `spec.unschedulable` of the node (`kubectl cordon`). */
  readonly cordoned: boolean;
  /** Allocatable millicores and bytes. */
  readonly cpu: number;
  readonly memory: number;
  /** Room kept for pods that are not shown on it: how many, and their part of the instance (0 to 1). */
  readonly held: { readonly pods: number; readonly share: number };
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A tile of the page, or a line of its list of pending pods. */
export interface PodDocument {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly state: PodStanding['state'];
  /** The node it is bound to. */
  readonly node: string | undefined;
  /** The instance that holds room for it. */
  readonly planned: { readonly kind: 'Node' | 'NodeClaim'; readonly name: string } | undefined;
  readonly daemon: boolean;
  readonly owner: string | undefined;
  /** Its dominant share of its instance, 0 to 1. */
  readonly share: number;
  readonly cpu: number;
  readonly memory: number;
  readonly reason: string | undefined;
  /** Why it has no place, in a sentence. */
  readonly message: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface DecisionDocument {
  readonly name: string;
  readonly time: number;
  readonly action: string;
  readonly reason: string;
  readonly kind: string;
  readonly namespace: string;
  readonly subject: string;
  readonly message: string;
  readonly saving: number | undefined;
  readonly outcome: string;
}

export function boxID({ node, claim }: Pick<StateNode, 'node' | 'claim'>): string {
  return claim === undefined ? `Node/${node?.name ?? ''}` : `NodeClaim/${claim.name}`;
}

export function boxDocument(cluster: Cluster, stateNode: StateNode): BoxDocument {
  const { name, node, claim, nodePool: pool, instanceType: type, allocatable, phase } = stateNode;
  const { zone, capacityType, hourlyPrice: price, createdAt } = stateNode;
  return {
    ...{ id: boxID(stateNode), name, node: node?.name, claim: claim?.name },
    ...{ pool, type, zone, capacityType, price, phase, createdAt },
    disruption: claim?.status.disruption?.reason,
    drifted: driftOf(stateNode),
    cordoned: node?.unschedulable === true,
    cpu: allocatable.get(CPU) ?? 0,
    memory: allocatable.get(MEMORY) ?? 0,
    held: held(cluster, stateNode),
  };
}

/** Room for pods of owners, and for pods that still run elsewhere. */
function held(cluster: Cluster, stateNode: StateNode): BoxDocument['held'] {
  let pods = 0;
  let share = 0;
  for (const { podUID, count, requests } of heldOn(cluster, stateNode)) {
    const pod = podUID === undefined ? undefined : cluster.podByUID(podUID);
    const isShown =
      pod !== undefined && (pod.nodeName === undefined || pod.nodeName === stateNode.node?.name);
    if (isShown || (podUID !== undefined && pod === undefined)) continue;
    pods += count;
    share += count * dominantShare(requests, stateNode.allocatable);
  }
  return { pods, share };
}

/** undefined for pods that have finished: they hold no room. */
export function podDocument(
  cluster: Cluster,
  pod: ObservedPod,
  refusalOf: (uid: string) => Decision | undefined,
): PodDocument | undefined {
  const standing = podStanding(cluster, pod, refusalOf);
  if (standing.state === 'Ignored' && standing.reason === 'Finished') return undefined;
  const { requests } = pod.spec;
  return {
    key: podKey(pod),
    namespace: pod.namespace,
    state: standing.state,
    node: pod.nodeName,
    planned: standing.state === 'Planned' ? targetOf(standing.stateNode) : undefined,
    daemon: pod.owner?.kind === 'DaemonSet',
    owner: pod.owner && `${pod.owner.kind} ${pod.owner.name}`,
    share: dominantShare(requests, allocatableFor(cluster, pod, standing)),
    cpu: requests.get(CPU) ?? 0,
    memory: requests.get(MEMORY) ?? 0,
    ...whyPending(pod, standing),
    createdAt: pod.createdAt,
  };
}

function targetOf({ node, claim, name }: StateNode): PodDocument['planned'] {
  return claim === undefined
    ? { kind: 'Node', name: node?.name ?? name }
    : { kind: 'NodeClaim', name: claim.name };
}

const NOTHING: ResourceList = new Map();

function allocatableFor(cluster: Cluster, { nodeName }: ObservedPod, standing: PodStanding): ResourceList {
  if (standing.state === 'Planned') return standing.stateNode.allocatable;
  return (nodeName === undefined ? undefined : stateNodeOfNode(cluster, nodeName)?.allocatable) ?? NOTHING;
}

function whyPending(
  { scheduled }: ObservedPod,
  standing: PodStanding,
): Pick<PodDocument, 'reason' | 'message'> {
  if (standing.state === 'Refused') {
    const { spec } = standing.refusal;
    const [first] = poolVerdicts(spec);
    const where = first === undefined || first.name === '' ? '' : `${first.name}: `;
    return { reason: spec.reason, message: `${where}${first?.verdict ?? spec.message}` };
  }
  if (standing.state === 'Waiting') return { reason: scheduled?.reason, message: undefined };
  if (standing.state === 'Ignored') return { reason: standing.reason, message: undefined };
  return { reason: undefined, message: undefined };
}

export function decisionDocument(decision: Decision): DecisionDocument {
  const { name, spec } = decision;
  const outcome = describeOutcome(decision);
  const { time, action, reason, message, saving, subject } = spec;
  const { kind, namespace, name: about } = subject;
  return { ...{ name, time, action, reason, kind, namespace }, subject: about, message, saving, outcome };
}
