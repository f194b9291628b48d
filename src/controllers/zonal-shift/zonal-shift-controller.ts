/**
 * Follows zonal shifts: nothing is launched in a zone that traffic is moved away from, and consolidation pauses, since nodes of other zones
 * take over. Nothing is remembered: the next process asks again.
 */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Recorder } from '../../ports/recorder.js';
import type { ZonalShift, ZonalShifts } from '../../ports/zonal-shifts.js';
import { periodic } from '../../runtime/concurrency/periodic.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';

export interface ZonalShiftControllerOptions {
  readonly shifts: ZonalShifts;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'shiftAway'>;
  readonly cluster: Pick<Cluster, 'namespaces'>;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'zonalShift'>;
  /** Berth's own, which events are about. */
  readonly namespace: string;
}

const EVERY_MILLIS = 30_000;
/** Permissions are given by people. */
const FORBIDDEN_MILLIS = 600_000;

export class ZonalShiftController {
  readonly #options: ZonalShiftControllerOptions;
  /** Zone → what is said of it. */
  #known: ReadonlyMap<string, ZonalShift> = new Map();
  #isFailing = false;
  /** Monotonic. */
  #dueAt = -Infinity;

  constructor(options: ZonalShiftControllerOptions) {
    this.#options = options;
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, metrics } = this.#options;
    const task = (own: AbortSignal): Promise<void> => this.look(own);
    await periodic({
      ...{ everyMillis: EVERY_MILLIS, clock, signal, task, logger },
      name: 'follow zonal shifts',
    });
    metrics.zonalShift.reset();
  }

  /** Asks once, unless the last answer was that it may not. What was known stays where there is no answer. */
  async look(signal: AbortSignal): Promise<void> {
    const { shifts, clock, logger } = this.#options;
    if (clock.monotonic() < this.#dueAt) return;
    try {
      const current = await shifts.current(signal);
      if (this.#isFailing) logger.info('Resumed reading zonal shifts');
      this.#isFailing = false;
      this.#follow(new Map(current.map((shift) => [shift.zone, shift])));
    } catch (error) {
      if (signal.aborted) throw error;
      if (hasCode(error, 'Forbidden')) this.#dueAt = clock.monotonic() + FORBIDDEN_MILLIS;
      // Where there never was an answer, disruption does not wait for one.
      this.#options.unavailableOfferings.shiftAway(new Set(this.#known.keys()));
      if (!this.#isFailing) logger.warn('Failed to read zonal shifts; keeping those last known', { error });
      this.#isFailing = true;
    }
  }

  #follow(current: ReadonlyMap<string, ZonalShift>): void {
    const { unavailableOfferings, logger, metrics } = this.#options;
    const before = this.#known;
    this.#known = current;
    unavailableOfferings.shiftAway(new Set(current.keys()));
    for (const shift of current.values()) {
      if (before.has(shift.zone)) continue;
      metrics.zonalShift.set({ zone: shift.zone }, 1);
      logger.warn('Zonal shift: launching nothing in the zone, and pausing consolidation', { ...shift });
      this.#tell(shift, true);
    }
    for (const shift of before.values()) {
      if (current.has(shift.zone)) continue;
      metrics.zonalShift.remove({ zone: shift.zone });
      logger.info('The zonal shift is over', { ...shift });
      this.#tell(shift, false);
    }
  }

  #tell({ zone, zoneID }: ZonalShift, isActive: boolean): void {
    const { cluster, recorder, namespace } = this.#options;
    const uid = cluster.namespaces.get(namespace)?.uid ?? '';
    const subject = { kind: 'Namespace', namespace: '', name: namespace, uid };
    const rest = { subject, trigger: 'zonal shift', considered: '', saving: undefined } as const;
    const where = `zone ${zone} (${zoneID})`;
    if (isActive)
      recorder.record({
        ...rest,
        action: 'Freeze',
        reason: 'ZonalShiftActive',
        message: `the cluster is shifted away from ${where}: nothing is launched there, and consolidation pauses`,
        event: { type: 'Warning', reason: 'ZonalShiftActive' },
      });
    else
      recorder.record({
        ...rest,
        action: 'Accept',
        reason: 'ZonalShiftCleared',
        message: `the cluster is no longer shifted away from ${where}`,
        event: { type: 'Normal', reason: 'ZonalShiftCleared' },
      });
  }
}
