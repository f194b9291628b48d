/** The story of an instance, as node or as claim: what it is, its pods, why it exists and what would end it. */
import { counted, usdPerHour } from '../../domain/values/text.js';
import type { Decision } from '../../domain/records/decision.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { CPU, MEMORY, addResources, NO_RESOURCES } from '../../domain/values/resources.js';
import { formatTaint } from '../../domain/values/taint.js';
import { splitPrice } from '../../domain/nodes/cost-report.js';
import type { Cluster } from '../cluster/cluster.js';
import { costNode } from '../nodes/cost-nodes.js';
import { awaitedOn, driftOf, podsOn, type StateNode } from '../nodes/state-node.js';
import { launchOptions, nodeText, nodeWhy } from './node-words.js';
import { holdsNode } from './pod-asks.js';
import { decisionsAbout, decisionsNaming, othersStep, stepsOf, type Subject } from './steps.js';
import { BLANK_STORY, type Story, type StoryFact, type StoryRef } from './story.js';
import { durationText, usedText } from './words.js';

/** `kind` says which of its two names it was asked by. */
export function nodeStory(
  cluster: Cluster,
  stateNode: StateNode,
  kind: 'Node' | 'NodeClaim',
  now: number,
): Story {
  const { claim, node } = stateNode;
  const name = (kind === 'Node' ? node?.name : claim?.name) ?? stateNode.name;
  const about = decisionsAbout(cluster, subjects(stateNode));
  const stays = stayingFor(stateNode, about);
  return {
    ...BLANK_STORY,
    subject: { kind, namespace: '', name },
    ...standing(stateNode),
    facts: facts(cluster, stateNode, now),
    why: [
      ...nodeWhy(stateNode),
      ...driftWhy(stateNode),
      ...(stays === undefined ? [] : [`It stays: ${stays.verdict}.`]),
    ],
    considered: claim === undefined ? [] : launchOptions(claim),
    changes: [...changes(cluster, stateNode, now), ...(stays === undefined ? [] : stays.changes)],
    steps: stepsOf(about, claim?.status.conditions ?? [], [
      ...created(stateNode),
      ...(claim === undefined ? [] : decisionsNaming(cluster, [claimSubject(claim)]).map(othersStep)),
    ]),
    related: related(cluster, stateNode, kind),
  };
}

function standing(stateNode: StateNode): Pick<Story, 'headline' | 'tone'> {
  const what = nodeText(stateNode);
  const disruption = stateNode.claim?.status.disruption;
  switch (stateNode.phase) {
    case 'Launching':
      return { headline: 'Its instance is being launched', tone: 'waiting' };
    case 'Starting':
      return { headline: `It is starting: ${what}`, tone: 'waiting' };
    case 'Ready':
      return { headline: `It is ready: ${what}`, tone: 'good' };
    case 'NotReady':
      return { headline: `Its node is not Ready: ${what}`, tone: 'bad' };
    case 'Leaving': {
      const reason = disruption === undefined ? '' : `: ${disruption.reason}`;
      return { headline: `It is being terminated${reason}`, tone: 'leaving' };
    }
  }
}

function facts(cluster: Cluster, stateNode: StateNode, now: number): readonly StoryFact[] {
  const { allocatable, nodePool, instanceType, zone, capacityType, hourlyPrice, node } = stateNode;
  const pods = podsOn(cluster, stateNode);
  const used = pods.map(({ spec }) => spec.requests).reduce(addResources, NO_RESOURCES);
  const cost = costNode(cluster, stateNode);
  const resources = [CPU, MEMORY, ...[...allocatable.keys()].filter(isDevice)];
  return [
    ...(nodePool === '' ? [] : [{ label: 'NodePool', value: nodePool, ref: poolRef(nodePool) }]),
    ...fact('Type', instanceType),
    ...fact('Capacity', capacityType),
    ...fact('Zone', zone),
    ...fact('Price', hourlyPrice === undefined ? '' : usdPerHour(hourlyPrice)),
    ...fact('Idle', cost === undefined ? '' : usdPerHour(splitPrice(cost).idle)),
    { label: 'Pods', value: String(pods.length) },
    ...resources.map((resource) => ({
      label: resource === CPU ? 'CPU' : resource === MEMORY ? 'Memory' : resource,
      value: usedText(resource, used.get(resource) ?? 0, allocatable.get(resource) ?? 0),
    })),
    ...fact('Drifted', driftOf(stateNode) ?? ''),
    ...fact('Cordoned', node?.unschedulable === true ? 'yes' : ''),
    ...fact('Taints', node?.taints.map(formatTaint).join(', ') ?? ''),
    { label: 'Age', value: durationText(now - stateNode.createdAt) },
  ];
}

