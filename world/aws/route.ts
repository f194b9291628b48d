/** Which service a request is for, and what it asks: all services share one address. */
import { eksActionOf } from './eks/cluster.js';
import type { WireRequest } from '../wire/wire.js';

export interface Route {
  /** As policies spell it. */
  readonly service: 'ec2' | 'iam' | 'sqs' | 'ssm' | 'pricing' | 'eks';
  readonly action: string;
}

const TARGETS: Readonly<Record<string, Route['service']>> = {
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  AWSPriceListService: 'pricing',
};
const VERSIONS: Readonly<Record<string, Route['service']>> = { '2016-11-15': 'ec2', '2010-05-08': 'iam' };

/** undefined when no simulated service answers such requests. An EC2 request without an action has the action ``. */
export function routeOf({ method, path, headers, body }: WireRequest): Route | undefined {
  const target = headers['x-amz-target'];
  if (target !== undefined) {
    const [name = '', action = ''] = target.split('.');
    const service = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
    return service && { service, action };
  }
  const form = new URLSearchParams(isForm(headers) ? body : '');
  const version = form.get('Version');
  if (version !== null && Object.hasOwn(VERSIONS, version))
    return { service: VERSIONS[version] ?? 'ec2', action: form.get('Action') ?? '' };
  const eks = eksActionOf(method, path);
  return eks && { service: 'eks', action: eks.action };
}

function isForm(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}
