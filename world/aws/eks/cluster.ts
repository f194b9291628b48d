/** The EKS cluster, as DescribeCluster tells it. */
import { ServiceError } from '../model/service-error.js';

export interface EksCluster {
  readonly name: string;
  /** `1.34`. */
  readonly version: string;
  readonly endpoint: string;
  /** Base64. */
  readonly certificateAuthority: string;
  readonly serviceCidr: string;
  readonly arn: string;
  readonly roleArn: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly vpcID: string;
  readonly subnetIDs: readonly string[];
  readonly securityGroupIDs: readonly string[];
}

/** `GET /clusters/NAME` and `GET /clusters`: action and name of the request. */
export function eksActionOf(
  method: string,
  path: string,
): { readonly action: string; readonly name: string } | undefined {
  const pathname = path.replace(/[?#].*/s, '');
  if (method !== 'GET') return undefined;
  if (pathname === '/clusters') return { action: 'ListClusters', name: '' };
  const name = /^\/clusters\/([A-Za-z0-9_-]+)$/.exec(pathname)?.[1];
  return name === undefined ? undefined : { action: 'DescribeCluster', name };
}

/** All there is fits on any page. @throws ServiceError InvalidParameterException, when the page is not of 1 to 100. */
export function listClusters({ name }: EksCluster, maxResults: string): object {
  if (/^([1-9]\d?|100)$/.test(maxResults)) return { clusters: [name] };
  throw new ServiceError('InvalidParameterException', 'maxResults must be between 1 and 100');
}

/** @throws ServiceError ResourceNotFoundException (404). */
export function describeCluster(cluster: EksCluster, name: string): object {
  if (name !== cluster.name)
    throw new ServiceError('ResourceNotFoundException', `No cluster found for name: ${name}.`, 404);
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
      kubernetesNetworkConfig: { serviceIpv4Cidr: cluster.serviceCidr, ipFamily: 'ipv4' },
      status: 'ACTIVE',
      certificateAuthority: { data: cluster.certificateAuthority },
      platformVersion: 'eks.1',
      tags: {},
      accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    },
  };
}
