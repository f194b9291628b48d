/** Zones that an operator or the cloud moves traffic away from, since something there is broken or for practice, as a port. */

export interface ZonalShift {
  /** `us-east-1a`. */
  readonly zone: string;
  /** `use1-az1`: the same place in every account. */
  readonly zoneID: string;
}

export interface ZonalShifts {
  /** Those of the cluster that are in force now, by zone. @throws PortError */
  current(signal?: AbortSignal): Promise<readonly ZonalShift[]>;
}
