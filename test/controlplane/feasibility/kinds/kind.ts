/** A kind of constraint: how a pod comes to have it, and which refusals are its doing. */
import type { NodeRefusal, SchedulerPlugin } from '../../../support/feasibility.js';
import type { Chance } from '../chance.js';
import type { PodDraft } from '../pod-draft.js';

export interface Kind {
  readonly name: string;
  /** Adds it to a pod. Not given: every pod has it. */
  readonly add?: (pod: PodDraft, chance: Chance) => void;
  /** Whether the refusal of a pod that has the kind is its doing. */
  readonly refuses: (refusal: NodeRefusal, pod: PodDraft) => boolean;
  /** Whether it refuses every node when it refuses any; such kinds only lead, since others have no say then. */
  readonly global?: true;
  /** First minor that knows it. */
  readonly since?: number;
}

export function by(plugin: SchedulerPlugin, about?: string): Kind['refuses'] {
  return (refusal) => refusal.plugin === plugin && (about === undefined || refusal.about.includes(about));
}
