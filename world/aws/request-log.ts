/** What was asked of the simulator: counts forever, the requests themselves for a while. */

export interface LoggedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `ec2:CreateFleet`. */
  readonly action: string;
  /** Of HTTP; undefined where no answer was given. */
  readonly status: number | undefined;
  /** AWS' code of the error, or the kind of the fault; undefined when it went well. */
  readonly error: string | undefined;
  /** The body, as it came. */
  readonly body: string;
}

const KEPT = 2_000;

export class RequestLog {
  readonly #counts = new Map<string, number>();
  #recent: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    this.#counts.set(request.action, this.count(request.action) + 1);
    this.#recent.push(request);
    if (this.#recent.length >= 2 * KEPT) this.#recent = this.#recent.slice(-KEPT);
  }

  /** How often this action was asked for, however it ended. */
  count(action: string): number {
    return this.#counts.get(action) ?? 0;
  }

  /** By action. */
  counts(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }

  /** The last ones, at least two thousand of them if there were so many, oldest first. */
  recent(action?: string): readonly LoggedRequest[] {
    return this.#recent.filter((request) => action === undefined || request.action === action);
  }
}
