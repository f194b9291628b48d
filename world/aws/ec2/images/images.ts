/** The images that there are: AWS' for EKS with their SSM parameters, and the account's own. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { Clock } from '../../../../src/ports/clock.js';
import { stableID } from '../../model/stable-hash.js';
import type { Parameters } from '../../ssm/parameters.js';
import type { SimulatedImage } from './image.js';
import { variantsOf, type PublishedFamily } from './image-variants.js';
import type { Tagged } from '../query/tags.js';
import { ServiceError } from '../../model/service-error.js';

/** Stands for the account that AWS publishes from. */
export const AMAZON_ACCOUNT = '000000000001';

const KUBERNETES_MINORS = [29, 30, 31, 32, 33, 34, 35, 36];
const FAMILIES: readonly PublishedFamily[] = [
  'AL2023',
  'AL2',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
];
const DAY_MILLIS = 86_400_000;
/** How long before the simulation AWS published, so that there is an older release to pin. */
const RELEASED_DAYS_AGO = [35, 7];
/** Bottlerocket's first release here is 1.50.0, each further one a minor version more. */
const FIRST_BOTTLEROCKET_MINOR = 50;

export interface Publication {
  readonly family: PublishedFamily;
  /** `1.34`; every version when not given. */
  readonly kubernetesVersion?: string | undefined;
  /** `20260108` (Bottlerocket `1.53.0`); by the day, or the next number, when not given. */
  readonly version?: string | undefined;
}

export interface OwnImage {
  readonly name: string;
  readonly architecture?: 'x86_64' | 'arm64' | undefined;
  readonly tags?: Labels | undefined;
  /** Milliseconds since 1970; now when not given. */
  readonly createdAt?: number | undefined;
}

export class Images {
  readonly #clock: Clock;
  readonly #account: string;
  readonly #parameters: Parameters;
  readonly #images = new Map<string, SimulatedImage>();
  readonly #names = new Set<string>();

  constructor({
    clock,
    account,
    parameters,
  }: {
    readonly clock: Clock;
    readonly account: string;
    readonly parameters: Parameters;
  }) {
    this.#clock = clock;
    this.#account = account;
    this.#parameters = parameters;
    for (const days of RELEASED_DAYS_AGO)
      for (const family of FAMILIES) this.#release({ family }, clock.now() - days * DAY_MILLIS);
  }

  find(id: string): SimulatedImage | undefined {
    return this.#images.get(id);
  }

  all(): readonly SimulatedImage[] {
    return [...this.#images.values()];
  }

  /**
   * A new release of a family in all its variants; the SSM parameters follow it.
   * @throws RangeError when there are no such images, or there is this release already.
   */
  publish(publication: Publication): readonly SimulatedImage[] {
    const images = this.#release(publication, this.#clock.now());
    if (images.length === 0)
      throw new RangeError(
        `${publication.family}: no images for ${publication.kubernetesVersion ?? 'Kubernetes'}`,
      );
    return images;
  }

  /** An image of the account's own. @throws RangeError when the name is taken. */
  publishOwn({ name, architecture = 'x86_64', tags = new Map(), createdAt }: OwnImage): SimulatedImage {
    return this.#add({
      id: stableID('ami', `own ${name}`),
      name,
      architecture,
      ownerID: this.#account,
      ownerAlias: undefined,
      isWindows: false,
      createdAt: createdAt ?? this.#clock.now(),
      tags,
    });
  }

  /** The image as something with tags. @throws ServiceError InvalidAMIID.NotFound. */
  tagged(id: string): Tagged | undefined {
    if (!id.startsWith('ami-')) return undefined;
    const image = this.#images.get(id);
    if (image === undefined) throw imageNotFound(id);
    return { tags: image.tags, setTags: (tags) => this.#images.set(id, { ...image, tags }) };
  }

  #release({ family, kubernetesVersion, version }: Publication, at: number): readonly SimulatedImage[] {
    const kubernetesVersions =
      kubernetesVersion === undefined
        ? KUBERNETES_MINORS.map((minor) => `1.${String(minor)}`)
        : [kubernetesVersion];
    return kubernetesVersions.flatMap((kubernetes) => {
      const variants = variantsOf(family, kubernetes);
      const first = variants[0];
      if (first === undefined) return [];
      const release = version ?? this.#nextRelease(family, (name) => this.#names.has(first.name(name)), at);
      return variants.map((variant) => {
        const name = variant.name(release);
        const image = this.#add({
          id: stableID('ami', name),
          name,
          architecture: variant.architecture,
          ownerID: AMAZON_ACCOUNT,
          ownerAlias: 'amazon',
          isWindows: family.startsWith('Windows'),
          createdAt: at,
          tags: new Map(),
        });
        this.#parameters.publish(variant.latest, image.id, at);
        const pinned = variant.pinned(release);
        if (pinned !== undefined) this.#parameters.publish(pinned, image.id, at);
        return image;
      });
    });
  }

  /** The first name from this day on, or number, that is not taken. */
  #nextRelease(family: PublishedFamily, isTaken: (release: string) => boolean, at: number): string {
    for (let attempt = 0; ; attempt++) {
      const day = new Date(at + attempt * DAY_MILLIS).toISOString().slice(0, 10).replaceAll('-', '');
      const number = `1.${String(FIRST_BOTTLEROCKET_MINOR + attempt)}.0`;
      const release = family === 'Bottlerocket' ? number : day;
      if (!isTaken(release)) return release;
    }
  }

  #add(image: SimulatedImage): SimulatedImage {
    if (this.#images.has(image.id)) throw new RangeError(`image ${image.name}: there is one already`);
    this.#images.set(image.id, image);
    this.#names.add(image.name);
    return image;
  }
}

export function imageNotFound(id: string): ServiceError {
  return new ServiceError('InvalidAMIID.NotFound', `The image id '[${id}]' does not exist`);
}
