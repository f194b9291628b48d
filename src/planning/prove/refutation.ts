/** What is wrong with a plan: which rule of kube-scheduler or of a NodePool it breaks, and for which pods. */

export const PROVEN_RULES = [
  'answers',
  'nodeRules',
  'resources',
  'hostPorts',
  'volumes',
  'limits',
  'offering',
  'minValues',
  'podAntiAffinity',
  'podAffinity',
  'topologySpread',
] as const;
export type ProvenRule = (typeof PROVEN_RULES)[number];

export interface Refutation {
  readonly rule: ProvenRule;
  /** `namespace/name` of pods without which the rule would hold, or of some of them. */
  readonly pods: readonly string[];
  /** What is wrong where, in words. */
  readonly detail: string;
}
