/** Nodes without room for more pods. */
import type { Node } from '../../domain/nodes/node.js';
import { PODS } from '../../domain/values/resources.js';

/** The node with what it carries and without room for more. */
export function closedNode(node: Node): Node {
  return { ...node, allocatable: new Map([...node.allocatable, [PODS, 0]]) };
}
