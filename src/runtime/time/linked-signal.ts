/** A signal of its own that also follows another, and can be let go of. */
import { setMaxListeners } from 'node:events';

export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Stops following, so that a signal that lives long does not remember every one that followed it. */
  unlink(): void;
}

/** Aborted when `parent` is, with its reason, or by `abort`. Any number may listen, as all the loops of a leader do. */
export function linkedSignal(parent: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const follow = (): void => {
    controller.abort(parent?.reason);
  };
  if (parent?.aborted === true) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => {
      controller.abort(reason);
    },
    unlink: () => parent?.removeEventListener('abort', follow),
  };
}
