/** The parts of a plan that have nothing to do with each other: nodes whose pods share a new node belong together. */
import { podKey } from '../../../domain/pods/pod.js';
import { append } from '../../../domain/values/lists.js';
import { DisjointSets } from '../../../domain/values/disjoint-sets.js';
import type { Plan, PlannedClaim } from '../../plan.js';
import type { Candidate } from './candidates.js';

export interface Component {
  readonly candidates: readonly Candidate[];
  readonly claims: readonly PlannedClaim[];
}

/** Splits nodes that go, and the claims that hold their pods, in the order of the nodes. */
export function componentsOf(candidates: readonly Candidate[], plan: Plan): readonly Component[] {
  if (plan.claims.length === 0)
    return candidates.map((candidate) => ({ candidates: [candidate], claims: [] }));
  const nodeOfPod = new Map<string, number>();
  candidates.forEach(({ pods }, index) => {
    for (const pod of pods) nodeOfPod.set(podKey(pod), index);
  });
  const joined = new DisjointSets();
  /** Claim → one of the nodes whose pods it holds. */
  const memberOf = new Map<PlannedClaim, number>();
  for (const claim of plan.claims)
    for (const pod of claim.pods) {
      const node = nodeOfPod.get(pod);
      if (node === undefined) continue;
      const first = memberOf.get(claim);
      if (first === undefined) memberOf.set(claim, node);
      else joined.join(first, node);
    }
  const claimsOf = new Map<number, PlannedClaim[]>();
  for (const [claim, member] of memberOf) append(claimsOf, joined.find(member), claim);
  const grouped = new Map<number, Candidate[]>();
  candidates.forEach((candidate, index) => {
    append(grouped, joined.find(index), candidate);
  });
  return [...grouped].map(([index, members]) => ({
    candidates: members,
    claims: claimsOf.get(index) ?? [],
  }));
}
