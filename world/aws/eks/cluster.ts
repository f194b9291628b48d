/** The EKS cluster, as DescribeCluster tells it. */
import { pageSizeOf, type AccessEntries } from './access-entries.js';
import { ServiceError } from '../model/service-error.js';

export interface EksCluster {
  readonly name: string;
  /** `1.34`. */
  readonly version: string;
  readonly endpoint: string;
  /** Base64; it may change. */
  readonly certificateAuthority: () => string;
  readonly serviceCidr: string;
  readonly arn: string;
  readonly roleArn: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly vpcID: string;
  readonly subnetIDs: readonly string[];
  readonly securityGroupIDs: readonly string[];
  readonly accessEntries: AccessEntries;
}

export interface EksRequest {
  readonly action: 'ListClusters' | 'DescribeCluster' | 'ListAccessEntries' | 'DescribeAccessEntry';
  /** Of the cluster; '' where it is about all. */
  readonly name: string;
  /** ARN of the principal of an access entry; ''. */
  readonly principal: string;
}

const CLUSTER_PATH = /^\/clusters\/([A-Za-z0-9_-]+)(?:\/(access-entries)(?:\/([^/]+))?)?$/;

/** What `GET /clusters`, `GET /clusters/NAME` and `GET /clusters/NAME/access-entries` with an ARN or without ask for. */
export function eksRequestOf(method: string, path: string): EksRequest | undefined {
  const pathname = path.replace(/[?#].*/s, '');
  if (method !== 'GET') return undefined;
  if (pathname === '/clusters') return { action: 'ListClusters', name: '', principal: '' };
  const [, name, entries, principal] = CLUSTER_PATH.exec(pathname) ?? [];
  if (name === undefined) return undefined;
  if (entries === undefined) return { action: 'DescribeCluster', name, principal: '' };
  if (principal === undefined) return { action: 'ListAccessEntries', name, principal: '' };
  return { action: 'DescribeAccessEntry', name, principal: decodeURIComponent(principal) };
}

/** All there is fits on any page. @throws ServiceError InvalidParameterException, when the page is not of 1 to 100. */
export function listClusters({ name }: EksCluster, maxResults: string | null): object {
  pageSizeOf(maxResults);
  return { clusters: [name] };
}

/** @throws ServiceError ResourceNotFoundException (404), when the cluster has another name. */
export function requireCluster(cluster: EksCluster, name: string): void {
  if (name !== cluster.name)
    throw new ServiceError('ResourceNotFoundException', `No cluster found for name: ${name}.`, 404);
}

/** @throws ServiceError ResourceNotFoundException (404). */
export function describeCluster(cluster: EksCluster, name: string): object {
  requireCluster(cluster, name);
  return {
    cluster: {
      name,
      arn: cluster.arn,
      createdAt: cluster.createdAt / 1000,
      version: cluster.version,
      endpoint: cluster.endpoint,
      roleArn: cluster.roleArn,
      resourcesVpcConfig: {
        subnetIds: cluster.subnetIDs,
        securityGroupIds: cluster.securityGroupIDs,
        clusterSecurityGroupId: cluster.securityGroupIDs[0],
        vpcId: cluster.vpcID,
        endpointPublicAccess: true,
        endpointPrivateAccess: true,
        publicAccessCidrs: ['0.0.0.0/0'],
      },
      kubernetesNetworkConfig: cluster.serviceCidr.includes(':')
        ? { serviceIpv6Cidr: cluster.serviceCidr, ipFamily: 'ipv6' }
        : { serviceIpv4Cidr: cluster.serviceCidr, ipFamily: 'ipv4' },
      status: 'ACTIVE',
      certificateAuthority: { data: cluster.certificateAuthority() },
      platformVersion: 'eks.1',
      tags: {},
      accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    },
  };
}
