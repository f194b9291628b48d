/** What the caller may do: policies attached to its role, those of the organization, and plain denials for tests. */
import { PolicyDocument, type AccessQuestion } from './policy-document.js';
import { matchesWildcard } from '../model/wildcard.js';
import { ServiceError } from '../model/service-error.js';

/** An action, and where it matters, on what and under which conditions. */
export interface AccessAsk {
  readonly action: string;
  readonly resource?: string | undefined;
  /** Condition key → its values, `aws:RequestTag/team` → [`a`]. */
  readonly context?: Iterable<readonly [string, readonly string[]]> | undefined;
}

export interface AccessOptions {
  /** As an ARN: refusals name it. */
  readonly caller: string;
  readonly region: string;
}

export class Access {
  readonly #denied: string[] = [];
  readonly #identity: PolicyDocument[] = [];
  readonly #organization: PolicyDocument[] = [];
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Refuses what matches, `ec2:CreateFleet` or `ec2:Describe*`, until the answer is called. */
  deny(pattern: string): () => void {
    return attached(this.#denied, pattern);
  }

  /** The role has this policy, and may do nothing else, until the answer is called. @throws TypeError, when it is none. */
  attachPolicy(document: unknown): () => void {
    return attached(this.#identity, PolicyDocument.parse(document));
  }

  /** The account's organization has this policy, whose denials hold for every role. @throws TypeError, when it is none. */
  attachServiceControlPolicy(document: unknown): () => void {
    return attached(this.#organization, PolicyDocument.parse(document));
  }

  /** Whether nothing is refused, so that a request need not be taken apart. */
  get isOpen(): boolean {
    return this.#denied.length + this.#identity.length + this.#organization.length === 0;
  }

  /** Why it is refused, in IAM's words; undefined when it is allowed. */
  refusal({ action, resource = '*', context = [] }: AccessAsk): string | undefined {
    const question: AccessQuestion = {
      action,
      resource,
      context: new Map([
        ['aws:requestedregion', [this.#options.region]],
        ...[...context].map(([key, values]) => [key.toLowerCase(), values] as const),
      ]),
    };
    const on = resource === '*' ? '' : ` on resource: ${resource}`;
    const subject = `User: ${this.#options.caller} is not authorized to perform: ${action}${on}`;
    if (this.#organization.some((policy) => policy.denies(question)))
      return `${subject} with an explicit deny in a service control policy`;
    if (this.#identity.some((policy) => policy.denies(question)))
      return `${subject} with an explicit deny in an identity-based policy`;
    const isDenied = this.#denied.some((pattern) => matchesWildcard(pattern, action));
    const isGranted = this.#identity.length === 0 || this.#identity.some((policy) => policy.allows(question));
    if (!isDenied && isGranted) return undefined;
    return `${subject} because no identity-based policy allows the ${action} action`;
  }

  /** @throws ServiceError UnauthorizedOperation in EC2, AccessDenied(Exception) elsewhere, naming the action. */
  check(ask: AccessAsk): void {
    const reason = this.refusal(ask);
    if (reason !== undefined) throw refused(ask.action, reason);
  }

  /** All of what EC2 asks about one request. @throws ServiceError UnauthorizedOperation, naming the first that is refused. */
  checkEc2(asks: () => readonly AccessAsk[]): void {
    if (this.isOpen) return;
    for (const ask of asks()) {
      const reason = this.refusal(ask);
      if (reason !== undefined) throw unauthorizedOperation(reason);
    }
  }
}

function attached<T>(list: T[], item: T): () => void {
  list.push(item);
  return () => {
    const index = list.indexOf(item);
    if (index >= 0) list.splice(index, 1);
  };
}

function refused(action: string, reason: string): ServiceError {
  if (action.startsWith('ec2:')) return unauthorizedOperation(reason);
  if (action.startsWith('iam:')) return new ServiceError('AccessDenied', reason, 403);
  const isRest = action.startsWith('eks:') || action.startsWith('arc-zonal-shift:');
  return new ServiceError('AccessDeniedException', reason, isRest ? 403 : 400);
}

/** As EC2 says it, whichever service's permission is missing. */
function unauthorizedOperation(reason: string): ServiceError {
  return new ServiceError(
    'UnauthorizedOperation',
    `You are not authorized to perform this operation. ${reason}`,
    403,
  );
}
