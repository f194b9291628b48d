/** Equivalence classes: pending pods that ask the same question, however they are named and labelled. */
import type { HostPort } from '../../../domain/pod.js';
import type { PlanOptions } from '../../plan-options.js';
import type { Reason } from '../../reason.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { VolumeDemand } from '../../snapshot/volume-index.js';
import { ClassRulesTable, type ClassRules } from './class-rules.js';
import type { SpecFacts } from './spec-facts.js';
import { SpecQuestions, specVolumes } from './spec-questions.js';
import { NO_TOPOLOGY, type TopologyGroups } from './topology-groups.js';

export interface PodClass extends ClassRules {
  readonly index: number;
  /** Index of one of its specs; all of them ask the same. */
  readonly spec: number;
  /** Pod rows of the snapshot, ascending. */
  readonly pods: readonly number[];
  readonly priority: number;
  /** R amounts. */
  readonly requests: Float64Array;
  /** Groups that count these pods. */
  readonly memberOf: readonly number[];
  /** Groups of its own required anti-affinity: members stay away from its domains. */
  readonly repels: readonly number[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly VolumeDemand[];
  /** Why these pods cannot be placed anywhere, whatever is launched. */
  readonly blocked: Reason | undefined;
}

/** How many pods there are in the classes. */
export function podsOf(classes: readonly PodClass[]): number {
  return classes.reduce((sum, { pods }) => sum + pods.length, 0);
}

/** What classes are made of. */
interface ClassInput {
  readonly snapshot: Snapshot;
  readonly topology: TopologyGroups;
  /** One per `Snapshot.specs`. */
  readonly facts: readonly SpecFacts[];
  readonly options: PlanOptions;
}

interface Draft {
  /** The first of its specs. */
  spec: number;
  readonly pods: number[];
}

/** Classes; what they are made of is remembered from one snapshot to the next. */
export class PodClassTable {
  readonly #rules = new ClassRulesTable();
  #questions: SpecQuestions | undefined;

  /** Groups the pending pods of the snapshot into classes, in an order that depends on their contents only. */
  of(input: ClassInput): readonly PodClass[] {
    this.#rules.begin(input);
    this.#questions = new SpecQuestions(input, this.#questions);
    return draftClasses(input.snapshot, this.#questions).map((draft, index) =>
      this.#make(input, draft, index),
    );
  }

  #make(
    { snapshot, topology: { ofSpec }, facts }: ClassInput,
    { spec, pods }: Draft,
    index: number,
  ): PodClass {
    const width = snapshot.resources.length;
    const value = snapshot.specs[spec];
    const own = facts[spec];
    if (value === undefined || own === undefined) throw new RangeError(`no spec ${String(spec)}`);
    const topology = ofSpec[spec] ?? NO_TOPOLOGY;
    const { volumes, blocked } = specVolumes(snapshot, spec, own);
    const rules = this.#rules.of({ spec: value, plain: own.plain, topology, volumes, blocked });
    return {
      index,
      spec,
      pods,
      priority: value.priority,
      requests: snapshot.specRequests.subarray(spec * width, (spec + 1) * width),
      asks: rules.asks,
      whenUnblocked: rules.whenUnblocked,
      memberOf: topology.memberOf,
      repels: topology.repels,
      hostAffinity: rules.hostAffinity,
      spreads: rules.spreads,
      repelledBy: rules.repelledBy,
      courtesies: rules.courtesies,
      hostPorts: value.hostPorts,
      volumes,
      blocked,
    };
  }
}

/** Pending pods that ask the same question, by the order of their first specs: the names of pods do not show. */
function draftClasses({ pods }: Snapshot, questions: SpecQuestions): readonly Draft[] {
  const drafts = new Map<number, Draft>();
  for (let pod = 0; pod < pods.spec.length; pod++) {
    if (pods.node[pod] !== -1) continue;
    const spec = pods.spec[pod] ?? -1;
    const question = questions.of(spec);
    const known = drafts.get(question);
    if (known === undefined) {
      drafts.set(question, { spec, pods: [pod] });
      continue;
    }
    known.pods.push(pod);
    if (spec < known.spec) known.spec = spec;
  }
  return [...drafts.values()].sort((left, right) => left.spec - right.spec);
}
