/** What the Eviction API said about pods, so that none is asked about, or told of, more often than it takes. */
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import type { Clock } from '../../../ports/clock.js';
import type { Random } from '../../../ports/random.js';
import { backoffMillis } from '../../../runtime/concurrency/backoff.js';
import type { LifecycleSettings } from '../lifecycle-context.js';

export interface EvictionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Pick<LifecycleSettings, 'evictionBaseMillis' | 'evictionMaxMillis'>;
}

/** A pod that was to be evicted. */
interface Asked {
  readonly pod: ObservedPod;
  /** How often its budget forbade it; 0 when it is on its way out. */
  readonly refusals: number;
  /** Deleted whatever its budget says. */
  readonly isRemoved: boolean;
  /** Until then nothing is asked; monotonic. */
  readonly askAgainAt: number;
}

/** A pod whose eviction was granted has started to terminate by then, or its kubelet missed the request. */
const FORGOTTEN_MILLIS = 30_000;

export class Evictions {
  readonly #options: EvictionsOptions;
  /** Node → pod's uid → what was asked. */
  readonly #asked = new Map<string, Map<string, Asked>>();

  constructor(options: EvictionsOptions) {
    this.#options = options;
  }

  /** How long the pod is not to be asked about, in milliseconds; 0 or less when it may be. */
  waitMillis(node: string, { uid }: ObservedPod): number {
    return (this.#asked.get(node)?.get(uid)?.askAgainAt ?? -Infinity) - this.#options.clock.monotonic();
  }

  isBlocked(node: string, { uid }: ObservedPod): boolean {
    return (this.#asked.get(node)?.get(uid)?.refusals ?? 0) > 0;
  }

  /** The pod's budget forbids it: it is asked about later and later. */
  blocked(node: string, pod: ObservedPod): void {
    const { random, settings } = this.#options;
    const refusals = (this.#asked.get(node)?.get(pod.uid)?.refusals ?? 0) + 1;
    const wait = backoffMillis({
      attempt: refusals,
      baseMillis: settings.evictionBaseMillis,
      maxMillis: settings.evictionMaxMillis,
      random,
    });
    this.#remember(node, { pod, refusals, isRemoved: false }, wait);
  }

  /** The pod is on its way out. Answers whether that is news. */
  granted(node: string, pod: ObservedPod): boolean {
    const isNews = this.#asked.get(node)?.get(pod.uid)?.refusals !== 0;
    this.#remember(node, { pod, refusals: 0, isRemoved: false }, FORGOTTEN_MILLIS);
    return isNews;
  }

  /** The pod was deleted past what its budget says. Answers whether that is news. */
  removed(node: string, pod: ObservedPod): boolean {
    const isNews = this.#asked.get(node)?.get(pod.uid)?.isRemoved !== true;
    this.#remember(node, { pod, refusals: 0, isRemoved: true }, FORGOTTEN_MILLIS);
    return isNews;
  }

  /** Pods whose eviction was granted and that are not among these any more; they are forgotten with that. */
  takeGone(node: string, staying: readonly ObservedPod[]): readonly ObservedPod[] {
    const asked = this.#asked.get(node);
    if (asked === undefined) return [];
    const uids = new Set(staying.map(({ uid }) => uid));
    const gone = [...asked.values()].filter(({ pod }) => !uids.has(pod.uid));
    for (const { pod } of gone) asked.delete(pod.uid);
    return gone.filter(({ refusals, isRemoved }) => refusals === 0 && !isRemoved).map(({ pod }) => pod);
  }

  /** The node is drained, or past its hard stop. */
  forget(node: string): void {
    this.#asked.delete(node);
  }

  #remember(node: string, asked: Omit<Asked, 'askAgainAt'>, waitMillis: number): void {
    const ofNode = this.#asked.get(node) ?? new Map<string, Asked>();
    this.#asked.set(node, ofNode);
    ofNode.set(asked.pod.uid, { ...asked, askAgainAt: this.#options.clock.monotonic() + waitMillis });
  }
}
