/** The simulated services, each behind its protocol. */
import type { BuiltAccount, ChosenOptions } from './build-account.js';
import { ec2Service } from './ec2/ec2-service.js';
import {
  describeCluster,
  eksRequestOf,
  listClusters,
  requireCluster,
  type EksCluster,
  type EksRequest,
} from './eks/cluster.js';
import { managedResourceOf } from './eks/zonal-shifts.js';
import { PriceList } from './pricing/price-list.js';
import { awsJson, JSON_1_1, REST_JSON, type JsonDialect } from './protocol/aws-json.js';
import { iamQuery, stsQuery } from './protocol/form-query.js';
import { endpointOf, type Endpoint, type Protocol } from './protocol/service.js';
import { stableID } from './model/stable-hash.js';
import { ServiceError } from './model/service-error.js';
import type { Access } from './iam/access.js';
import type { XmlStructure } from './protocol/xml.js';
import type { WireRequest } from '../wire/wire.js';

/** What SQS called its errors in the query protocol, where that was something else, as its API model lists it. */
const QUERY_CODES: Readonly<Record<string, string>> = {
  AccessDeniedException: 'AccessDenied',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
};

const SQS_JSON: JsonDialect = {
  contentType: 'application/x-amz-json-1.0',
  errorNamespace: 'com.amazonaws.sqs#',
  queryCode: (code) => QUERY_CODES[code] ?? code,
};

export interface EndpointsOptions extends BuiltAccount {
  readonly options: ChosenOptions;
  /** Of the EKS cluster as it is now: PEM in base64. */
  readonly certificateAuthority: () => string;
}

