/** Bins with their contents, in growing typed arrays. */
import { real, whole } from '../problem/typed-read.js';

/** What one bin holds: classes in any order, each once. */
export class Contents {
  binType = -1;
  zone = -1;
  /** USD/h by the linear program's prices. */
  value = 0;
  count = 0;
  readonly classes: Int32Array;
  readonly items: Int32Array;

  constructor(classes: number) {
    this.classes = new Int32Array(classes);
    this.items = new Int32Array(classes);
  }
}

export class BinList {
  count = 0;
  binType = new Int32Array(64);
  zone = new Int32Array(64);
  price = new Float64Array(64);
  value = new Float64Array(64);
  /** Bin → its first entry; the entry after the last bin's last stands at `count`. */
  start = new Int32Array(65);
  classes = new Int32Array(256);
  items = new Int32Array(256);

  clear(): void {
    this.count = 0;
  }

  entries(): number {
    return whole(this.start, this.count);
  }

  push(contents: Contents, price: number): void {
    this.#reserve(contents.count);
    let entry = this.entries();
    for (let i = 0; i < contents.count; i++, entry++) {
      this.classes[entry] = whole(contents.classes, i);
      this.items[entry] = whole(contents.items, i);
    }
    this.#finish(contents.binType, contents.zone, entry);
    this.price[this.count - 1] = price;
    this.value[this.count - 1] = contents.value;
  }

  /** Adds the bins of another list from one on. */
  append(other: BinList, from: number): void {
    for (let bin = from; bin < other.count; bin++) {
      const first = whole(other.start, bin);
      const end = whole(other.start, bin + 1);
      this.#reserve(end - first);
      let entry = this.entries();
      for (let i = first; i < end; i++, entry++) {
        this.classes[entry] = whole(other.classes, i);
        this.items[entry] = whole(other.items, i);
      }
      this.#finish(whole(other.binType, bin), whole(other.zone, bin), entry);
      this.price[this.count - 1] = real(other.price, bin);
      this.value[this.count - 1] = real(other.value, bin);
    }
  }

  /** Drops the bins from one on. */
  truncate(count: number): void {
    this.count = count;
  }

  totalPrice(from = 0): number {
    let sum = 0;
    for (let bin = from; bin < this.count; bin++) sum += real(this.price, bin);
    return sum;
  }

  #finish(binType: number, zone: number, end: number): void {
    this.binType[this.count] = binType;
    this.zone[this.count] = zone;
    this.count++;
    this.start[this.count] = end;
  }

  #reserve(entries: number): void {
    if (this.count + 1 > this.binType.length) {
      this.binType = grown(this.binType, this.count * 2);
      this.zone = grown(this.zone, this.count * 2);
      this.start = grown(this.start, this.count * 2 + 1);
      this.price = grownReal(this.price, this.count * 2);
      this.value = grownReal(this.value, this.count * 2);
    }
    const needed = this.entries() + entries;
    if (needed > this.classes.length) {
      this.classes = grown(this.classes, needed * 2);
      this.items = grown(this.items, needed * 2);
    }
  }
}

function grown(values: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(values);
  return larger;
}

function grownReal(values: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}
