/** Which of the images found are launched from. */
import type { ImageVariant } from '../../families/family.js';
import type { ResolvedImage } from './resolution.js';

/** What of an instance decides on its image. */
export interface InstanceKind {
  /** `amd64` or `arm64`. */
  readonly arch: string;
  readonly hasGpu: boolean;
  /** AWS' own chips, Inferentia and Trainium. */
  readonly hasAccelerator: boolean;
}

/**
 * Newest first, of those for the same instances only the newest; deprecated ones come last whatever their age. Among equally old
 * ones the id decides, so that the answer does not depend on EC2's order.
 */
export function newestImages(images: readonly ResolvedImage[]): readonly ResolvedImage[] {
  const byID = new Map(images.map((image) => [image.id, image]));
  const kinds = new Set<string>();
  return [...byID.values()].sort(byAge).filter(({ arch, variants }) => {
    const kind = [arch, ...(variants ?? [])].join();
    if (kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  });
}

function byAge(left: ResolvedImage, right: ResolvedImage): number {
  if (left.deprecated !== right.deprecated) return left.deprecated ? 1 : -1;
  const age = (right.createdAt ?? -Infinity) - (left.createdAt ?? -Infinity);
  if (age !== 0 && !Number.isNaN(age)) return age;
  return left.id < right.id ? -1 : 1;
}

/** The image for such instances: the first that suits them; undefined when none does. */
export function imageFor(
  images: readonly ResolvedImage[],
  instance: InstanceKind,
): ResolvedImage | undefined {
  return images.find(
    ({ arch, variants }) =>
      arch === instance.arch && (variants?.some((variant) => suits(variant, instance)) ?? true),
  );
}

function suits(variant: ImageVariant, { hasGpu, hasAccelerator }: InstanceKind): boolean {
  switch (variant) {
    case 'standard':
      return !hasGpu && !hasAccelerator;
    case 'nvidia':
      return hasGpu;
    case 'neuron':
      return hasAccelerator;
  }
}
