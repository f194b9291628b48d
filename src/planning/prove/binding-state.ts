/** How many pods of each stand of a deadlock group are bound, and which of the others the rules of the group let in now. */
import type { BindOrder } from './bind-order.js';
import { CompanyTally } from './company.js';
import type { DeadlockGroup } from './deadlock-groups.js';
import type { PlannedCluster, Stand } from './planned-cluster.js';
import { SpreadState } from './spread-state.js';
import type { DomainTable } from './topology-domains.js';

/** A stand that pods wait for. */
interface Need {
  /** Index of the stand. */
  readonly stand: number;
  /** Of its pods, in their order, so many contain all that are waited for; and so many are waited for. */
  readonly first: number;
  readonly pods: number;
}

export class BindingState {
  readonly stands: readonly Stand[];
  /** Stand → its pods that are bound, the first ones. */
  readonly bound: Int32Array;
  readonly #spreads: readonly SpreadState[];
  readonly #companies: readonly CompanyTally[];
  readonly #needs: readonly (readonly Need[])[];

  constructor(
    { rules, stands }: DeadlockGroup,
    { standsOf, snapshot }: PlannedCluster,
    { domains, order }: { readonly domains: DomainTable; readonly order: BindOrder },
  ) {
    this.stands = stands;
    this.bound = new Int32Array(stands.length);
    this.#spreads = rules.flatMap(({ spread }) =>
      spread === undefined ? [] : new SpreadState(spread, stands, standsOf),
    );
    this.#companies = rules.flatMap(({ company }) =>
      company === undefined ? [] : new CompanyTally(company, domains, standsOf),
    );
    this.#needs = needsOf(stands, snapshot.pods.keys, order);
  }

  /** Binds so many more pods of a stand; fewer where negative. */
  add(stand: number, pods: number): void {
    this.bound[stand] = (this.bound[stand] ?? 0) + pods;
    for (const spread of this.#spreads) spread.add(stand, pods);
    const at = this.stands[stand];
    if (at !== undefined) for (const company of this.#companies) company.enter(at.spec, at.place, pods);
  }

  /** Unbinds all. */
  clear(): void {
    for (const stand of this.bound.keys()) this.add(stand, -(this.bound[stand] ?? 0));
  }

  /** Pods of the stand that are not bound. */
  left(stand: number): number {
    return (this.stands[stand]?.placed.length ?? 0) - (this.bound[stand] ?? 0);
  }

  /** Whether a pod of the stand may be bound now. */
  admits(stand: number): boolean {
    const at = this.stands[stand];
    return (
      at !== undefined &&
      this.#needs[stand]?.every((need) => (this.bound[need.stand] ?? 0) >= need.first) !== false &&
      this.#companies.every((company) => company.admits(at.spec, at.place)) &&
      this.#spreads.every((spread) => spread.admits(stand))
    );
  }

  /** The same where any pods of a stand may be bound, not the first ones; false where it depends on which. */
  surelyAdmits(stand: number): boolean {
    return this.#needs[stand]?.every((need) => this.left(need.stand) === 0) !== false && this.admits(stand);
  }

  /** Whether pods are bound only where what they wait for may be. */
  get isInOrder(): boolean {
    return this.#needs.every(
      (needs, stand) =>
        this.bound[stand] === 0 || needs.every((need) => (this.bound[need.stand] ?? 0) >= need.pods),
    );
  }

  /** Whether a pod of the stand would be the first company, which no other may be at the same time. */
  begins(stand: number): boolean {
    const at = this.stands[stand];
    return at !== undefined && this.#companies.some((company) => company.begins(at.spec, at.place));
  }

  /** The least counts that spread looks at now. */
  floors(): readonly number[] {
    return this.#spreads.map((spread) => spread.floor());
  }

  /** Whether the pods of a stand that are bound would have been let in last, with these least counts. */
  keepsTo(floors: readonly number[], stand: number): boolean {
    return this.#spreads.every((spread, at) => spread.keepsTo(floors[at] ?? 0, stand));
  }
}

function needsOf(
  stands: readonly Stand[],
  keys: readonly string[],
  { after }: BindOrder,
): readonly (readonly Need[])[] {
  const at = new Map<string, { readonly stand: number; readonly position: number }>();
  for (const [stand, { placed }] of stands.entries())
    for (const [position, row] of placed.entries()) at.set(keys[row] ?? '', { stand, position });
  return stands.map(({ placed }) => {
    const awaited = new Set(placed.flatMap((row) => after.get(keys[row] ?? '') ?? []));
    const needs = new Map<number, Need>();
    for (const key of awaited) {
      const found = at.get(key);
      if (found === undefined) continue;
      const { stand, position } = found;
      const { first, pods } = needs.get(stand) ?? { first: 0, pods: 0 };
      needs.set(stand, { stand, first: Math.max(first, position + 1), pods: pods + 1 });
    }
    return [...needs.values()];
  });
}
