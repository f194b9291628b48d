/** Decisions: why something was done, or was not (berth.sh/v1, cluster-scoped). */

export interface DecisionSubject {
  readonly kind: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What Berth does to a subject, or refuses to. */
export const DECISION_ACTIONS = [
  'Launch',
  'Place',
  'Refuse',
  'Nominate',
  'Register',
  'Disrupt',
  'Drain',
  'Terminate',
  'Freeze',
  'Accept',
] as const;
export type DecisionAction = (typeof DECISION_ACTIONS)[number];

export interface DecisionSpec {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly subject: DecisionSubject;
  readonly action: DecisionAction;
  /** One CamelCase word of a closed vocabulary: a planning Reason's code, or an event reason. */
  readonly reason: string;
  readonly message: string;
  /** What set it off: a pod, a watch event, a timer. */
  readonly trigger: string;
  /** What else was looked at, best first; '' where nothing was. */
  readonly considered: string;
  /** USD/h saved; undefined where money was not the point. */
  readonly saving: number | undefined;
}

export interface Decision {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly spec: DecisionSpec;
  /** What came of it; '' while that is open. */
  readonly outcome: string;
}
