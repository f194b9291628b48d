/** The error for input that a command cannot work with: it ends with exit code 2 and this message on stderr. */

export class UsageError extends Error {
  /** Whether `berth COMMAND --help` would help: true for wrong flags, false for wrong files. */
  readonly aboutFlags: boolean;

  constructor(message: string, options: { readonly aboutFlags?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'UsageError';
    this.aboutFlags = options.aboutFlags ?? false;
  }
}

/** By its name, since the simulated world is a bundle of its own and throws its own copy of the class. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError';
}
