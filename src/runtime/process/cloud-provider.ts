/** What a cloud gives the program, and what it gets: each folder of src/clouds has one CloudProvider. */
import type { AccountCheck } from '../../ports/account-check.js';
import type { Clock } from '../../ports/clock.js';
import type { Cloud, InstanceCatalogue, MemoryReport } from '../../ports/cloud.js';
import type { InstanceHandover } from '../../ports/instance-handover.js';
import type { InterruptionQueue } from '../../ports/interruption-queue.js';
import type { NodeCreator, NodeSource, NodeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { ReservationEnds } from '../../ports/reservation-ends.js';
import type { ZonalShifts } from '../../ports/zonal-shifts.js';
import type { Metrics } from '../metrics/metrics.js';

/** An option of `berth controller` that only this cloud has. */
export interface CloudOption {
  /** Its value's key in {@link CloudSettings.own}. */
  readonly key: string;
  readonly flag: {
    readonly name: string;
    readonly value: string;
    readonly help: string;
    readonly allowed?: readonly string[];
  };
  /** Environment variable that is read when the flag is not given. */
  readonly env: string;
  readonly fallback: string | undefined;
  /** Whether it says which cloud is meant: commands that reach it as the operator take it, too. */
  readonly isAddress?: true;
  /** @throws RangeError saying what is expected. */
  parse(text: string): unknown;
}

export interface CloudSettings {
  readonly clusterName: string | undefined;
  /** Values of the options of all clouds, each as its `parse` answered; undefined where it is not given and has no default. */
  readonly own: Readonly<Record<string, unknown>>;
}

export interface CloudParts {
  readonly settings: CloudSettings;
  /** The UID of the kube-system namespace. @throws PortError Unavailable, while it is not known. */
  readonly clusterUID: () => string;
  /** The Nodes that there are, and who writes them: for a cloud whose instances are nothing else. */
  readonly nodes: NodeSource['nodes'];
  readonly nodeWriter: NodeCreator & NodeWriter;
  /** Asked right before a changing call is sent; throws where it must not be. `isPausable`: it launches or ends instances. */
  readonly permit: ((operation: string, isPausable: boolean) => void) | undefined;
  /** Given where this process only reads: called for each call that does more, which must not be sent; throws. */
  readonly refuse?: ((operation: string) => never) | undefined;
  /** What the cloud is asked through; its usual way unless given. */
  readonly wire: unknown;
  /** Whether time is simulated. */
  readonly isVirtual: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface CloudSource {
  readonly cloud: Cloud;
  /** For `berth adopt` and `berth release`. */
  readonly handover: InstanceHandover;
  readonly catalogue: () => InstanceCatalogue;
  /** Receives what nodes report, where the memory of later ones is estimated; undefined where it is known beforehand. */
  readonly hearMemory?: ((report: MemoryReport) => void) | undefined;
  /** undefined: no notices of interruptions. */
  readonly interruptions: InterruptionQueue | undefined;
  /** undefined: no instance ends with its reservation. */
  readonly reservationEnds?: ReservationEnds | undefined;
  /** What the cloud lists of instances that are going to be maintained or retired; undefined: nothing. */
  readonly statuses?: InterruptionQueue | undefined;
  /** undefined: the cloud moves traffic away from no zone, or it is not to be followed. */
  readonly zonalShifts?: ZonalShifts | undefined;
  /** What `berth doctor` looks at in the account beside node classes. */
  readonly checks?: readonly AccountCheck[] | undefined;
  /** What has to be done all the while that this process leads: each runs until its signal is aborted. */
  readonly upkeep: readonly ((signal: AbortSignal) => Promise<void>)[];
  close(): void;
}

export interface CloudProvider {
  /** Values of options that are not given and that the surroundings of the process tell, by key; asked once, before `check`. */
  discover?(settings: CloudSettings): Promise<Readonly<Record<string, unknown>>>;
  /** @throws RangeError naming an option that is missing. */
  check(settings: CloudSettings): void;
  /** @throws RangeError, as `check`. */
  make(parts: CloudParts): CloudSource;
}
