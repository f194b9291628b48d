/** Pod specs by content: specs that ask the same are one record, from one snapshot to the next. */
import type { Pod, PodSpec } from '../../domain/pods/pod.js';
import { ContentOrder, type Ordered } from './content-order.js';
import { specKey, specWording } from './spec-key.js';

/** All specs that ask the same; the key is their spec key. */
interface SpecRecord extends Ordered {
  /** The spec that stands for them in the snapshot of this turn. */
  spec: PodSpec;
  turn: number;
}

/** All specs that say the same word for word. */
interface Wording {
  /** The first of them that was seen stands for all: what is known of it is known of them. */
  readonly spec: PodSpec;
  readonly record: SpecRecord;
  turn: number;
  /** Whether the wording is found by its text. */
  isListed: boolean;
}

interface InternedSpecs {
  /** By their keys; the same list as the last time where nothing changed. */
  readonly specs: readonly PodSpec[];
  /** Index into `specs`, of each pod. */
  readonly specOf: Int32Array;
}

/** Wordings that are kept beyond twice those in use, for specs that come back. */
const SPARE_WORDINGS = 4096;

export class SpecInterner {
  readonly #bySpec = new WeakMap<PodSpec, Wording>();
  readonly #byText = new Map<string, Wording>();
  readonly #byKey = new Map<string, SpecRecord>();
  readonly #order = new ContentOrder<SpecRecord>();
  #specs: readonly PodSpec[] = [];
  #turn = 0;

  /** The specs of these pods by content; of those that ask the same, the wording of the first stands for all. */
  intern(given: readonly Pick<Pod, 'spec'>[]): InternedSpecs {
    this.#turn++;
    const used: SpecRecord[] = [];
    const records: SpecRecord[] = [];
    let wordings = 0;
    for (const { spec } of given) {
      const wording = this.#wordingOf(spec);
      const { record } = wording;
      records.push(record);
      if (wording.turn === this.#turn) continue;
      wording.turn = this.#turn;
      wordings++;
      if (record.turn === this.#turn) continue;
      record.turn = this.#turn;
      record.spec = wording.spec;
      used.push(record);
    }
    const sorted = this.#order.sort(used);
    if (sorted.length !== this.#specs.length || sorted.some(({ spec }, rank) => spec !== this.#specs[rank]))
      this.#specs = sorted.map(({ spec }) => spec);
    this.#forget(wordings);
    const specOf = new Int32Array(records.length);
    records.forEach(({ rank }, row) => {
      specOf[row] = rank;
    });
    return { specs: this.#specs, specOf };
  }

  #wordingOf(spec: PodSpec): Wording {
    const known = this.#bySpec.get(spec);
    if (known?.isListed === true) return known;
    const wording = this.#listed(specWording(spec), spec);
    this.#bySpec.set(spec, wording);
    return wording;
  }

  #listed(text: string, spec: PodSpec): Wording {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const made: Wording = { spec, record: this.#recordOf(specKey(spec), spec), turn: 0, isListed: true };
    this.#byText.set(text, made);
    return made;
  }

  #recordOf(key: string, spec: PodSpec): SpecRecord {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made: SpecRecord = { key, spec, turn: 0, rank: 0, round: 0 };
    this.#byKey.set(key, made);
    return made;
  }

  /** Forgets all that was not used this turn, once it is more than what was. */
  #forget(used: number): void {
    if (this.#byText.size <= 2 * used + SPARE_WORDINGS) return;
    for (const [text, wording] of this.#byText) {
      if (wording.turn === this.#turn) continue;
      wording.isListed = false;
      this.#byText.delete(text);
    }
    for (const [key, record] of this.#byKey) if (record.turn !== this.#turn) this.#byKey.delete(key);
  }
}
