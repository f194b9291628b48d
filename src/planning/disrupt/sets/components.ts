/** The parts of a plan that have nothing to do with each other: nodes whose pods share a new node belong together. */
import { podKey } from '../../../domain/pods/pod.js';
import { DisjointSets } from '../../../domain/values/disjoint-sets.js';
import type { Plan, PlannedClaim } from '../../plan.js';
import type { Candidate } from './candidates.js';

export interface Component {
  readonly candidates: readonly Candidate[];
  readonly claims: readonly PlannedClaim[];
}

/** Splits nodes that go, and the claims that hold their pods, in the order of the nodes. */
export function componentsOf(candidates: readonly Candidate[], plan: Plan): readonly Component[] {
  const nodeOfPod = new Map<string, number>();
  candidates.forEach(({ pods }, index) => {
    for (const pod of pods) nodeOfPod.set(podKey(pod), index);
  });
  const joined = new DisjointSets();
  const membersOf = ({ pods }: PlannedClaim): readonly number[] =>
    pods.flatMap((pod) => nodeOfPod.get(pod) ?? []);
  for (const claim of plan.claims) {
    const [first, ...others] = membersOf(claim);
    if (first === undefined) continue;
    for (const other of others) joined.join(first, other);
  }
  const claimsOf = new Map<number, PlannedClaim[]>();
  for (const claim of plan.claims) {
    const [first] = membersOf(claim);
    if (first !== undefined) append(claimsOf, joined.find(first), claim);
  }
  const grouped = new Map<number, Candidate[]>();
  candidates.forEach((candidate, index) => {
    append(grouped, joined.find(index), candidate);
  });
  return [...grouped].map(([index, members]) => ({
    candidates: members,
    claims: claimsOf.get(index) ?? [],
  }));
}

function append<T>(lists: Map<number, T[]>, key: number, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
