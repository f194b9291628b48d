/** The story of a pod: where it is or will be, why there, and what would have to change. */
import { counted, usdPerHour } from '../../domain/values/text.js';
import type { IgnoredReason } from '../../domain/pods/demand.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import { splitPrice } from '../../domain/nodes/cost-report.js';
import type { Cluster } from '../cluster/cluster.js';
import { costNode } from '../nodes/cost-nodes.js';
import { stateNodeOfNode, type StateNode } from '../nodes/state-node.js';
import { podStanding, refusals, type PodStanding } from '../nodes/pod-standing.js';
import { launchOptions, nodeRef, nodeText, nodeWhy } from './node-words.js';
import { askedFacts, holdsNode } from './pod-asks.js';
import { poolVerdicts } from './pool-verdicts.js';
import { decisionsAbout, stepsOf } from './steps.js';
import { BLANK_STORY, type Story, type StoryFact, type StoryRef, type StoryStep } from './story.js';
import { durationText } from './words.js';

export function podStory(cluster: Cluster, pod: ObservedPod, now: number): Story {
  const latest = refusals(cluster);
  const standing = podStanding(cluster, pod, (uid) => latest.get(uid));
  const stateNode = stateNodeOf(cluster, standing);
  return {
    ...BLANK_STORY,
    subject: { kind: 'Pod', namespace: pod.namespace, name: pod.name },
    ...told(standing, pod, stateNode, now),
    facts: facts(cluster, pod, stateNode, now),
    steps: steps(cluster, pod, stateNode),
    related: related(stateNode),
  };
}

function stateNodeOf(cluster: Cluster, standing: PodStanding): StateNode | undefined {
  if (standing.state === 'Planned') return standing.stateNode;
  if (standing.state !== 'Bound' && standing.state !== 'Leaving') return undefined;
  return standing.nodeName === undefined ? undefined : stateNodeOfNode(cluster, standing.nodeName);
}

type Told = Pick<Story, 'headline' | 'tone'> & Partial<Pick<Story, 'why' | 'considered' | 'changes'>>;

function told(standing: PodStanding, pod: ObservedPod, stateNode: StateNode | undefined, now: number): Told {
  switch (standing.state) {
    case 'Leaving':
      return { headline: `It is being deleted${onNode(standing.nodeName)}`, tone: 'leaving' };
    case 'Bound':
      return bound(pod, stateNode, now);
    case 'Planned':
      return planned(standing.stateNode);
    case 'Refused': {
      const considered = poolVerdicts(standing.refusal.spec);
      const [first] = considered;
      return {
        headline: `It cannot be placed: ${first?.verdict ?? standing.refusal.spec.reason}`,
        tone: 'bad',
        why: considered.length > 1 ? [`None of ${counted(considered.length, 'NodePool')} can hold it.`] : [],
        considered,
        changes: considered.filter(({ change }) => change !== '').map(changeText),
      };
    }
    case 'Waiting':
      return waiting(pod);
    case 'Ignored':
      return { headline: IGNORED[standing.reason], tone: 'neutral' };
  }
}

function onNode(nodeName: string | undefined): string {
  return nodeName === undefined ? '' : ` from ${nodeName}`;
}

function changeText({ name, change }: { readonly name: string; readonly change: string }): string {
  return name === '' ? change : `${name}: ${change}`;
}

const IGNORED: Readonly<Record<IgnoredReason, string>> = {
  Bound: 'It is bound',
  DaemonSet: 'It is a DaemonSet pod of one node; Berth keeps room for it there',
  Finished: 'It has finished',
  ForeignScheduler: 'It uses another scheduler; Berth does not plan it',
  LowPriority: 'Its priority is below --least-priority; Berth does not plan it',
  Mirror: 'Its kubelet runs it from a file; it is not scheduled',
  Pinned:
    'Its scheduling gate was removed for one node, and the room there is gone; a controller replaces the pod',
  SchedulingGated: 'It has a scheduling gate; Berth plans it once the gate is removed',
  Terminating: 'It is being deleted',
};

