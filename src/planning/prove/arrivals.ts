/** Pods coming to their places one after the other, each once all are there that it waits for. */
import type { BindOrder } from './bind-order.js';
import type { PlannedCluster, Stand } from './planned-cluster.js';

type Stands = Pick<PlannedCluster, 'snapshot' | 'standsOf'>;

export class Arrivals {
  readonly #cluster: Stands;
  readonly #after: ReadonlyMap<string, readonly string[]>;
  readonly #join: (stand: Stand) => void;
  /** Pods that others wait for and that have not come, `namespace/name`. */
  readonly #absent = new Set<string>();
  /** Stands that would come, were those there that they wait for. */
  #held: Stand[] = [];

  /** `join` is called for each stand that comes. */
  constructor(cluster: Stands, { after }: BindOrder, join: (stand: Stand) => void) {
    this.#cluster = cluster;
    this.#after = after;
    this.#join = join;
  }

  get held(): readonly Stand[] {
    return this.#held;
  }

  /** The specs, and those of which pods wait or are waited for; these are absent from now on. */
  specsWith(specs: Iterable<number>): ReadonlySet<number> {
    const all = new Set(specs);
    if (this.#after.size === 0) return all;
    const awaited = new Set([...this.#after.values()].flat());
    this.#cluster.standsOf.forEach((stands, spec) => {
      for (const stand of stands ?? []) {
        for (const key of this.#keys(stand)) {
          if (awaited.has(key)) this.#absent.add(key);
          if (awaited.has(key) || this.#after.has(key)) all.add(spec);
        }
      }
    });
    return all;
  }

  /** At the beginning: what is bound is there; what looks for no company comes. */
  begin(stand: Stand, isSeeker: boolean): void {
    if (stand.bound > 0) this.#join(stand);
    if (!isSeeker && (stand.placed.length > 0 || stand.bound === 0)) this.come(stand);
  }

  /** Whether pods of the stand wait for pods that have not come. */
  waits(stand: Stand): boolean {
    if (this.#absent.size === 0) return false;
    return this.#keys(stand).some((key) => this.#after.get(key)?.some((other) => this.#absent.has(other)));
  }

  /** The stand comes, or is held until those have come that it waits for; so do others that waited for it. */
  come(stand: Stand): void {
    if (this.waits(stand)) {
      this.#held.push(stand);
      return;
    }
    this.#join(stand);
    if (this.#absent.size === 0) return;
    const before = this.#absent.size;
    for (const key of this.#keys(stand)) this.#absent.delete(key);
    if (this.#absent.size === before) return;
    const held = this.#held;
    this.#held = [];
    for (const other of held) this.come(other);
  }

  #keys({ placed }: Stand): readonly string[] {
    return placed.map((row) => this.#cluster.snapshot.pods.keys[row] ?? '');
  }
}
