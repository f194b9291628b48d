/** The story of an object: what it is up to, why it is as it is, and what would have to change. Page and command line tell it alike. */
import type { DecisionAction } from '../../domain/records/decision.js';
import { COMMON_POLICY_KINDS, isPolicyKind, type PolicyKind } from '../../domain/policies/policy.js';

const OTHER_KINDS = ['Pod', 'Node', 'NodeClaim', 'Decision'] as const;

/** Kinds that have stories. */
export type StoryKind = (typeof OTHER_KINDS)[number] | PolicyKind;

/** Those with a name that is the same in all clouds: all but node classes. */
export const STORY_KINDS: readonly StoryKind[] = [
  'Pod',
  'Node',
  'NodeClaim',
  ...COMMON_POLICY_KINDS,
  'Decision',
];

/** undefined where the kind has no story. */
export function storyKind(kind: string): StoryKind | undefined {
  return isPolicyKind(kind) ? kind : OTHER_KINDS.find((other) => other === kind);
}

export interface StoryRef {
  readonly kind: StoryKind;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface StoryFact {
  readonly label: string;
  readonly value: string;
  /** What the value names, where it has a story of its own. */
  readonly ref?: StoryRef | undefined;
}

/** Something that was looked at when it was decided. */
export interface StoryOption {
  readonly name: string;
  /** What was said about it; '' where nothing was. */
  readonly verdict: string;
  readonly chosen: boolean;
}

/** Something that happened. */
export interface StoryStep {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** A condition's type, or what was decided. */
  readonly title: string;
  readonly text: string;
  /** The Decision's name and action, where it is one. */
  readonly decision?: { readonly name: string; readonly action: DecisionAction } | undefined;
  /** What came of it; '' while that is open. */
  readonly outcome: string;
}

/** `good`: as it should be; `waiting`: on its way; `bad`: a user has to act; `leaving`: on its way out. */
export type StoryTone = 'good' | 'waiting' | 'bad' | 'leaving' | 'neutral';

export interface Story {
  readonly subject: StoryRef;
  /** One sentence without a full stop: how things are. */
  readonly headline: string;
  readonly tone: StoryTone;
  readonly facts: readonly StoryFact[];
  /** Sentences: why it is so. */
  readonly why: readonly string[];
  /** What was looked at, best first. */
  readonly considered: readonly StoryOption[];
  /** Sentences: what would have to change for things to be otherwise. */
  readonly changes: readonly string[];
  /** Oldest first. */
  readonly steps: readonly StoryStep[];
  /** Objects whose stories belong to it. */
  readonly related: readonly { readonly label: string; readonly refs: readonly StoryRef[] }[];
}

/** A story without what most stories have not; callers add the rest. */
export const BLANK_STORY: Omit<Story, 'subject' | 'headline'> = {
  tone: 'neutral',
  facts: [],
  why: [],
  considered: [],
  changes: [],
  steps: [],
  related: [],
};
