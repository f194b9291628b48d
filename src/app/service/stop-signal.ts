/** SIGTERM and SIGINT as an AbortSignal; asked a second time, the process ends at once. */

/** The part of a process that is listened to. */
export interface Signalled {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): never;
}

/** Exit code of a process that was interrupted (128 + SIGINT). */
const INTERRUPTED = 130;

export function stopSignal(process: Signalled): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort(new Error('received a stop signal'));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return controller.signal;
}
