/** What CapacityBuffers ask for: the templates that they name, read when they are needed and again from time to time. */
import {
  ACTIVE_CAPACITY,
  bufferReplicas,
  isBufferOpen,
  type BufferDemand,
  BUFFERED_KINDS,
  type BufferedKind,
  type BufferTemplate,
  type BufferTemplateRef,
  type CapacityBuffer,
} from '../../domain/pods/capacity-buffer.js';
import { podKey } from '../../domain/pods/pod.js';
import type { ReservationTarget } from '../../domain/records/reservation.js';
import type { Clock } from '../../ports/clock.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import { untilAborted } from '../../runtime/time/deadline.js';
import type { Cluster } from '../../state/cluster/cluster.js';

export interface ResolvedBuffersOptions {
  readonly cluster: Cluster;
  readonly kube: Pick<KubeWriter, 'readBufferTemplate'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reasons of the condition ReadyForProvisioning that are not Resolved (Karpenter). */
export type FailureReason = 'PodTemplateNotFound' | 'ScalableRefNotFound' | 'ResolutionFailed';

interface Failure {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  readonly message: string;
}

export type Resolution =
  | {
      readonly kind: 'resolved';
      readonly template: BufferTemplate;
      /** 0 outside the windows of its schedule. */
      readonly count: number;
      readonly isOpen: boolean;
    }
  | Failure;

/** What was read for a buffer. */
type Found = { readonly kind: 'read'; readonly template: BufferTemplate } | Failure;

interface Known {
  readonly uid: string;
  readonly generation: number;
  /** When it was read, monotonic; -Infinity: it is to be read again. */
  readonly readAt: number;
  readonly found: Found;
}

/** A template is read again after so long (Karpenter). */
export const READ_AGAIN_MILLIS = 30_000;
/** Reads in flight. */
const AT_ONCE = 4;

export class ResolvedBuffers {
  readonly #options: ResolvedBuffersOptions;
  readonly #known = new Map<string, Known>();
  /** Buffer → where its pods were planned last, those that have a place. */
  #places: ReadonlyMap<string, readonly ReservationTarget[]> = new Map();
  #tellKnown: () => void = () => undefined;
  readonly #firstRead = new Promise<void>((resolve) => {
    this.#tellKnown = resolve;
  });

  constructor(options: ResolvedBuffersOptions) {
    this.#options = options;
  }

  /**
   * Once all buffers have been looked at: until then nothing is known of the room that must stay.
   * @throws PortError Cancelled, when the signal is aborted before.
   */
  whenKnown(signal: AbortSignal): Promise<void> {
    return untilAborted(signal, 'wait for CapacityBuffers', () => this.#firstRead);
  }

  /** The buffers that Berth keeps: those of another strategy are other components'. */
  buffers(): readonly CapacityBuffer[] {
    const { capacityBuffers } = this.#options.cluster;
    return [...capacityBuffers.values()].filter(({ strategy }) => strategy === ACTIVE_CAPACITY);
  }

  /** What the buffers ask for that are there now. */
  demand(): readonly BufferDemand[] {
    if (this.#options.cluster.capacityBuffers.size === 0) return [];
    return this.buffers().flatMap((buffer) => {
      const resolution = this.resolution(buffer);
      if (resolution?.kind !== 'resolved' || resolution.count === 0) return [];
      const { namespace, name } = buffer;
      return [{ namespace, name, count: resolution.count, spec: resolution.template.spec }];
    });
  }

  /** The same with the places of their pods. */
  placedDemand(): readonly BufferDemand[] {
    return this.demand().map((demand) => ({ ...demand, places: this.#places.get(podKey(demand)) }));
  }

  /** The buffers have been planned, or cannot be for now: undefined. */
  looked(places: ReadonlyMap<string, readonly ReservationTarget[]> | undefined): void {
    this.#places = places ?? this.#places;
    this.#tellKnown();
  }

  /** undefined: the buffer is new. */
  resolution(buffer: CapacityBuffer): Resolution | undefined {
    const known = this.#known.get(podKey(buffer));
    if (known?.uid !== buffer.uid) return undefined;
    const { found } = known;
    if (typeof buffer.window === 'string') return failed(buffer.window);
    if (found.kind === 'failed') return found;
    const { template } = found;
    const isOpen = isBufferOpen(buffer, this.#options.clock.now());
    return { kind: 'resolved', template, isOpen, count: isOpen ? bufferReplicas(buffer, template) : 0 };
  }

  /** Whether a buffer is made for this object; its template is read again with the next refresh then. */
  changed(target: Pick<BufferTemplateRef, 'kind' | 'name'> & { readonly namespace: string }): boolean {
    let isOne = false;
    for (const buffer of this.buffers()) {
      const { namespace, template } = buffer;
      const isMeant = template?.kind === target.kind && template.name === target.name;
      const known = isMeant && namespace === target.namespace ? this.#known.get(podKey(buffer)) : undefined;
      if (known === undefined) continue;
      this.#known.set(podKey(buffer), { ...known, readAt: -Infinity });
      isOne = true;
    }
    return isOne;
  }

  /** Reads the templates of buffers that are new, have changed, or were read long ago. Never rejects but when the signal is aborted. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const buffers = this.buffers();
    const there = new Set(buffers.map(podKey));
    for (const key of this.#known.keys()) if (!there.has(key)) this.#known.delete(key);
    const isDue = (buffer: CapacityBuffer): boolean => {
      const known = this.#known.get(podKey(buffer));
      if (known?.uid !== buffer.uid || known.generation !== buffer.generation) return true;
      return clock.monotonic() - known.readAt >= READ_AGAIN_MILLIS;
    };
    const read = (buffer: CapacityBuffer): Promise<void> => this.#read(buffer, signal);
    const failures = await tryInParallel(buffers.filter(isDue), read, { atOnce: AT_ONCE, signal });
    signal.throwIfAborted();
    for (const error of failures) logger.warn('Failed to read the template of a CapacityBuffer', { error });
  }

  /** @throws PortError, where what was read before still holds. */
  async #read(buffer: CapacityBuffer, signal: AbortSignal): Promise<void> {
    const { uid, generation } = buffer;
    const known = this.#known.get(podKey(buffer));
    const keep = (found: Found): void => {
      const readAt = this.#options.clock.monotonic();
      this.#known.set(podKey(buffer), { uid, generation, readAt, found });
    };
    try {
      keep(await this.#resolve(buffer, signal));
    } catch (error) {
      const isSame = known?.uid === uid && known.generation === generation;
      const isTemporary = !hasCode(error, 'NotFound', 'Invalid');
      if (!isTemporary || !isSame) keep(failureOf(buffer, error));
      else keep(known.found);
      if (isTemporary) throw error;
    }
  }

  async #resolve(buffer: CapacityBuffer, signal: AbortSignal): Promise<Found> {
    const { namespace, template: ref } = buffer;
    if (ref === undefined) return failed('neither podTemplateRef nor scalableRef is set');
    const kind = bufferedKind(ref);
    if (kind === undefined)
      return failed(
        `scalableRef must be a Deployment, ReplicaSet or StatefulSet of apps, not ${ref.kind} of ${ref.apiGroup}`,
      );
    const { kube } = this.#options;
    const template = await kube.readBufferTemplate({ kind, namespace, name: ref.name }, signal);
    return { kind: 'read', template };
  }
}

function bufferedKind({ kind, apiGroup }: BufferTemplateRef): BufferedKind | undefined {
  const found = BUFFERED_KINDS.find((known) => known === kind);
  const isGroup = apiGroup === (found === 'PodTemplate' ? '' : 'apps');
  return isGroup ? found : undefined;
}

function failed(message: string, reason: FailureReason = 'ResolutionFailed'): Failure {
  return { kind: 'failed', reason, message };
}

function failureOf({ template, namespace }: CapacityBuffer, error: unknown): Failure {
  if (!hasCode(error, 'NotFound')) return failed(error instanceof PortError ? error.message : String(error));
  const { kind = '', name = '' } = template ?? {};
  const reason = kind === 'PodTemplate' ? 'PodTemplateNotFound' : 'ScalableRefNotFound';
  return failed(`there is no ${kind} ${name} in namespace ${namespace}`, reason);
}