function fact(label: string, value: string): readonly StoryFact[] {
  return value === '' ? [] : [{ label, value }];
}

/** GPUs and the like: resources with a domain in their name. */
function isDevice(resource: string): boolean {
  return resource.includes('/');
}

function poolRef(name: string): StoryRef {
  return { kind: 'NodePool', namespace: '', name };
}

/** What would end it, and what keeps it from being ended voluntarily. */
function changes(cluster: Cluster, stateNode: StateNode, now: number): readonly string[] {
  const { claim, node, phase } = stateNode;
  if (claim === undefined) return ['Berth did not launch it and never disrupts it.'];
  if (phase === 'Leaving') return [];
  const lifetime = claim.spec.expireAfterSeconds;
  const left = lifetime === undefined ? undefined : claim.createdAt + lifetime * 1000 - now;
  const own = node === undefined ? undefined : holdsNode(node);
  const holding = podsOn(cluster, stateNode).filter((pod) => holdsNode(pod) !== undefined);
  const [first] = holding;
  const more = holding.length > 1 ? ` and ${String(holding.length - 1)} more` : '';
  return [
    left === undefined ? 'It never expires.' : `It expires in ${durationText(left)}.`,
    ...(own === undefined ? [] : [`Its annotation ${own} keeps it from voluntary disruption.`]),
    ...(first === undefined
      ? []
      : [
          `karpenter.sh/do-not-disrupt on ${first.namespace}/${first.name}${more} keeps it from voluntary disruption.`,
        ]),
  ];
}

/** What of its policies or of the cloud it differs from, with the fields that changed. */
function driftWhy({ claim }: StateNode): readonly string[] {
  const drift = claim?.status.conditions.find(({ type, status }) => type === 'Drifted' && status === 'True');
  return drift === undefined ? [] : [`It has drifted (${drift.reason}): ${drift.message}.`];
}

/** Why it was last left alone although there was a reason to take it away; undefined when there was none since. */
function stayingFor(
  { phase }: StateNode,
  about: readonly Decision[],
): { readonly verdict: string; readonly changes: readonly string[] } | undefined {
  const last = about.findLast(({ spec }) => spec.action === 'Refuse' || spec.action === 'Disrupt');
  if (phase === 'Leaving' || last?.spec.action !== 'Refuse') return undefined;
  const [verdict = '', ...rest] = last.spec.message.split('; ');
  return { verdict, changes: rest.length === 0 ? [] : [`To allow its disruption: ${rest.join('; ')}.`] };
}

function subjects({ claim, node }: StateNode): readonly Subject[] {
  return [
    ...(claim === undefined ? [] : [claimSubject(claim)]),
    ...(node === undefined ? [] : [{ kind: 'Node', namespace: '', name: node.name, uid: node.uid }]),
  ];
}

function claimSubject({ name, uid }: NodeClaim): Subject {
  return { kind: 'NodeClaim', namespace: '', name, uid };
}

function created({ claim, node }: StateNode): Story['steps'] {
  const events = [
    { object: claim, title: 'NodeClaim created' },
    { object: node, title: 'Node registered' },
  ];
  return events.flatMap(({ object, title }) =>
    object === undefined ? [] : [{ time: object.createdAt, title, text: object.name, outcome: '' }],
  );
}

function related(cluster: Cluster, stateNode: StateNode, kind: 'Node' | 'NodeClaim'): Story['related'] {
  const { claim, node } = stateNode;
  const other: StoryRef | undefined =
    kind === 'Node'
      ? claim && { kind: 'NodeClaim', namespace: '', name: claim.name }
      : node && { kind: 'Node', namespace: '', name: node.name };
  const refs = (pods: ReturnType<typeof podsOn>): readonly StoryRef[] =>
    pods.map(({ namespace, name }) => ({ kind: 'Pod', namespace, name }));
  const [pods, awaited] = [podsOn(cluster, stateNode), awaitedOn(cluster, stateNode)];
  return [
    ...(other === undefined ? [] : [{ label: other.kind, refs: [other] }]),
    ...(awaited.length === 0
      ? []
      : [{ label: `${counted(awaited.length, 'pod')} expected`, refs: refs(awaited) }]),
    ...(pods.length === 0 ? [] : [{ label: counted(pods.length, 'pod'), refs: refs(pods) }]),
  ];
}
