/** Names for the new machines of one answer: each plan numbers its own from 1. */
import type { PlannedClaim, Placement } from '../plan.js';

interface Named {
  readonly claims: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
}

export class ClaimNames {
  readonly #taken: Set<string>;

  constructor(nodeNames: Iterable<string>) {
    this.#taken = new Set(nodeNames);
  }

  /** Claims and placements of a plan, claims renamed to `<pool>-<n>` as no other of the answer and no node is named. */
  rename({ claims, placements }: Named): Named {
    const names = new Map(claims.map(({ name, nodePool }) => [name, this.#next(nodePool)]));
    return {
      claims: claims.map((claim) => ({ ...claim, name: names.get(claim.name) ?? claim.name })),
      placements: placements.map(({ pod, target }) => {
        const name = target.kind === 'NodeClaim' ? names.get(target.name) : undefined;
        return name === undefined ? { pod, target } : { pod, target: { kind: 'NodeClaim', name } };
      }),
    };
  }

  #next(nodePool: string): string {
    let number = 1;
    while (this.#taken.has(`${nodePool}-${String(number)}`)) number++;
    const name = `${nodePool}-${String(number)}`;
    this.#taken.add(name);
    return name;
  }
}
