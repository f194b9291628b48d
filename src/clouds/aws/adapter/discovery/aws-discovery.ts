/** Node classes in the account: which subnets, security groups and images their selectors mean now. */
import type { Clock } from '../../../../ports/clock.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { EC2NodeClass, NodeClassSpec } from '../../api/ec2-node-class.js';
import { Images } from './images.js';
import { imagesOfTerms } from './image-terms.js';
import { Network } from './network.js';
import { Parameters } from './parameters.js';
import { PlacementGroups } from './placement-groups.js';
import type { Resolution, ResolvedSecurityGroup, ResolvedSubnet } from './resolution.js';
import { describeTerms } from './selector-terms.js';

export interface AwsDiscoveryOptions {
  readonly clients: AwsClients;
  readonly clock: Clock;
  /** `1.36`: what the nodes will run; asked for aliases only. @throws PortError */
  readonly kubernetesVersion: (signal?: AbortSignal) => Promise<string>;
  /** The UID of the kube-system namespace; asked for placement groups only. @throws PortError */
  readonly clusterUID: () => string;
}

/** Answers are kept for half a minute to a minute, so that any number of node classes and launches may ask. */
export class AwsDiscovery {
  readonly #options: AwsDiscoveryOptions;
  readonly #network: Network;
  readonly #images: Images;
  readonly #parameters: Parameters;
  readonly #placementGroups: PlacementGroups;

  constructor(options: AwsDiscoveryOptions) {
    const { clients, clock } = options;
    this.#options = options;
    this.#network = new Network(clients, clock);
    this.#images = new Images(clients, clock);
    this.#parameters = new Parameters(clients, clock);
    this.#placementGroups = new PlacementGroups(options);
  }

  /**
   * What the class amounts to. What users have to mend is in `problems`.
   * @throws PortError, when AWS fails.
   */
  async resolve({ spec }: Pick<EC2NodeClass, 'spec'>, signal?: AbortSignal): Promise<Resolution> {
    const { clients, kubernetesVersion } = this.#options;
    const { region } = clients;
    const parts = { images: this.#images, parameters: this.#parameters, kubernetesVersion, region };
    const selector = spec.placementGroupSelector;
    const [subnets, securityGroups, found, placed] = await Promise.all([
      this.#network.subnets(spec.subnetSelectorTerms, signal),
      this.#network.securityGroups(spec.securityGroupSelectorTerms, signal),
      imagesOfTerms(parts, spec.amiSelectorTerms, signal),
      selector && this.#placementGroups.find(selector, signal),
    ]);
    const problems = [...networkProblems(spec, { subnets, securityGroups, region }), ...found.problems];
    if (placed !== undefined && 'problem' in placed) problems.push(placed.problem);
    const placementGroup = placed !== undefined && 'group' in placed ? placed.group : undefined;
    return { subnets, securityGroups, images: found.images, placementGroup, problems };
  }

  /** Discards cached answers. */
  forget(): void {
    this.#network.forget();
    this.#images.forget();
    this.#parameters.forget();
    this.#placementGroups.forget();
  }
}

interface FoundNetwork {
  readonly subnets: readonly ResolvedSubnet[];
  readonly securityGroups: readonly ResolvedSecurityGroup[];
  readonly region: string;
}

function networkProblems(spec: NodeClassSpec, found: FoundNetwork): readonly string[] {
  const { subnets, securityGroups, region } = found;
  const problems: string[] = [];
  if (subnets.length === 0)
    problems.push(nothing('spec.subnetSelectorTerms', spec.subnetSelectorTerms, `subnet in ${region}`));
  if (securityGroups.length === 0)
    problems.push(
      nothing(
        'spec.securityGroupSelectorTerms',
        spec.securityGroupSelectorTerms,
        `security group in ${region}`,
      ),
    );
  const stranger = securityGroups.find(({ vpcID }) => isElsewhere(vpcID, subnets));
  if (stranger !== undefined)
    problems.push(
      `spec.securityGroupSelectorTerms select ${stranger.id} of ${String(stranger.vpcID)}, where none of the subnets is: ` +
        'security groups and subnets must be of one VPC',
    );
  return problems;
}

function nothing(field: string, terms: readonly object[], what: string): string {
  return `${describeTerms(field, terms)}: no ${what} matches: tag one so, or correct the terms`;
}

/** Whether none of the subnets is in this VPC, as far as EC2 says. */
function isElsewhere(vpcID: string | undefined, subnets: readonly ResolvedSubnet[]): boolean {
  const known = subnets.flatMap((subnet) => subnet.vpcID ?? []);
  return vpcID !== undefined && known.length > 0 && !known.includes(vpcID);
}
