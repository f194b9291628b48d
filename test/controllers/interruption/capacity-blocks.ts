/** Claims in capacity reservations, whose ends are those that the test says. */
import { ReservationEndsController } from '../../../src/controllers/interruption/reservation-ends-controller.js';
import { CAPACITY_RESERVATION_ID, CAPACITY_RESERVATION_TYPE } from '../../../src/domain/values/labels.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import type { PortError } from '../../../src/ports/port-error.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { constantRandom } from '../../support/constant-random.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';

export const MINUTE = 60_000;

export interface Blocks {
  readonly clock: VirtualClock;
  readonly controller: ReservationEndsController;
  /** Reservation → when its instances are terminated. */
  readonly ends: Map<string, number>;
  /** Which reservations the cloud was asked about, each time. */
  readonly asked: readonly (readonly string[])[];
  readonly failing: { error: PortError | undefined };
  readonly told: ReturnType<typeof recordedDecisions>;
  /** Names of the claims that are interrupted. */
  interrupted(): readonly string[];
  /** The claim as it is, to be changed. */
  claim(name: string): NodeClaim;
  readonly put: (claim: NodeClaim) => void;
}

/** Claims by name, each with the reservation that it is in and its type. */
export function blocks(claims: Readonly<Record<string, readonly [id: string, type: string]>>): Blocks {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  for (const [name, [id, type]] of Object.entries(claims)) {
    const labels = new Map([
      [CAPACITY_RESERVATION_ID, id],
      [CAPACITY_RESERVATION_TYPE, type],
    ]);
    kube.objects.put('NodeClaim', nodeClaim({ name, labels }));
  }
  const cluster = new Cluster();
  kube.objects.watch(cluster);
  const told = recordedDecisions();
  const ends = new Map<string, number>();
  const asked: (readonly string[])[] = [];
  const failing = { error: undefined as PortError | undefined };
  const controller = new ReservationEndsController({
    ends: {
      of: (ids) => {
        asked.push(ids);
        return failing.error === undefined ? Promise.resolve(new Map(ends)) : Promise.reject(failing.error);
      },
    },
    ...{
      cluster,
      kube,
      clock,
      random: constantRandom(0),
      recorder: told.recorder,
      logger: recordingLogger().logger,
    },
  });
  const interrupted = (): readonly string[] =>
    kube.objects
      .list('NodeClaim')
      .filter(({ status }) => status.conditions.some(({ type }) => type === 'Interrupted'))
      .map(({ name }) => name);
  const claim = (name: string): NodeClaim => {
    const found = kube.objects.get('NodeClaim', name);
    if (found === undefined) throw new Error(`there is no claim ${name}`);
    return found;
  };
  const put = (changed: NodeClaim): void => {
    kube.objects.put('NodeClaim', changed);
  };
  return { clock, controller, ends, asked, failing, told, interrupted, claim, put };
}
