/** What a default for pods is: a field of PodDefaults documents with everything that is special about it. */
import type * as z from 'zod';
import type { DemandTerms } from '../../domain/pods/demand.js';
import type { PodDefaults, StampedFields } from '../../domain/policies/pod-defaults.js';
import type { Addition, SubmittedPod } from './submitted-pod.js';

/** A default is one file of defaults/, one row of POD_DEFAULTS and its field of StampedFields; no other code names it. */
export interface PodDefault<
  Field extends keyof StampedFields = keyof StampedFields,
  Schema extends z.ZodType = z.ZodType,
> {
  /** Of the field in spec, optional, with the description that the reference shows. */
  readonly schema: Schema;
  /** The field's value in the domain, from what the document says. */
  readonly read: (written: z.output<Schema>) => StampedFields[Field];
  /** The node label that the field stands for: a document may not name it in nodeSelector too. */
  readonly label?: string | undefined;
  /** Whether the first document that decides the field keeps later ones from it, though it may add nothing. */
  readonly decidesOnce?: true | undefined;
  /** What the document adds to the pod; undefined where it does not decide the field or the pod has it already. */
  readonly stamps: (document: PodDefaults, pod: StampedPod) => readonly Stamp[] | undefined;
}

/** A pod with what was added so far. */
export interface StampedPod extends SubmittedPod {
  /** Whether the Lease of berth-scheduler is fresh. */
  readonly schedulerRuns: boolean;
  /** Whether the Lease of Berth's leader is fresh. */
  readonly isLed: boolean;
  /** Which pods Berth plans. */
  readonly demandTerms: DemandTerms;
}

/** One addition to a pod. */
export interface Stamp {
  /** Where it comes from, as the record names it: `tolerations.gpu:NoSchedule`. */
  readonly field: string;
  /** For people: `nodeSelector kubernetes.io/arch=arm64`. */
  readonly text: string;
  readonly addition: Addition;
}

/** The default of this field. */
export function podDefault<Field extends keyof StampedFields>() {
  return <Schema extends z.ZodType>(definition: PodDefault<Field, Schema>): PodDefault<Field, Schema> =>
    definition;
}
