/** What a node has to know of the cluster in order to join it. */

export interface ClusterFacts {
  readonly name: string;
  /** URL of the API server. */
  readonly endpoint: string;
  /** PEM of its certificate authority, in base64. */
  readonly certificateAuthority: string;
  /** Addresses of Services. */
  readonly serviceCIDR: string;
}

/** Whether pods and nodes of the cluster have IPv6 addresses, as its Services do. */
export function isIPv6({ serviceCIDR }: Pick<ClusterFacts, 'serviceCIDR'>): boolean {
  return serviceCIDR.includes(':');
}

/** The address that EKS gives to the cluster's DNS: the tenth of an IPv4 range, `…a` of an IPv6 range. */
export function clusterDNS({ serviceCIDR }: Pick<ClusterFacts, 'serviceCIDR'>): string | undefined {
  const base = serviceCIDR.split('/')[0] ?? '';
  const bytes = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(base)?.[1];
  if (bytes !== undefined) return `${bytes}.10`;
  return base.endsWith('::') ? `${base}a` : undefined;
}
