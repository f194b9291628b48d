/**
 * Zonal shifts and zonal autoshifts of the EKS cluster, as Amazon Application Recovery Controller (ARC) tells them by GetManagedResource
 * (ARC API reference, Zonal Shift). A cluster that is not registered there has none.
 */
import { hasCode } from '../../../../ports/port-error.js';
import type { ZonalShift, ZonalShifts } from '../../../../ports/zonal-shifts.js';
import type { Catalogue } from '../../catalogue/index.js';
import type { AwsClients } from '../client/aws-clients.js';
import { objectIn } from '../client/signed-service.js';
import type { ClusterSource } from '../node-class/cluster-source.js';

export interface ZonalShiftsOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly cluster: Pick<ClusterSource, 'arn'>;
  /** Tells the names of zones, which ARC knows by their ids. */
  readonly catalogue: () => Pick<Catalogue, 'entries'>;
}

/** The parts of the answer that are read. */
interface ManagedResource {
  readonly zonalShifts?: readonly Shift[];
  readonly autoshifts?: readonly Shift[];
}

interface Shift {
  /** APPLIED or NOT_APPLIED: of several, one is in force. */
  readonly appliedStatus?: string;
  /** The id of a zone. */
  readonly awayFrom?: string;
}

const OPERATION = 'GetManagedResource';

export function zonalShifts(options: ZonalShiftsOptions): ZonalShifts {
  // An ARN never changes, and EKS is asked for it once.
  let known: string | undefined;
  return {
    current: async (signal) => {
      const arn = known ?? (await options.cluster.arn(signal));
      known = arn;
      return currentShifts(options, arn, signal);
    },
  };
}

async function currentShifts(
  { clients, catalogue }: ZonalShiftsOptions,
  arn: string,
  signal?: AbortSignal,
): Promise<readonly ZonalShift[]> {
  const path = `/managedresources/${encodeURIComponent(arn)}`;
  let answer: string;
  try {
    answer = await clients.call(OPERATION, (arc, options) => arc.send({ path }, options), {
      signal,
      subject: arn,
    });
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
  const { zonalShifts: manual = [], autoshifts: automatic = [] } = objectIn(
    answer,
    `arc-zonal-shift:${OPERATION}`,
  ) as ManagedResource;
  const inForce = [...manual, ...automatic].filter(({ appliedStatus }) => appliedStatus === 'APPLIED');
  const ids = new Set(inForce.flatMap(({ awayFrom }) => awayFrom ?? []));
  if (ids.size === 0) return [];
  const names = zoneNames(catalogue());
  return [...ids]
    .map((zoneID) => ({ zone: names.get(zoneID) ?? zoneID, zoneID }))
    .sort((one, other) => (one.zone < other.zone ? -1 : 1));
}

/** By id. */
function zoneNames({ entries }: Pick<Catalogue, 'entries'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { offerings } of entries)
    for (const { zone, zoneID } of offerings) if (zoneID !== undefined) names.set(zoneID, zone);
  return names;
}
