/** What a node class amounts to in the account and region, with all that a launch needs to choose. */
import type { PlacementGroup } from '../../../../domain/nodes/placement-group.js';
import type { ImageVariant } from '../../families/family.js';

export interface ResolvedSubnet {
  readonly id: string;
  readonly zone: string;
  /** `euw3-az1`: the same place in every account; undefined when EC2 does not say. */
  readonly zoneID: string | undefined;
  readonly freeAddresses: number;
  readonly vpcID: string | undefined;
}

export interface ResolvedSecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly vpcID: string | undefined;
}

export interface ResolvedImage {
  readonly id: string;
  readonly name: string;
  /** As kubernetes.io/arch spells it. */
  readonly arch: 'amd64' | 'arm64';
  /** Milliseconds since 1970; undefined when EC2 does not say. */
  readonly createdAt: number | undefined;
  /** Its owner asks that it be used no longer. */
  readonly deprecated: boolean;
  /** undefined: any instance of the architecture. */
  readonly variants: readonly ImageVariant[] | undefined;
}

export interface Resolution {
  /** By id. */
  readonly subnets: readonly ResolvedSubnet[];
  /** By id. */
  readonly securityGroups: readonly ResolvedSecurityGroup[];
  /** Those that a launch would take now, newest first: of equals (architecture and variants) only the newest. */
  readonly images: readonly ResolvedImage[];
  /** The one that is selected and found. */
  readonly placementGroup?: PlacementGroup | undefined;
  /** Sentences saying what the user has to mend before anything can be launched. */
  readonly problems: readonly string[];
}
