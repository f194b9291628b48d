/** Chance that hangs on a name: what happens to one thing does not depend on what else happens, or when. */
import { createHash } from 'node:crypto';
import type { Random } from '../../src/ports/random.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

export class Chance {
  readonly #seed: string;

  constructor(random: Random) {
    this.#seed = random.hex(32);
  }

  /** At least 0, less than 1; the same for the same subject. */
  of(subject: string): number {
    const digest = createHash('sha256').update(`${this.#seed} ${subject}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  }

  /** Somewhere in the span. */
  within(subject: string, { from, to }: Span): number {
    return Math.round(from + (to - from) * this.of(subject));
  }

  /** Whether something that happens to this share of subjects happens to this one. */
  hits(subject: string, share: number): boolean {
    return this.of(subject) < share;
  }

  /** Characters as Kubernetes' generated names have them: no vowels, nothing that reads like something else. */
  suffix(subject: string, length = 5): string {
    const digest = createHash('sha256').update(`${this.#seed} ${subject}`).digest();
    return Array.from({ length }, (_, index) => ALPHABET[(digest[index] ?? 0) % ALPHABET.length]).join('');
  }
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
