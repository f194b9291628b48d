/** What Karpenter's own suites say of it, as facts that are tried on Berth. */

export interface Fact {
  /** What Karpenter does, a sentence after the name of the suite: "keeps a node with …". */
  readonly fact: string;
  /** Shows that Berth does the same, or what `differs` says. */
  readonly run: () => void | Promise<void>;
  /** What Berth does instead, and why that is wanted. */
  readonly differs?: string;
}

export interface Suite {
  /** Where the facts come from: the part of Karpenter that its suite is about. */
  readonly name: string;
  readonly facts: readonly Fact[];
}
