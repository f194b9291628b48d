/** Which refusals are news. */
import type { NewDecision } from '../../ports/recorder.js';
import { RecentKeys } from './recent-keys.js';
import { subjectKey } from './subject-key.js';

const REMEMBERED = 20_000;

export class Refusals {
  readonly #reasons = new RecentKeys<string>(REMEMBERED);

  /** Whether the decision is anything but a refusal for the reason for which its subject was last refused. */
  isNews({ subject, action, reason }: NewDecision): boolean {
    const key = subjectKey(subject);
    if (action !== 'Refuse') {
      this.#reasons.delete(key);
      return true;
    }
    const isNews = this.#reasons.get(key) !== reason;
    this.#reasons.set(key, reason);
    return isNews;
  }
}
