/** Pod specs by content: specs that ask the same are one record, from one snapshot to the next. */
import type { Pod, PodSpec } from '../../domain/pod.js';
import { ContentOrder, type Ordered } from './content-order.js';
import { specKey } from './spec-key.js';

/** All specs that ask the same; the key is their spec key. */
interface SpecRecord extends Ordered {
  /** The spec that stands for them in the snapshot of this turn. */
  spec: PodSpec;
  turn: number;
  /** Whether the record is found by its key. */
  isListed: boolean;
}

interface InternedSpecs {
  /** By their keys; the same list as the last time where nothing changed. */
  readonly specs: readonly PodSpec[];
  /** Index into `specs`, of each pod. */
  readonly specOf: Int32Array;
}

/** Records that are kept beyond twice those in use, for specs that come back. */
const SPARE_RECORDS = 4096;

export class SpecInterner {
  readonly #bySpec = new WeakMap<PodSpec, SpecRecord>();
  readonly #byKey = new Map<string, SpecRecord>();
  readonly #order = new ContentOrder<SpecRecord>();
  #specs: readonly PodSpec[] = [];
  #turn = 0;

  /** The specs of these pods by content; of those that ask the same, the first stands for all. */
  intern(given: readonly Pick<Pod, 'spec'>[]): InternedSpecs {
    this.#turn++;
    const used: SpecRecord[] = [];
    const records: SpecRecord[] = [];
    for (const { spec } of given) {
      const record = this.#recordOf(spec);
      records.push(record);
      if (record.turn === this.#turn) continue;
      record.turn = this.#turn;
      record.spec = spec;
      used.push(record);
    }
    const sorted = this.#order.sort(used);
    if (sorted.length !== this.#specs.length || sorted.some(({ spec }, rank) => spec !== this.#specs[rank]))
      this.#specs = sorted.map(({ spec }) => spec);
    this.#forget(sorted.length);
    const specOf = new Int32Array(records.length);
    records.forEach(({ rank }, row) => {
      specOf[row] = rank;
    });
    return { specs: this.#specs, specOf };
  }

  #recordOf(spec: PodSpec): SpecRecord {
    const known = this.#bySpec.get(spec);
    if (known?.isListed === true) return known;
    const record = this.#listed(known?.key ?? specKey(spec), spec);
    this.#bySpec.set(spec, record);
    return record;
  }

  #listed(key: string, spec: PodSpec): SpecRecord {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made: SpecRecord = { key, spec, turn: 0, isListed: true, rank: 0, round: 0 };
    this.#byKey.set(key, made);
    return made;
  }

  /** Forgets all that was not used this turn, once it is more than what was. */
  #forget(used: number): void {
    if (this.#byKey.size <= 2 * used + SPARE_RECORDS) return;
    for (const [key, record] of this.#byKey) {
      if (record.turn === this.#turn) continue;
      record.isListed = false;
      this.#byKey.delete(key);
    }
  }
}
