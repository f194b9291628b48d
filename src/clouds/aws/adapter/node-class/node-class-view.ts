/** A node class with everything that a launch needs of the account, and what users have to mend before there can be one. */
import { UNREGISTERED_TAINT } from '../../../../domain/nodes/node-claim.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { Resolution } from '../discovery/resolution.js';
import { isIPv6, type ClusterFacts } from '../../families/user-data/cluster-facts.js';
import { writtenKubelet } from '../../families/kubelet-expressions.js';
import { userDataFor } from '../../families/user-data.js';
import { allowListProblems, isAllowed, type AllowLists } from './allow-lists.js';
import type { ClusterSource } from './cluster-source.js';
import type { InstanceProfiles } from './instance-profiles.js';
import type { EC2NodeClass, NodeClassSpec } from '../../api/ec2-node-class.js';

export interface NodeClassView extends Pick<
  Resolution,
  'subnets' | 'securityGroups' | 'images' | 'placementGroup'
> {
  readonly spec: NodeClassSpec;
  /** Empty where there is a problem with it. */
  readonly instanceProfile: string;
  readonly cluster: ClusterFacts;
  /** Whether nodes need IPv6 addresses. */
  readonly isIPv6: boolean;
  readonly problems: readonly string[];
}

export interface NodeClassViewsOptions {
  readonly discovery: {
    resolve(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<Resolution>;
  };
  readonly profiles: Pick<InstanceProfiles, 'ensure' | 'keep' | 'keepNamed'>;
  readonly cluster: Pick<ClusterSource, 'facts' | 'isIPv6'>;
  readonly allow: AllowLists;
}

/** What stands in examples where a user has to put the name of a role. */
const PLACEHOLDER = 'REPLACE_WITH_';

/** Custom images need no configuration of the cluster. */
const NO_FACTS: ClusterFacts = { name: '', endpoint: '', certificateAuthority: '', serviceCIDR: '' };

/** @throws PortError, when AWS fails in a way that needs no action of a user. */
export async function viewNodeClass(
  options: NodeClassViewsOptions,
  nodeClass: EC2NodeClass,
  signal?: AbortSignal,
): Promise<NodeClassView> {
  const { spec } = nodeClass;
  const problems: string[] = [];
  /** Runs sequentially, so that problems are reported in a fixed order. */
  const attempt = async <T>(fallback: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      problems.push(mendable(error));
      return fallback;
    }
  };
  const found = await attempt(undefined, () => options.discovery.resolve(nodeClass, signal));
  problems.push(...(found?.problems ?? []), ...allowListProblems(spec, options.allow));
  const { subnets = [], securityGroups = [], images = [], placementGroup } = found ?? {};
  const allowed = subnets.filter(({ id }) => isAllowed(id, options.allow.subnetIDs));
  if (allowed.length === 0 && subnets.length > 0) problems.push(noSubnetAllowed(subnets, options.allow));
  const instanceProfile = await attempt('', () =>
    profileOf(options, spec, { problems, isRefused: problems.length > 0, signal }),
  );
  const cluster = await attempt(NO_FACTS, () => factsFor(options, nodeClass, signal));
  problems.push(...userDataProblems(nodeClass, cluster));
  return {
    ...{ spec, subnets: allowed, securityGroups, images, placementGroup, instanceProfile, cluster, problems },
    isIPv6: nodeClass.amiFamily === 'Custom' ? await isCustomIPv6(options, signal) : isIPv6(cluster),
  };
}

/** What users can mend, as a sentence. @throws all else */
function mendable(error: unknown): string {
  if (hasCode(error, 'Forbidden', 'Invalid', 'NotFound', 'QuotaExceeded')) return error.message;
  throw error;
}

interface ProfileQuestion {
  readonly problems: string[];
  /** Nothing is made for a class that cannot be launched from anyway. */
  readonly isRefused: boolean;
  readonly signal: AbortSignal | undefined;
}

async function profileOf(
  { profiles }: NodeClassViewsOptions,
  { role, instanceProfile }: NodeClassSpec,
  { problems, isRefused, signal }: ProfileQuestion,
): Promise<string> {
  const [field, value] = role === undefined ? ['instanceProfile', instanceProfile ?? ''] : ['role', role];
  if (value.startsWith(PLACEHOLDER)) {
    problems.push(`spec.${field} ${value} is a placeholder: put the name of the nodes' IAM ${field} there`);
    return '';
  }
  if (role === undefined) return profiles.keepNamed(instanceProfile ?? '');
  if (!isRefused) return profiles.ensure(role, signal);
  profiles.keep(role);
  return '';
}

async function factsFor(
  { cluster }: NodeClassViewsOptions,
  { amiFamily }: EC2NodeClass,
  signal: AbortSignal | undefined,
): Promise<ClusterFacts> {
  return amiFamily === 'Custom' ? NO_FACTS : cluster.facts(signal);
}

/** A cluster of custom images need not be one that EKS knows, or tells of. */
async function isCustomIPv6({ cluster }: NodeClassViewsOptions, signal?: AbortSignal): Promise<boolean> {
  try {
    return await cluster.isIPv6(signal);
  } catch (error) {
    if (hasCode(error, 'Forbidden', 'Invalid', 'NotFound')) return false;
    throw error;
  }
}

/** Without the labels of a pool, which come with the launch: what is wrong with it then is wrong with all. */
function userDataProblems(
  { amiFamily, spec, kubelet }: EC2NodeClass,
  cluster: ClusterFacts,
): readonly string[] {
  const userData = userDataFor(amiFamily, {
    cluster,
    labels: new Map(),
    taints: [UNREGISTERED_TAINT],
    kubelet: writtenKubelet(spec.kubelet, kubelet),
    // Of some type: it counts in the size of the text.
    maxPods: 110,
    isInstanceStoreRaid0: spec.instanceStorePolicy === 'RAID0',
    own: spec.userData,
  });
  return 'problem' in userData ? [`spec.${userData.problem}`] : [];
}

function noSubnetAllowed(
  subnets: readonly { readonly id: string }[],
  { subnetIDs = [] }: AllowLists,
): string {
  const ids = subnets.map(({ id }) => id).join(', ');
  return `spec.subnetSelectorTerms select ${ids}, and none of them is allowed; allowed are ${subnetIDs.join(', ')}`;
}
