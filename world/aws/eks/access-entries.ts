/** Which IAM principals may use the cluster: what ListAccessEntries and DescribeAccessEntry tell. */
import { ServiceError } from '../model/service-error.js';
import { slice } from '../protocol/paging.js';

/** EC2_LINUX and EC2_WINDOWS are for nodes, STANDARD is for people and programs. */
export type AccessEntryType = 'EC2_LINUX' | 'EC2_WINDOWS' | 'STANDARD';

export class AccessEntries {
  readonly #entries = new Map<string, AccessEntryType>();
  readonly #clusterName: string;

  constructor(clusterName: string, entries: Readonly<Record<string, AccessEntryType>>) {
    this.#clusterName = clusterName;
    for (const [arn, type] of Object.entries(entries)) this.#entries.set(arn, type);
  }

  /** undefined: there is none any more. */
  set(principalArn: string, type: AccessEntryType | undefined): void {
    if (type === undefined) this.#entries.delete(principalArn);
    else this.#entries.set(principalArn, type);
  }

  /** @throws ServiceError InvalidParameterException, when the page is not of 1 to 100, or the token is not one of these. */
  list(maxResults: string | null, token: string | null): object {
    const arns = [...this.#entries.keys()].sort();
    const size = pageSizeOf(maxResults);
    const { items, nextToken } = slice(arns, size, token ?? undefined, 'InvalidParameterException');
    return { accessEntries: items, nextToken };
  }

  /** @throws ServiceError ResourceNotFoundException (404). */
  describe(principalArn: string): object {
    const type = this.#entries.get(principalArn);
    if (type === undefined)
      throw new ServiceError(
        'ResourceNotFoundException',
        `The specified principalArn could not be found: ${principalArn}`,
        404,
      );
    const isNode = type !== 'STANDARD';
    return {
      accessEntry: {
        ...{ clusterName: this.#clusterName, principalArn, type, tags: {} },
        kubernetesGroups: isNode ? ['system:nodes'] : [],
        username: isNode ? 'system:node:{{EC2PrivateDNSName}}' : principalArn,
      },
    };
  }
}

/** Entries on a page of any EKS list; 100 when it is not given. @throws ServiceError InvalidParameterException, when it is not 1 to 100. */
export function pageSizeOf(maxResults: string | null): number {
  if (maxResults === null) return 100;
  if (/^([1-9]\d?|100)$/.test(maxResults)) return Number(maxResults);
  throw new ServiceError('InvalidParameterException', 'maxResults must be between 1 and 100');
}
