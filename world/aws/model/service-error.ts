/** How a simulated service says no: AWS' code and words, which each protocol writes in its own way. */

export class ServiceError extends Error {
  readonly code: string;
  /** Of HTTP. */
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
  }
}

/** `InvalidParameterValue`, as EC2 words it. */
export function invalidValue(parameter: string, value: string, allowed: string): ServiceError {
  return new ServiceError(
    'InvalidParameterValue',
    `Value (${value}) for parameter ${parameter} is invalid. ${allowed}`,
  );
}
