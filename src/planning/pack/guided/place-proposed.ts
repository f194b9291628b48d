/** Places pods on nodes that exist as a proposal says, as far as the exact rules allow. */
import type { PodClass } from '../../model/classes/pod-class.js';
import type { Packing } from '../../rules/packing.js';
import type { Target } from '../../rules/targets.js';

interface Proposed {
  readonly pods: PodClass;
  readonly target: Target;
  left: number;
}

/**
 * What is not allowed is left to be packed like any other pod. Rules between pods may allow a pod only once others are placed:
 * so what is left is tried again as long as that helps.
 *
 * @param nodeOf `namespace/name` of a pending pod → name of a node.
 */
export function placeProposed(packing: Packing, nodeOf: ReadonlyMap<string, string>): void {
  let waiting = proposed(packing, nodeOf);
  for (let isMoving = waiting.length > 0; isMoving;) {
    isMoving = false;
    for (const each of waiting) if (place(packing, each) > 0) isMoving = true;
    waiting = waiting.filter(({ left }) => left > 0);
  }
}

function proposed(
  { problem: { snapshot, classes }, targets }: Packing,
  nodeOf: ReadonlyMap<string, string>,
): readonly Proposed[] {
  const indices = new Map(snapshot.nodes.map(({ name }, index) => [name, index]));
  return classes.flatMap((pods): readonly Proposed[] => {
    const counts = new Map<number, number>();
    for (const row of pods.pods) {
      const node = indices.get(nodeOf.get(snapshot.pods.keys[row] ?? '') ?? '');
      if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    return [...counts].flatMap(([node, left]) => {
      const target = targets[node];
      return target === undefined ? [] : [{ pods, target, left }];
    });
  });
}

function place(packing: Packing, each: Proposed): number {
  const { pods, target } = each;
  const [ask] = pods.asks;
  let placed = 0;
  while (ask !== undefined && each.left > 0 && packing.mayPut(pods, ask, target)) {
    packing.put(pods, ask, target, 1);
    each.left--;
    placed++;
  }
  return placed;
}
