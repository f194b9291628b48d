/**
 * Replaces the nodes of a capacity block before the cloud terminates its instances, which no message tells: it writes on their claims
 * that they are interrupted, ten minutes before. Nothing is remembered: the next process asks again.
 */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { CAPACITY_RESERVATION_ID, CAPACITY_RESERVATION_TYPE } from '../../domain/values/labels.js';
import type { Clock } from '../../ports/clock.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { RESERVATION_WARNING_MILLIS, type ReservationEnds } from '../../ports/reservation-ends.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import { periodic } from '../../runtime/concurrency/periodic.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { ClusterWriter } from '../cluster-writer.js';
import { is } from '../node-claim/claim-conditions.js';
import { takenBackAt } from '../node-claim/taken-back.js';
import { interruptClaim } from './interrupt-claim.js';

export interface ReservationEndsControllerOptions {
  readonly ends: ReservationEnds;
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
}

/** Claims are looked at so often, which asks the cloud nothing. */
const LOOK_MILLIS = 10_000;
/** A block can be extended: its end is asked for again after so long, as in Karpenter. */
const FRESH_MILLIS = 60_000;
const CAPACITY_BLOCK = 'capacity-block';

export class ReservationEndsController {
  readonly #options: ReservationEndsControllerOptions;
  readonly #writer: ClusterWriter;
  #answer: ReadonlyMap<string, number> = new Map();
  /** The reservations that the answer is about, and when it was asked for; monotonic. */
  #asked: { readonly ids: ReadonlySet<string>; readonly at: number } = { ids: new Set(), at: -Infinity };

  constructor(options: ReservationEndsControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger } = this.#options;
    await cluster.whenSynced(['NodeClaim'], signal).catch(() => undefined);
    const task = (own: AbortSignal): Promise<void> => this.look(own);
    await periodic({
      ...{ everyMillis: LOOK_MILLIS, clock, signal, task, logger },
      name: 'drain capacity blocks that end',
    });
  }

  /** One look at the claims. @throws PortError, after all that could be written was. */
  async look(signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger } = this.#options;
    const claims = [...cluster.nodeClaims.values()].filter(isOfBlock);
    if (claims.length === 0) return;
    const ends = await this.#ends(new Set(claims.map(reservationOf)), signal);
    const now = clock.now();
    const due = claims.filter(
      (claim) => now >= (ends.get(reservationOf(claim)) ?? Infinity) - RESERVATION_WARNING_MILLIS,
    );
    const failures = await tryInParallel(due, (claim) => this.#interrupt(claim, ends, signal), { signal });
    for (const error of failures)
      logger.warn('Failed to write that a capacity block ends; it is tried again', { error });
  }

  async #ends(ids: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { ends, clock } = this.#options;
    const { ids: known, at } = this.#asked;
    const isFresh = clock.monotonic() - at < FRESH_MILLIS && [...ids].every((id) => known.has(id));
    if (isFresh) return this.#answer;
    const asked = { ids, at: clock.monotonic() };
    this.#answer = await ends.of([...ids], signal);
    this.#asked = asked;
    return this.#answer;
  }

  #interrupt(claim: NodeClaim, ends: ReadonlyMap<string, number>, signal: AbortSignal): Promise<void> {
    const id = reservationOf(claim);
    const end = ends.get(id) ?? 0;
    const message = `capacity block ${id} ends: the cloud terminates its instances from ${new Date(end).toISOString()} on`;
    const news = {
      reason: 'CapacityBlockEnding',
      event: 'CapacityBlockEnding',
      message,
      trigger: 'end of the capacity block',
      warnedAt: end - RESERVATION_WARNING_MILLIS,
    } as const;
    return interruptClaim({ ...this.#options, writer: this.#writer }, claim.name, news, signal);
  }
}

/** An instance in a capacity block of whose end nothing is known yet. A drain needs to know it, too. */
function isOfBlock(claim: NodeClaim): boolean {
  return (
    claim.labels.get(CAPACITY_RESERVATION_TYPE) === CAPACITY_BLOCK &&
    claim.labels.has(CAPACITY_RESERVATION_ID) &&
    takenBackAt(claim) === undefined &&
    !is(claim, 'InstanceTerminating')
  );
}

function reservationOf({ labels }: NodeClaim): string {
  return labels.get(CAPACITY_RESERVATION_ID) ?? '';
}
