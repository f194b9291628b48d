/** Application Recovery Controller: zones that the cluster is shifted away from, as GetManagedResource tells them. */
import { ServiceError } from '../model/service-error.js';

export type ShiftKind = 'zonal shift' | 'autoshift';

interface Shift {
  readonly zoneID: string;
  readonly kind: ShiftKind;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

const RESOURCE_PATH = /^\/managedresources\/([^/?#]+)$/;
/** A zonal shift ends by itself, at the latest after three days. */
const MOST_MILLIS = 3 * 86_400_000;

/** What `GET /managedresources/ARN` asks about; undefined when the request is another one. */
export function managedResourceOf(method: string, path: string): string | undefined {
  const [, resource] = method === 'GET' ? (RESOURCE_PATH.exec(path) ?? []) : [];
  return resource === undefined ? undefined : decodeURIComponent(resource);
}

export class ZonalShifts {
  readonly #clusterArn: string;
  readonly #zoneIDs: ReadonlySet<string>;
  #shift: Shift | undefined;

  constructor({ clusterArn, zoneIDs }: { readonly clusterArn: string; readonly zoneIDs: readonly string[] }) {
    this.#clusterArn = clusterArn;
    this.#zoneIDs = new Set(zoneIDs);
  }

  /** Shifts the cluster away from the zone of this id. @throws RangeError, when there is no such zone. */
  start(zoneID: string, kind: ShiftKind, startedAt: number): void {
    if (!this.#zoneIDs.has(zoneID)) throw new RangeError(`zone ${zoneID}: there is none`);
    this.#shift = { zoneID, kind, startedAt };
  }

  end(): void {
    this.#shift = undefined;
  }

  /** @throws ServiceError ResourceNotFoundException (404), when the resource is not registered. */
  resource(arn: string): object {
    if (arn !== this.#clusterArn)
      throw new ServiceError('ResourceNotFoundException', `No managed resource found for ${arn}`, 404);
    const shift = this.#shift;
    const weights = [...this.#zoneIDs].map((id) => [id, id === shift?.zoneID ? 0 : 1] as const);
    const of = (kind: ShiftKind): readonly Shift[] => (shift?.kind === kind ? [shift] : []);
    return {
      arn,
      name: arn.replace(/^.*\//, ''),
      appliedWeights: Object.fromEntries(weights),
      zonalShifts: of('zonal shift').map((each) => ({
        ...inForce(each),
        comment: 'simulated',
        expiryTime: (each.startedAt + MOST_MILLIS) / 1000,
        resourceIdentifier: arn,
        zonalShiftId: '00000000-0000-0000-0000-000000000000',
      })),
      autoshifts: of('autoshift').map(inForce),
      zonalAutoshiftStatus: 'ENABLED',
    };
  }
}

function inForce({ zoneID, startedAt }: Shift): object {
  return { appliedStatus: 'APPLIED', awayFrom: zoneID, startTime: startedAt / 1000 };
}
