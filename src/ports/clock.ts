/** Time, as a port: the only way to know it or to wait. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back: for durations. */
  monotonic(): number;
  /**
   * Waits.
   * @throws PortError Cancelled, when the signal is aborted before.
   */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
  /** Calls once after the time; answers what prevents it. Never keeps a process alive. */
  timer(millis: number, callback: () => void): () => void;
}
