/** Finds an object and tells its story; of things that are gone, what their Decisions still know. */
import {
  COMMON_POLICY_KINDS,
  isPolicyKind,
  type PolicyKind,
  policyStatusName,
} from '../../domain/policies/policy.js';
import type { Cluster } from '../cluster/cluster.js';
import { stateNodeOfClaim, stateNodeOfNode } from '../nodes/state-node.js';
import { nodeStory } from './node-story.js';
import { podStory } from './pod-story.js';
import { policyStory } from './policy-story.js';
import { decisionsAbout, decisionsNaming, othersStep, stepsOf, type Subject } from './steps.js';
import {
  BLANK_STORY,
  type Story,
  type StoryFact,
  type StoryKind,
  storyKind,
  type StoryOption,
  type StoryRef,
} from './story.js';
import { usdPerHour } from '../../domain/values/text.js';
import { describeOutcome, isProposal, phaseOf, type Decision } from '../../domain/records/decision.js';
import { poolVerdicts } from './pool-verdicts.js';
import { durationText } from './words.js';

/** undefined when there is no such object and nothing was ever decided about it. `now` in milliseconds since 1970. */
export function tellStory(cluster: Cluster, ref: StoryRef, now: number): Story | undefined {
  const { kind } = ref;
  const told = isPolicyKind(kind) ? policyOf(cluster, kind, ref.name) : TELLERS[kind](cluster, ref, now);
  return told ?? pastStory(cluster, ref);
}

type Teller = (cluster: Cluster, ref: StoryRef, now: number) => Story | undefined;

const TELLERS: Readonly<Record<Exclude<StoryKind, PolicyKind>, Teller>> = {
  Pod: (cluster, { namespace, name }, now) => {
    const pod = cluster.pods.get(`${namespace}/${name}`);
    return pod && podStory(cluster, pod, now);
  },
  Node: (cluster, { name }, now) => {
    const stateNode = stateNodeOfNode(cluster, name);
    return stateNode && nodeStory(cluster, stateNode, 'Node', now);
  },
  NodeClaim: (cluster, { name }, now) => {
    const stateNode = stateNodeOfClaim(cluster, name);
    return stateNode && nodeStory(cluster, stateNode, 'NodeClaim', now);
  },
  Decision: (cluster, { name }, now) => {
    const decision = cluster.decisions.get(name);
    return decision && decisionStory(cluster, decision, now);
  },
};

function policyOf(cluster: Cluster, kind: PolicyKind, name: string): Story | undefined {
  const status = cluster.policyStatuses.get(policyStatusName(kind, name));
  return status && policyStory(cluster, status);
}

function pastStory(cluster: Cluster, { kind, namespace, name }: StoryRef): Story | undefined {
  const own: Subject = { kind, namespace, name, uid: undefined };
  const others = otherNames(cluster, own);
  const subjects = [own, ...others.map(subjectOf)];
  // Where the name was that of several instances, each step says whose it is.
  const about = decisionsAbout(cluster, others.length > 1 ? [own] : subjects);
  const foreign = new Set([...decisionsAbout(cluster, subjects), ...decisionsNaming(cluster, subjects)]);
  for (const decision of about) foreign.delete(decision);
  if (about.length + foreign.size === 0) return undefined;
  return {
    ...BLANK_STORY,
    subject: { kind, namespace, name },
    headline: 'It no longer exists; these are the decisions about it',
    steps: stepsOf(about, [], [...foreign].map(othersStep)),
    related: others.length === 0 ? [] : [{ label: others[0]?.kind ?? '', refs: others }],
  };
}

/**
 * Of a node its NodeClaims, of a NodeClaim its node: a Decision about a NodeClaim names the node that is the claim's own.
 * Node names come from addresses, so that one name may have been that of several.
 */
