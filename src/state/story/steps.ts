/** What happened to objects, from their Decisions and conditions, in the order of time. */
import type { Condition } from '../../domain/values/condition.js';
import { describeOutcome, type Decision } from '../../domain/records/decision.js';
import type { Cluster } from '../cluster/cluster.js';
import type { StoryStep } from './story.js';

/** Whom Decisions are about. */
export interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** undefined: whichever object had the name. */
  readonly uid: string | undefined;
}

/** Decisions about any of the subjects, oldest first. */
export function decisionsAbout(cluster: Cluster, subjects: readonly Subject[]): readonly Decision[] {
  const about = subjects.flatMap((subject) =>
    cluster.decisionsOf(subject).filter(({ spec }) => isAbout(spec.subject, subject)),
  );
  return [...new Set(about)].sort(byTime);
}

/** Decisions about other objects that name one of the subjects, oldest first. */
export function decisionsNaming(cluster: Cluster, subjects: readonly Subject[]): readonly Decision[] {
  const naming = [...cluster.decisions.values()].filter(({ spec }) =>
    subjects.some((subject) => !isAbout(spec.subject, subject) && isNamed(spec.related, subject)),
  );
  return naming.sort(byTime);
}

function isNamed(related: Decision['spec']['related'] = [], { kind, namespace, name }: Subject): boolean {
  return related.some((each) => each.kind === kind && each.namespace === namespace && each.name === name);
}

function isAbout(subject: Decision['spec']['subject'], { kind, namespace, name, uid }: Subject): boolean {
  if (subject.kind !== kind || subject.namespace !== namespace || subject.name !== name) return false;
  return uid === undefined || subject.uid === '' || subject.uid === uid;
}

function byTime(left: Decision, right: Decision): number {
  return left.spec.time - right.spec.time || (left.name < right.name ? -1 : 1);
}

export function decisionStep(decision: Decision): StoryStep {
  const { name, spec } = decision;
  const { time, action, reason, message } = spec;
  const outcome = describeOutcome(decision);
  return { time, title: `${action}: ${reason}`, text: message, decision: { name, action }, outcome };
}

/** Of a Decision about another object, which its text names. */
export function othersStep(decision: Decision): StoryStep {
  const { kind, namespace, name } = decision.spec.subject;
  const step = decisionStep(decision);
  return { ...step, text: `${kind} ${namespace === '' ? name : `${namespace}/${name}`}: ${step.text}` };
}

/** When the condition came to be what it is. One that is False and has said nothing is not worth a step. */
function conditionStep({ type, status, reason, message, lastTransitionTime: time }: Condition): StoryStep {
  const said = reason === type || reason === '' ? message : [reason, message].filter(Boolean).join(': ');
  const title = status === 'True' ? type : `${type} is ${status}`;
  return { time, title, text: said, outcome: '' };
}

/** All of them, oldest first; at equal times what was decided stands between the event that it followed and what came of it. */
export function stepsOf(
  decisions: readonly Decision[],
  conditions: readonly Condition[],
  events: readonly StoryStep[] = [],
): readonly StoryStep[] {
  const told = [...events, ...decisions.map(decisionStep), ...conditions.map(conditionStep)];
  return told
    .map((step, index) => ({ step, index }))
    .sort((left, right) => left.step.time - right.step.time || left.index - right.index)
    .map(({ step }) => step);
}
