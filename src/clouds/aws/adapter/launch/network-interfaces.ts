/** The network of a node as a launch template has it: security groups alone, or interfaces that have them. */
import type {
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';

type Network = Pick<RequestLaunchTemplateData, 'SecurityGroupIds' | 'NetworkInterfaces'>;

/** EC2 takes groups in one of the two places only. The subnet comes with the override. */
export function networkOf(spec: NodeClassSpec, securityGroupIDs: readonly string[]): Network {
  const { associatePublicIPAddress, ipPrefixCount, connectionTracking, networkInterfaces } = spec;
  const isPlain = [associatePublicIPAddress, ipPrefixCount, connectionTracking].every(
    (value) => value === undefined,
  );
  if (isPlain && (networkInterfaces ?? []).length === 0) return { SecurityGroupIds: [...securityGroupIDs] };
  const wanted = networkInterfaces?.length ? networkInterfaces : [PRIMARY];
  return { NetworkInterfaces: wanted.map((item) => interfaceOf(item, spec, securityGroupIDs)) };
}

type Interface = NonNullable<NodeClassSpec['networkInterfaces']>[number];

const PRIMARY: Interface = { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' };

function interfaceOf(
  { networkCardIndex, deviceIndex, interfaceType }: Interface,
  { associatePublicIPAddress, ipPrefixCount, connectionTracking: tracking }: NodeClassSpec,
  securityGroupIDs: readonly string[],
): LaunchTemplateInstanceNetworkInterfaceSpecificationRequest {
  const isPrimary = networkCardIndex === 0 && deviceIndex === 0;
  return {
    NetworkCardIndex: networkCardIndex,
    DeviceIndex: deviceIndex,
    InterfaceType: interfaceType,
    Groups: [...securityGroupIDs],
    DeleteOnTermination: true,
    ...(isPrimary && {
      AssociatePublicIpAddress: associatePublicIPAddress,
      Ipv4PrefixCount: ipPrefixCount === 0 ? undefined : ipPrefixCount,
    }),
    // An EFA-only interface has no IP address whose connections could be tracked.
    ...(interfaceType !== 'efa-only' &&
      tracking && {
        ConnectionTrackingSpecification: {
          TcpEstablishedTimeout: tracking.tcpEstablishedTimeout,
          UdpStreamTimeout: tracking.udpStreamTimeout,
          UdpTimeout: tracking.udpTimeout,
        },
      }),
  };
}
