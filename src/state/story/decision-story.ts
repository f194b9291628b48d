/** The story of one Decision: what was done or refused, why, what set it off and what came of it. */
import { COMMON_POLICY_KINDS, policyStatusName } from '../../domain/policies/policy.js';
import type { Cluster } from '../cluster/cluster.js';
import { usdPerHour } from '../../domain/values/text.js';
import type { Decision } from '../../domain/records/decision.js';
import {
  BLANK_STORY,
  storyKind,
  type Story,
  type StoryFact,
  type StoryOption,
  type StoryRef,
} from './story.js';
import { poolVerdicts } from './pool-verdicts.js';
import { durationText } from './words.js';

export function decisionStory(cluster: Cluster, { name, spec, outcome }: Decision, now: number): Story {
  const { action, reason, message, trigger, saving, time, subject } = spec;
  const ref = refOf(cluster, spec.subject);
  const verdicts = action === 'Refuse' ? poolVerdicts(spec) : [];
  return {
    ...BLANK_STORY,
    subject: { kind: 'Decision', namespace: '', name },
    headline: `${action}: ${reason}`,
    tone: action === 'Refuse' ? 'bad' : 'neutral',
    facts: [
      { label: subject.kind, value: nameOf(spec.subject), ref },
      ...fact('Trigger', trigger),
      ...fact('Saves', saving === undefined ? '' : usdPerHour(saving)),
      ...fact('Outcome', outcome),
      { label: 'Decided', value: `${durationText(now - time)} ago` },
    ],
    why: [message].filter((text) => text !== ''),
    considered: verdicts.length > 0 ? verdicts : options(spec),
    changes: verdicts.flatMap(({ name: pool, change }) =>
      change === '' ? [] : [pool === '' ? change : `${pool}: ${change}`],
    ),
    related: ref === undefined ? [] : [{ label: 'About', refs: [ref] }],
  };
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
