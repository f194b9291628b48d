/** Which kinds have been listed once; callers can wait for it. */
import { PortError } from '../../ports/port-error.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';

export class SyncStatus {
  readonly #synced = new Set<ObservedKind>();
  readonly #waiting = new Set<() => void>();

  add(kind: ObservedKind): void {
    this.#synced.add(kind);
    for (const look of [...this.#waiting]) look();
  }

  has(kinds: readonly ObservedKind[]): boolean {
    return kinds.every((kind) => this.#synced.has(kind));
  }

  /** @throws PortError Cancelled, when the signal is aborted before. */
  when(kinds: readonly ObservedKind[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', cancel);
      };
      const look = (): void => {
        if (!this.has(kinds)) return;
        leave();
        resolve();
      };
      const cancel = (): void => {
        leave();
        const missing = kinds.filter((kind) => !this.#synced.has(kind)).join(', ');
        reject(
          new PortError('Cancelled', {
            operation: 'wait for caches to sync',
            message: `not synced: ${missing}`,
          }),
        );
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      else look();
    });
  }
}
