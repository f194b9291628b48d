/** Node classes: how nodes are launched. Every cloud has a kind of its own, and only it reads more of one than stands here. */

/** A kind of node class, such as EC2NodeClass; all of Karpenter's providers name theirs so. */
export type NodeClassKind = `${string}NodeClass`;

/** Whether documents of this kind are node classes. */
export function isNodeClassKind(kind: string): kind is NodeClassKind {
  return kind.endsWith('NodeClass');
}

/** A node class as its cloud decoded it. */
export interface NodeClass {
  readonly kind: NodeClassKind;
  readonly name: string;
  /**
   * The spec with its defaults: nodes that were launched from another one have drifted. What is looked up on the nodes
   * themselves (selectors) is left out.
   */
  readonly template: Readonly<Record<string, unknown>>;
  /** The same as earlier versions of Berth had it, where that is another: nodes of theirs have not drifted by it. */
  readonly formerTemplate?: Readonly<Record<string, unknown>> | undefined;
  /** Paths in the document, such as `spec.userData`, whose values may be secret. */
  readonly secretFields: readonly string[];
}

/** `EC2NodeClass default`. */
export function describeNodeClass({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}
