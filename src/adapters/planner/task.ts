/** Questions with the cluster that they are about, and what comes of them. */
import type { DisruptionInput, DisruptionOptions } from '../../planning/disrupt/question/disruption.js';
import type { PlanOptions } from '../../planning/plan-options.js';
import type { ClusterInput } from '../../planning/snapshot/cluster-input.js';
import type { DisruptAnswer, DisruptionQuestion, PlanAnswer, PlanQuestion } from '../../ports/planner.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { disruptionInput } from '../../state/planning/disruption-input.js';
import { planInput } from '../../state/planning/plan-input.js';

export type PlannerQuestion =
  | { readonly kind: 'plan'; readonly question: PlanQuestion }
  | { readonly kind: 'disrupt'; readonly question: DisruptionQuestion };

/** One piece of work: all that planning needs to know. */
export type PlannerTask =
  | { readonly kind: 'plan'; readonly input: ClusterInput; readonly options: PlanOptions }
  | { readonly kind: 'disrupt'; readonly input: DisruptionInput; readonly options: DisruptionOptions };

/** What comes of it: a PlanAnswer of a plan, a DisruptAnswer of the other. */
export type PlannerAnswer = PlanAnswer | DisruptAnswer;

/** The question about the cluster as it is now. */
export function taskOf(cluster: Cluster, { kind, question }: PlannerQuestion): PlannerTask {
  if (kind === 'plan') {
    const { options, buffers } = question;
    // What replaces a node whose disruption is decided is the disruption's own: buffers launch nothing for it before it is deleted.
    const asked = { ...question, usesLeaving: buffers !== undefined };
    return { kind, input: planInput(cluster, asked, options), options };
  }
  const { options } = question;
  return { kind, input: disruptionInput(cluster, question, options.plan), options };
}