function bound(pod: ObservedPod, stateNode: StateNode | undefined, now: number): Told {
  if (stateNode === undefined) return { headline: `It is bound to ${pod.nodeName ?? ''}`, tone: 'neutral' };
  const { claim, phase } = stateNode;
  const where = `It runs on ${stateNode.name}${pod.ready ? '' : ' and is not ready yet'}`;
  return {
    headline: phase === 'Leaving' ? `${where}, which is being terminated` : where,
    tone: phase === 'Leaving' ? 'leaving' : 'good',
    why: nodeWhy(stateNode),
    considered: claim === undefined ? [] : launchOptions(claim),
    changes: movesWhen(pod, stateNode, now),
  };
}

/** What moves a pod that runs: that its node goes. */
function movesWhen(pod: ObservedPod, { claim }: StateNode, now: number): readonly string[] {
  if (claim === undefined) return [];
  const lifetime = claim.spec.expireAfterSeconds;
  const expiresAt = lifetime === undefined ? undefined : claim.createdAt + lifetime * 1000;
  const hold = holdsNode(pod);
  return [
    ...(expiresAt === undefined
      ? []
      : [`Its node expires in ${durationText(expiresAt - now)}, and the pod moves then at the latest.`]),
    ...(hold === undefined
      ? []
      : [`${hold}: the node is not disrupted voluntarily while the pod runs on it.`]),
  ];
}

function planned(stateNode: StateNode): Told {
  const { claim, node } = stateNode;
  const waits = node === undefined || stateNode.phase === 'Starting' || stateNode.phase === 'Launching';
  return {
    headline: waits
      ? `Its node is starting: ${nodeText(stateNode)}`
      : `Room is reserved for it on ${stateNode.name}; kube-scheduler binds it next`,
    tone: 'waiting',
    why: nodeWhy(stateNode),
    considered: claim === undefined ? [] : launchOptions(claim),
  };
}

function waiting({ scheduled }: ObservedPod): Told {
  if (scheduled === undefined)
    return { headline: 'kube-scheduler has not tried to schedule it yet', tone: 'waiting' };
  if (scheduled.reason === 'SchedulerError')
    return {
      headline: 'kube-scheduler failed to schedule it and will retry',
      tone: 'bad',
      why: [scheduled.message],
    };
  return {
    headline: 'kube-scheduler found no room; Berth plans it with the next batch',
    tone: 'waiting',
    why: [scheduled.message].filter((message) => message !== ''),
  };
}

function facts(
  cluster: Cluster,
  pod: ObservedPod,
  stateNode: StateNode | undefined,
  now: number,
): readonly StoryFact[] {
  const cost =
    stateNode === undefined || pod.nodeName === undefined ? undefined : costNode(cluster, stateNode);
  const share = cost === undefined ? undefined : splitPrice(cost).shares.get(podKey(pod));
  return [
    ...(stateNode === undefined ? [] : [{ label: 'Node', value: stateNode.name, ref: nodeRef(stateNode) }]),
    ...askedFacts(pod),
    ...(share === undefined ? [] : [{ label: 'Costs', value: usdPerHour(share) }]),
    { label: 'Age', value: durationText(now - pod.createdAt) },
  ];
}

/** The pod's own Decisions, and those that brought its instance. */
function steps(cluster: Cluster, pod: ObservedPod, stateNode: StateNode | undefined): readonly StoryStep[] {
  const subjects = [{ kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid }];
  const claim = stateNode?.claim;
  const brought = claim === undefined ? [] : [{ kind: 'NodeClaim', namespace: '', ...claim }];
  const created = { time: pod.createdAt, title: 'Created', text: createdText(pod), outcome: '' };
  const conditions = (claim?.status.conditions ?? []).filter(
    ({ type, status }) => status === 'True' && type !== 'Ready',
  );
  return stepsOf(decisionsAbout(cluster, [...subjects, ...brought]), conditions, [created]);
}

function createdText({ owner }: ObservedPod): string {
  return owner === undefined ? '' : `by ${owner.kind} ${owner.name}`;
}

function related(stateNode: StateNode | undefined): Story['related'] {
  if (stateNode === undefined) return [];
  const pool: readonly StoryRef[] =
    stateNode.nodePool === '' ? [] : [{ kind: 'NodePool', namespace: '', name: stateNode.nodePool }];
  return pool.length === 0 ? [] : [{ label: 'NodePool', refs: pool }];
}
