/** What a node class has selected in the cloud, as its PolicyStatus shows it: the fields of Karpenter's EC2NodeClass status. */

export interface StatusSubnet {
  readonly id: string;
  readonly zone: string;
  /** The same place in every account; undefined where the cloud does not say. */
  readonly zoneID: string | undefined;
}

export interface StatusSecurityGroup {
  readonly id: string;
  readonly name: string;
}

export interface StatusImage {
  readonly id: string;
  readonly name: string;
  /** As kubernetes.io/arch spells it. */
  readonly architecture: string;
  readonly deprecated: boolean;
}

export interface StatusReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly availabilityZone: string;
  readonly ownerID: string | undefined;
  /** `open` or `targeted`. */
  readonly instanceMatchCriteria: string | undefined;
  /** `default` or `capacity-block`. */
  readonly reservationType: string;
  readonly interruptible: boolean;
  /** `expiring`: nothing more is launched into it, because it ends. */
  readonly state: 'active' | 'expiring';
  /** Milliseconds since 1970; undefined where it has no end. */
  readonly endTime: number | undefined;
}

export interface StatusPlacementGroup {
  readonly id: string;
  readonly name: string;
  /** `cluster`, `spread` or `partition`. */
  readonly strategy: string;
  /** `rack` or `host`; undefined of other strategies than spread. */
  readonly spreadLevel: string | undefined;
  /** undefined of other strategies than partition. */
  readonly partitionCount: number | undefined;
}

/** By id, but images newest first. */
export interface ResolvedObjects {
  readonly subnets: readonly StatusSubnet[];
  readonly securityGroups: readonly StatusSecurityGroup[];
  readonly amis: readonly StatusImage[];
  readonly capacityReservations: readonly StatusReservation[];
  /** That of spec.placementGroupSelector; undefined where the class selects none. */
  readonly placementGroups?: readonly StatusPlacementGroup[] | undefined;
  /** '' where there is none. */
  readonly instanceProfile: string;
}
