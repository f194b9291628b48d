/** Which actions the caller's policy refuses. */
import { matchesWildcard } from './wildcard.js';
import { ServiceError } from './service-error.js';

export class Access {
  readonly #denied: string[] = [];
  readonly #caller: string;

  /** The caller, as an ARN: refusals name it. */
  constructor(caller: string) {
    this.#caller = caller;
  }

  /** Refuses what matches, `ec2:CreateFleet` or `ec2:Describe*`, until the answer is called. */
  deny(pattern: string): () => void {
    this.#denied.push(pattern);
    return () => {
      const index = this.#denied.indexOf(pattern);
      if (index >= 0) this.#denied.splice(index, 1);
    };
  }

  allows(action: string): boolean {
    return !this.#denied.some((pattern) => matchesWildcard(pattern, action));
  }

  /** @throws ServiceError UnauthorizedOperation in EC2, AccessDenied(Exception) elsewhere, naming the action. */
  check(action: string): void {
    if (this.allows(action)) return;
    const reason = this.reason(action);
    if (action.startsWith('ec2:'))
      throw new ServiceError(
        'UnauthorizedOperation',
        `You are not authorized to perform this operation. ${reason}`,
        403,
      );
    if (action.startsWith('iam:')) throw new ServiceError('AccessDenied', reason, 403);
    throw new ServiceError('AccessDeniedException', reason, action.startsWith('eks:') ? 403 : 400);
  }

  reason(action: string): string {
    return (
      `User: ${this.#caller} is not authorized to perform: ${action} ` +
      `because no identity-based policy allows the ${action} action`
    );
  }
}
