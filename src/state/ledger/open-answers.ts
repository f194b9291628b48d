/** Pods that were answered several nodes and are not seen bound: they may be on their way to any of these. */
import type { AnswerCount } from './node-account.js';
import type { Amounts } from './resource-columns.js';

export interface OpenAnswer {
  readonly amounts: Amounts;
  /** On the clock's monotonic time. */
  readonly until: number;
}

interface Numbered extends OpenAnswer {
  readonly number: number;
}

export class OpenAnswers implements AnswerCount {
  /** In the order of their numbers. */
  readonly #answers = new Map<string, Numbered>();
  #given = 0;
  #nextEnd = Infinity;

  get given(): number {
    return this.#given;
  }

  open(podUID: string, answer: OpenAnswer): void {
    this.#given++;
    this.#answers.delete(podUID);
    this.#answers.set(podUID, { ...answer, number: this.#given });
    this.#nextEnd = Math.min(this.#nextEnd, answer.until);
  }

  close(podUID: string): void {
    this.#answers.delete(podUID);
  }

  has(podUID: string): boolean {
    return this.#answers.has(podUID);
  }

  /** UIDs of the pods that were answered up to the answer with this number. */
  podsUntil(number: number): readonly string[] {
    return [...this.#upTo(number)].map(([uid]) => uid);
  }

  /** What pods but this one ask for that were answered up to the answer with this number. */
  until(number: number, exceptUID: string): readonly Amounts[] {
    const amounts: Amounts[] = [];
    for (const [uid, answer] of this.#upTo(number)) if (uid !== exceptUID) amounts.push(answer.amounts);
    return amounts;
  }

  *#upTo(number: number): Iterable<readonly [uid: string, answer: Numbered]> {
    for (const each of this.#answers) {
      if (each[1].number > number) return;
      yield each;
    }
  }

  /** Ends the answers whose time is over. */
  expire(now: number): void {
    if (now < this.#nextEnd) return;
    this.#nextEnd = Infinity;
    for (const [uid, { until }] of this.#answers)
      if (until <= now) this.#answers.delete(uid);
      else this.#nextEnd = Math.min(this.#nextEnd, until);
  }
}