function otherNames(cluster: Cluster, own: Subject): readonly StoryRef[] {
  if (own.kind === 'Node') {
    const claims = decisionsNaming(cluster, [own]).filter(({ spec }) => spec.subject.kind === 'NodeClaim');
    return refsOf(
      'NodeClaim',
      claims.map(({ spec }) => spec.subject.name),
    );
  }
  if (own.kind !== 'NodeClaim') return [];
  const related = decisionsAbout(cluster, [own]).flatMap(({ spec }) => spec.related ?? []);
  return refsOf(
    'Node',
    related.filter(({ kind }) => kind === 'Node').map(({ name }) => name),
  );
}

function refsOf(kind: StoryKind, names: readonly string[]): readonly StoryRef[] {
  return [...new Set(names)].map((name) => ({ kind, namespace: '', name }));
}

function subjectOf(ref: StoryRef): Subject {
  return { ...ref, uid: undefined };
}

/** The story of one Decision: what was done or refused, why, what set it off and what came of it. */
function decisionStory(cluster: Cluster, decision: Decision, now: number): Story {
  const { name, spec } = decision;
  const { action, reason, message, trigger, saving, time, subject } = spec;
  const ref = refOf(cluster, spec.subject);
  const verdicts = action === 'Refuse' ? poolVerdicts(spec) : [];
  return {
    ...BLANK_STORY,
    subject: { kind: 'Decision', namespace: '', name },
    headline: `${action}: ${reason}`,
    tone: action === 'Refuse' ? 'bad' : isOpen(decision) ? 'waiting' : 'neutral',
    facts: [
      { label: subject.kind, value: nameOf(spec.subject), ref },
      ...fact('Trigger', trigger),
      ...fact('Saves', saving === undefined ? '' : usdPerHour(saving)),
      ...proposalFacts(decision),
      ...fact('Outcome', describeOutcome(decision)),
      { label: 'Decided', value: `${durationText(now - time)} ago` },
    ],
    why: [message].filter((text) => text !== ''),
    considered: verdicts.length > 0 ? verdicts : options(spec),
    changes: [
      ...(isOpen(decision) ? [`To decide: \`berth approve ${name}\` or \`berth reject ${name}\`.`] : []),
      ...verdicts.flatMap(({ name: pool, change }) =>
        change === '' ? [] : [pool === '' ? change : `${pool}: ${change}`],
      ),
    ],
    related: ref === undefined ? [] : [{ label: 'About', refs: [ref] }],
  };
}

/** Whether a person has to approve or reject it. */
function isOpen(decision: Decision): boolean {
  return isProposal(decision) && phaseOf(decision) === 'Proposed';
}

function proposalFacts({ spec: { proposal }, progress }: Decision): readonly StoryFact[] {
  if (proposal === undefined) return [];
  const { act, price, nodes, evictions } = proposal;
  return [
    { label: 'New instances', value: usdPerHour(price) },
    { label: act === 'Launch' ? 'Nodes added' : 'Nodes removed', value: String(nodes) },
    { label: 'Evictions', value: String(evictions) },
    ...fact('Decided by', progress?.by ?? ''),
  ];
}

function fact(label: string, value: string): readonly StoryFact[] {
  return value === '' ? [] : [{ label, value }];
}

function nameOf({ namespace, name }: Decision['spec']['subject']): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** undefined where the kind has no story. A PolicyStatus stands for its policy. */
function refOf(
  cluster: Cluster,
  { kind, namespace, name }: Decision['spec']['subject'],
): StoryRef | undefined {
  if (kind === 'PolicyStatus') {
    const status = cluster.policyStatuses.get(name);
    if (status !== undefined) return { kind: status.kind, namespace: '', name: status.policy };
    const policy = COMMON_POLICY_KINDS.find((each) => name.startsWith(policyStatusName(each, '')));
    return policy && { kind: policy, namespace: '', name: name.slice(name.indexOf('.') + 1) };
  }
  const known = storyKind(kind);
  return known && { kind: known, namespace, name };
}

/** Of a placement instance types, of which the first was best; of others words. */
function options({ action, considered }: Decision['spec']): readonly StoryOption[] {
  return considered
    .split(action === 'Place' ? ', ' : '; ')
    .filter((name) => name !== '')
    .map((name, index) => ({ name, verdict: '', chosen: action === 'Place' && index === 0 }));
}
