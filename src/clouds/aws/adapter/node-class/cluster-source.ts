/** What is known of the cluster: told by options, and where they are silent, by EKS. */
import { DescribeClusterCommand, type Cluster } from '@aws-sdk/client-eks';
import type { Clock } from '../../../../ports/clock.js';
import { PortError } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';
import { isIPv6, type ClusterFacts } from '../../families/user-data/cluster-facts.js';

export interface ClusterOptions {
  /** As EKS knows it. */
  readonly name: string;
  readonly endpoint?: string | undefined;
  /** PEM in base64. */
  readonly certificateAuthority?: string | undefined;
  readonly serviceCIDR?: string | undefined;
  /** `1.36`. */
  readonly version?: string | undefined;
}

export interface ClusterSourceOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clock: Clock;
  readonly cluster: ClusterOptions;
}

/** A cluster is upgraded now and then; all else about it stays. */
const FRESH_MILLIS = 300_000;

export class ClusterSource {
  readonly #options: ClusterSourceOptions;
  #known: { readonly cluster: Cluster; readonly at: number } | undefined;

  constructor(options: ClusterSourceOptions) {
    this.#options = options;
  }

  /** @throws PortError Invalid, naming what neither the options nor EKS say; or what the call of EKS throws. */
  async facts(signal?: AbortSignal): Promise<ClusterFacts> {
    const { name, endpoint, certificateAuthority, serviceCIDR } = this.#options.cluster;
    if (endpoint !== undefined && certificateAuthority !== undefined && serviceCIDR !== undefined)
      return { name, endpoint, certificateAuthority, serviceCIDR };
    const found = await this.#describe(signal);
    return {
      name,
      endpoint: endpoint ?? this.#needed(found.endpoint, 'endpoint'),
      certificateAuthority:
        certificateAuthority ?? this.#needed(found.certificateAuthority?.data, 'certificateAuthority'),
      serviceCIDR: serviceCIDR ?? this.#needed(serviceRange(found), 'service CIDR'),
    };
  }

  /** Whether nodes and pods have IPv6 addresses. @throws PortError, what the call of EKS throws. */
  async isIPv6(signal?: AbortSignal): Promise<boolean> {
    const { serviceCIDR } = this.#options.cluster;
    return isIPv6({ serviceCIDR: serviceCIDR ?? serviceRange(await this.#describe(signal)) ?? '' });
  }

  /** As EKS names the cluster to other services. */
  async arn(signal?: AbortSignal): Promise<string> {
    return this.#needed((await this.#describe(signal)).arn, 'ARN');
  }

  /** The Kubernetes minor, `1.36`. */
  async version(signal?: AbortSignal): Promise<string> {
    return this.#options.cluster.version ?? this.#needed((await this.#describe(signal)).version, 'version');
  }

  async #describe(signal?: AbortSignal): Promise<Cluster> {
    const { clients, clock, cluster } = this.#options;
    const { name } = cluster;
    const now = clock.monotonic();
    if (this.#known !== undefined && now - this.#known.at < FRESH_MILLIS) return this.#known.cluster;
    const answer = await clients.call(
      'DescribeCluster',
      (client, options) => client.send(new DescribeClusterCommand({ name }), options),
      { signal, subject: name },
    );
    this.#known = { cluster: answer.cluster ?? {}, at: now };
    return this.#known.cluster;
  }

  #needed(value: string | undefined, what: string): string {
    if (value !== undefined && value !== '') return value;
    throw new PortError('Invalid', {
      operation: `describe cluster ${this.#options.cluster.name}`,
      message: `EKS does not report its ${what}, and no flag sets it`,
    });
  }
}

/** Addresses of Services; a cluster has those of one family. */
function serviceRange({ kubernetesNetworkConfig: network }: Cluster): string | undefined {
  return network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr;
}
