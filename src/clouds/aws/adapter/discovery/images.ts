/** Images that EC2 knows. */
import { DescribeImagesCommand, type Image } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../../ports/clock.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { ResolvedImage } from './resolution.js';
import type { Ec2Filter } from './selector-terms.js';
import { TimedCache } from './timed-cache.js';

export interface ImageQuestion {
  readonly filters: Ec2Filter[];
  /** undefined: any owner's. */
  readonly owners: readonly string[] | undefined;
  /** Whether images count that their owner asks to use no longer. */
  readonly includeDeprecated: boolean;
}

const FOUND_MILLIS = 60_000;
const NOTHING_MILLIS = 5_000;
const PAGE_SIZE = 1_000;
const ARCHITECTURES: ReadonlyMap<string, ResolvedImage['arch']> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

export class Images {
  readonly #clients: AwsClients;
  readonly #clock: Clock;
  readonly #answers: TimedCache<readonly ResolvedImage[]>;

  constructor(clients: AwsClients, clock: Clock) {
    this.#clients = clients;
    this.#clock = clock;
    this.#answers = new TimedCache(clock);
  }

  /** Images that can be launched from, of architectures that Kubernetes runs on. @throws PortError */
  find(question: ImageQuestion, signal?: AbortSignal): Promise<readonly ResolvedImage[]> {
    return this.#answers.through(
      JSON.stringify(question),
      () => this.#ask(question, signal),
      ({ length }) => (length === 0 ? NOTHING_MILLIS : FOUND_MILLIS),
    );
  }

  forget(): void {
    this.#answers.clear();
  }

  async #ask(
    { filters, owners, includeDeprecated }: ImageQuestion,
    signal?: AbortSignal,
  ): Promise<readonly ResolvedImage[]> {
    const input = {
      Filters: filters,
      Owners: owners && [...owners],
      IncludeDeprecated: includeDeprecated,
      MaxResults: PAGE_SIZE,
    };
    const pages = await allPages({
      operation: 'ec2:DescribeImages',
      fetch: (NextToken) =>
        this.#clients.call(
          'DescribeImages',
          (ec2, options) => ec2.send(new DescribeImagesCommand({ ...input, NextToken }), options),
          { signal },
        ),
      next: (page) => page.NextToken,
    });
    const now = this.#clock.now();
    const images = pages.flatMap(({ Images: found = [] }) => found.flatMap((image) => toImage(image, now)));
    // Owners see their deprecated images unasked.
    return includeDeprecated ? images : images.filter(({ deprecated }) => !deprecated);
  }
}

function toImage(image: Image, now: number): readonly ResolvedImage[] {
  const { ImageId: id, State } = image;
  const arch = ARCHITECTURES.get(image.Architecture ?? '');
  if (id === undefined || arch === undefined || (State !== undefined && State !== 'available')) return [];
  const deprecatedAt = timeOf(image.DeprecationTime);
  return [
    {
      id,
      name: image.Name ?? '',
      arch,
      createdAt: timeOf(image.CreationDate),
      deprecated: deprecatedAt !== undefined && deprecatedAt <= now,
      variants: undefined,
    },
  ];
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