export function endpointsOf({
  options,
  account,
  queues,
  parameters,
  accessEntries,
  eventRules,
  zonalShifts,
  certificateAuthority,
}: EndpointsOptions): Readonly<Record<Route['service'], Endpoint>> {
  const { access } = account;
  const prices = new PriceList({ region: options.region, offerings: account.offerings });
  return {
    ec2: endpointOf(ec2Service(account)),
    iam: endpointOf({
      name: 'iam',
      protocol: iamQuery,
      act: (action, query) => {
        for (const ask of account.profiles.authorizations(action, query)) access.check(ask);
        return account.profiles.act(action, query);
      },
    }),
    sqs: endpointOf({
      name: 'sqs',
      protocol: awsJson(SQS_JSON),
      act: (action, input, { signal }) => {
        // Batches need the permission of the single action (SQS developer guide, API permissions).
        const name = action.replace(/Batch$/, '');
        const queue = input.text('QueueName') ?? input.text('QueueUrl')?.replace(/^.*\//, '') ?? '*';
        const resource = `arn:aws:sqs:${options.region}:${options.account}:${queue}`;
        access.check({ action: `sqs:${name}`, resource });
        return queues.act(action, input, signal);
      },
    }),
    ssm: endpointOf({
      name: 'ssm',
      protocol: awsJson(JSON_1_1),
      act: (action, input) => {
        for (const name of input.texts('Names'))
          access.check({ action: `ssm:${action}`, resource: parameterArn(options.region, name) });
        if (!input.has('Names')) access.check({ action: `ssm:${action}` });
        return parameters.act(action, input);
      },
    }),
    pricing: endpointOf({
      name: 'pricing',
      protocol: awsJson(JSON_1_1),
      act: (action, input) => {
        access.check({ action: `pricing:${action}` });
        return prices.act(action, input);
      },
    }),
    ...endpointsOfCluster({ options, account, accessEntries, eventRules, zonalShifts, certificateAuthority }),
  };
}

/** Of the services that are asked about the cluster, about what reaches it, and about who asks. */
function endpointsOfCluster({
  options,
  account,
  accessEntries,
  eventRules,
  zonalShifts,
  certificateAuthority,
}: Omit<EndpointsOptions, 'queues' | 'parameters'>): Readonly<
  Record<'arc-zonal-shift' | 'eks' | 'events' | 'sts', Endpoint>
> {
  const { access } = account;
  return {
    'arc-zonal-shift': endpointOf({
      name: 'arc-zonal-shift',
      protocol: {
        ...awsJson(REST_JSON),
        read: ({ method, path }) => managedResourceOf(method, path) ?? '',
      },
      act: (action, resource: string) => {
        access.check({ action: `arc-zonal-shift:${action}`, resource });
        return zonalShifts.resource(resource);
      },
    }),
    eks: endpointOf({
      name: 'eks',
      protocol: eksProtocol,
      act: eksAction(clusterOf({ options, account, accessEntries, certificateAuthority }), access),
    }),
    events: endpointOf({
      name: 'events',
      protocol: awsJson(JSON_1_1),
      act: (action, input) => {
        access.check({ action: `events:${action}` });
        return eventRules.act(action, input);
      },
    }),
    sts: endpointOf({
      name: 'sts',
      protocol: stsQuery,
      // It needs no permission.
      act: (action) => {
        if (action === 'GetCallerIdentity') return callerIdentity(options.account);
        throw new ServiceError('InvalidAction', `Could not find operation ${action} for version 2011-06-15`);
      },
    }),
  };
}

function callerIdentity(account: string): XmlStructure {
  return {
    Arn: `arn:aws:sts::${account}:assumed-role/berth/simulated`,
    UserId: 'AROASIMULATED:simulated',
    Account: account,
  };
}

/** EKS is asked for things in the path. */
interface EksInput extends Pick<EksRequest, 'name' | 'principal'> {
  readonly maxResults: string | null;
  readonly nextToken: string | null;
}

const eksProtocol: Protocol<EksInput, object> = {
  ...awsJson(REST_JSON),
  read: ({ method, path }) => {
    const { name = '', principal = '' } = eksRequestOf(method, path) ?? {};
    const query = new URLSearchParams(path.replace(/^[^?]*/, ''));
    return { name, principal, maxResults: query.get('maxResults'), nextToken: query.get('nextToken') };
  },
};

function eksAction(cluster: EksCluster, access: Access): (action: string, input: EksInput) => object {
  return (action, { name, principal, maxResults, nextToken }) => {
    const isAboutOne = action !== 'ListClusters';
    access.check({ action: `eks:${action}`, ...(isAboutOne && { resource: clusterArn(cluster, name) }) });
    if (action === 'ListClusters') return listClusters(cluster, maxResults);
    if (action === 'DescribeCluster') return describeCluster(cluster, name);
    requireCluster(cluster, name);
    if (action === 'ListAccessEntries') return cluster.accessEntries.list(maxResults, nextToken);
    if (action === 'DescribeAccessEntry') return cluster.accessEntries.describe(principal);
    throw new ServiceError('UnknownOperationException', `The operation ${action} is not known`, 404);
  };
}

/** As policies name it, whether it is there or not. */
function clusterArn({ arn }: EksCluster, name: string): string {
  return arn.replace(/[^/]*$/, name);
}

/** AWS' own parameters belong to no account. */
function parameterArn(region: string, name: string): string {
  return `arn:aws:ssm:${region}::parameter${name.startsWith('/') ? '' : '/'}${name}`;
}

function clusterOf({
  options,
  account: { network },
  accessEntries,
  certificateAuthority,
}: Pick<EndpointsOptions, 'options' | 'account' | 'accessEntries' | 'certificateAuthority'>): EksCluster {
  const { region, account, clusterName } = options;
  return {
    name: clusterName,
    version: options.kubernetesVersion,
    endpoint: options.clusterEndpoint,
    certificateAuthority,
    serviceCidr: options.ipFamily === 'ipv6' ? 'fd30:1c53:5f8a::/108' : '10.100.0.0/16',
    arn: `arn:aws:eks:${region}:${account}:cluster/${clusterName}`,
    roleArn: `arn:aws:iam::${account}:role/${clusterName}-cluster`,
    createdAt: options.clock.now(),
    vpcID: network.vpcID,
    subnetIDs: network.subnets.filter(({ tags }) => tags.has('karpenter.sh/discovery')).map(({ id }) => id),
    securityGroupIDs: [stableID('sg', clusterName)],
    accessEntries,
  };
}

export interface Route {
  /** As policies spell it. */
  readonly service: 'arc-zonal-shift' | 'ec2' | 'iam' | 'sqs' | 'ssm' | 'pricing' | 'eks' | 'events' | 'sts';
  readonly action: string;
}

const TARGETS: Readonly<Record<string, Route['service']>> = {
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  AWSPriceListService: 'pricing',
  AWSEvents: 'events',
};
const VERSIONS: Readonly<Record<string, Route['service']>> = {
  '2016-11-15': 'ec2',
  '2010-05-08': 'iam',
  '2011-06-15': 'sts',
};

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
  return routeByPath(method, path);
}

/** Of the services with the REST protocol. */
function routeByPath(method: string, path: string): Route | undefined {
  if (managedResourceOf(method, path) !== undefined)
    return { service: 'arc-zonal-shift', action: 'GetManagedResource' };
  const eks = eksRequestOf(method, path);
  return eks && { service: 'eks', action: eks.action };
}

function isForm(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}
