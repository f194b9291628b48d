/** Memory that nodes reported, by instance type and image: later nodes are counted with it in place of an estimate. */
import type { Clock } from '../../../../ports/clock.js';
import type { MemoryReport } from '../../../../ports/cloud.js';
import type { Logger } from '../../../../ports/logger.js';

/** How long a report counts after the last node that had no more, as in Karpenter. */
const FORGET_MILLIS = 60 * 86_400_000;
/** How often old reports are looked for. */
const SWEEP_MILLIS = 3_600_000;
/** Nodes of one type differ by some KiB. */
const STEP_BYTES = 2 ** 20;

interface Known {
  readonly bytes: number;
  /** Monotonic. */
  heardAt: number;
}

export class ReportedMemory {
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, 'info'>;
  /** Image → instance type → the least that was heard. */
  readonly #byImage = new Map<string, Map<string, Known>>();
  /** Name of a node class → images that it is launched with. */
  readonly #imagesOf = new Map<string, readonly string[]>();
  /** Images in one text → instance type → bytes. */
  readonly #made = new Map<string, ReadonlyMap<string, number>>();
  #sweepAt: number;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Pick<Logger, 'info'> }) {
    this.#clock = clock;
    this.#logger = logger;
    this.#sweepAt = clock.monotonic() + SWEEP_MILLIS;
  }

  /** The least counts, in whole MiB: a pod must fit on each node of the type. */
  readonly hear = ({ instanceType, imageID, bytes: exact }: MemoryReport): void => {
    const bytes = Math.floor(exact / STEP_BYTES) * STEP_BYTES;
    if (bytes <= 0) return;
    this.#forgetOld();
    const types = this.#byImage.get(imageID) ?? new Map<string, Known>();
    this.#byImage.set(imageID, types);
    const known = types.get(instanceType);
    if (known !== undefined && known.bytes < bytes) return;
    const heardAt = this.#clock.monotonic();
    if (known?.bytes === bytes) {
      known.heardAt = heardAt;
      return;
    }
    types.set(instanceType, { bytes, heardAt });
    this.#made.clear();
    const memoryMiB = bytes / STEP_BYTES;
    this.#logger.info('Learned the memory of nodes', { instanceType, image: imageID, memoryMiB });
  };

  /** Says which images nodes of a node class are launched with from now on. */
  readonly launchWith = (nodeClass: string, imageIDs: readonly string[]): void => {
    this.#imagesOf.set(nodeClass, imageIDs);
  };

  /**
   * Instance type → bytes of memory that nodes of the class will have at the least; types are missing whose nodes have not been
   * seen with its images. The same map until something else is known, and for classes with the same images.
   */
  of(nodeClass: string): ReadonlyMap<string, number> {
    const images = this.#imagesOf.get(nodeClass) ?? [];
    this.#forgetOld();
    const key = images.join(' ');
    const made = this.#made.get(key) ?? this.#leastOf(images);
    this.#made.set(key, made);
    return made;
  }

  #leastOf(images: readonly string[]): ReadonlyMap<string, number> {
    const least = new Map<string, number>();
    for (const image of images)
      for (const [type, { bytes }] of this.#byImage.get(image) ?? [])
        least.set(type, Math.min(bytes, least.get(type) ?? Infinity));
    return least;
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_MILLIS;
    for (const [image, types] of this.#byImage) {
      for (const [type, { heardAt }] of types) {
        if (now - heardAt < FORGET_MILLIS) continue;
        types.delete(type);
        this.#made.clear();
      }
      if (types.size === 0) this.#byImage.delete(image);
    }
  }
}
