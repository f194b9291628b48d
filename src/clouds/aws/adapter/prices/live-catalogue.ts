/** The catalogue as AWS has it now: begins as the embedded one, and takes over what AWS answers, part by part. */
import {
  type Catalogue,
  embeddedTypes,
  type InstanceTerms,
  type OtherPrices,
} from '../../catalogue/index.js';
import type { Clock } from '../../../../ports/clock.js';
import type { Logger } from '../../../../ports/logger.js';
import type { Metrics } from '../../../../runtime/metrics/metrics.js';
import { periodic } from '../../../../runtime/concurrency/periodic.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import { assembleCatalogue, type CatalogueParts } from './assemble-catalogue.js';
import { readOnDemandPrices, readSpotPrices } from './read-prices.js';
import {
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeSubnetsCommand,
  type Filter,
} from '@aws-sdk/client-ec2';
import { liveType, type LiveType } from './live-type.js';

export interface LiveCatalogueOptions {
  /** Karpenter's defaults unless given. */
  readonly terms?: InstanceTerms | undefined;
  /** What nodes said of their memory; estimates only unless given. */
  readonly reported?: { of(nodeClass: string): ReadonlyMap<string, number> } | undefined;
  readonly clients: AwsClients;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'catalogueFailures'>;
  /** Without a way to the price list: on-demand prices stay estimates. */
  readonly isolatedVPC?: boolean;
}

type PartName = keyof CatalogueParts;
type Answers = { readonly [P in PartName]-?: NonNullable<CatalogueParts[P]> };

const LINUX = { system: 'Linux', tenancy: 'default' } as const;

const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 60 * MINUTE_MILLIS;
/** How long each part is good for. */
const EVERY_MILLIS: Readonly<Record<PartName, number>> = {
  types: 6 * HOUR_MILLIS,
  zones: HOUR_MILLIS,
  zoneIDs: HOUR_MILLIS,
  onDemand: 12 * HOUR_MILLIS,
  spot: 10 * MINUTE_MILLIS,
  windowsOnDemand: 12 * HOUR_MILLIS,
  windowsSpot: 10 * MINUTE_MILLIS,
  dedicatedOnDemand: 12 * HOUR_MILLIS,
};
/** Come from the price list. */
const QUOTED: ReadonlySet<PartName> = new Set(['onDemand', 'windowsOnDemand', 'dedicatedOnDemand']);
/** What is of no use before a node class has Windows, or a NodePool dedicated instances. */
const WINDOWS_PARTS: readonly PartName[] = ['windowsOnDemand', 'windowsSpot'];
const DEDICATED_PARTS: readonly PartName[] = ['dedicatedOnDemand'];
/** After a failure. */
const RETRY_MILLIS = 2 * MINUTE_MILLIS;
/** Each call has a time-out of its own; this one only has to hold where the clock runs many times as fast as the network. */
const ROUND_MILLIS = 6 * HOUR_MILLIS;

export class LiveCatalogue {
  readonly #options: LiveCatalogueOptions;
  readonly #readers: { readonly [P in PartName]: (signal?: AbortSignal) => Promise<Answers[P]> };
  /** Monotonic. */
  readonly #dueAt = new Map<PartName, number>();
  readonly #failing = new Set<PartName>();
  #parts: CatalogueParts = { types: undefined, zones: undefined, onDemand: undefined, spot: undefined };
  /** Parts that nothing has asked for yet. */
  readonly #waiting = new Set<PartName>([...WINDOWS_PARTS, ...DEDICATED_PARTS]);
  /** undefined while it has to be assembled again. */
  #current: Catalogue | undefined;

  constructor(options: LiveCatalogueOptions) {
    const { clients, clock } = options;
    this.#options = options;
    this.#readers = {
      types: (signal) => readTypes(clients, signal),
      zones: (signal) => readZones(clients, signal),
      zoneIDs: (signal) => readZoneIDs(clients, signal),
      onDemand: (signal) => readOnDemandPrices(clients, LINUX, signal),
      spot: (signal) => readSpotPrices(clients, { system: 'Linux', now: clock.now() }, signal),
      windowsOnDemand: (signal) => readOnDemandPrices(clients, { ...LINUX, system: 'Windows' }, signal),
      windowsSpot: (signal) => readSpotPrices(clients, { system: 'Windows', now: clock.now() }, signal),
      dedicatedOnDemand: (signal) => readOnDemandPrices(clients, { ...LINUX, tenancy: 'dedicated' }, signal),
    };
  }

  /** As it is now: the same object until a refresh brought something. */
  current(): Catalogue {
    const { clients, terms, reported } = this.#options;
    const onOther = ({ isWindows, tenancy }: OtherPrices): void => {
      if (isWindows) for (const part of WINDOWS_PARTS) this.#waiting.delete(part);
      if (tenancy === 'dedicated') for (const part of DEDICATED_PARTS) this.#waiting.delete(part);
    };
    this.#current ??= assembleCatalogue(clients.region, this.#parts, {
      terms,
      reported: reported && ((nodeClass) => reported.of(nodeClass)),
      onOther,
    });
    return this.#current;
  }

  /**
   * Asks for the parts whose time has come. A part that cannot be read stays as it was, is logged and counted, and is asked
   * for again in two minutes; the others are taken over, each as soon as it is there.
   * @throws the signal's reason, or PortError Cancelled, when it is aborted.
   */
  async refresh(signal?: AbortSignal): Promise<void> {
    const names = Object.keys(EVERY_MILLIS) as PartName[];
    const due = names.filter((name) => this.#isDue(name));
    await Promise.all(due.map((name) => this.#read(name, signal)));
    signal?.throwIfAborted();
  }

  /** Refreshes until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    return periodic({
      everyMillis: MINUTE_MILLIS,
      timeoutMillis: ROUND_MILLIS,
      clock,
      signal,
      logger,
      name: 'refresh the catalogue',
      task: (own) => this.refresh(own),
    });
  }

  #isDue(name: PartName): boolean {
    if (QUOTED.has(name) && this.#options.isolatedVPC === true) return false;
    if (this.#waiting.has(name)) return false;
    return this.#options.clock.monotonic() >= (this.#dueAt.get(name) ?? -Infinity);
  }

  /** Never rejects. */
  async #read(part: PartName, signal?: AbortSignal): Promise<void> {
    const { clock, logger, metrics } = this.#options;
    try {
      const answer = await this.#readers[part](signal);
      if (answer.size === 0) throw new Error('the answer is empty');
      this.#parts = { ...this.#parts, [part]: answer };
      this.#current = undefined;
      this.#dueAt.set(part, clock.monotonic() + EVERY_MILLIS[part]);
      if (this.#failing.delete(part)) logger.info('Resumed refreshing the instance type catalogue', { part });
    } catch (error) {
      if (signal?.aborted === true) return;
      metrics.catalogueFailures.inc({ part });
      this.#dueAt.set(part, clock.monotonic() + RETRY_MILLIS);
      // Once, not every two minutes: in an isolated VPC it never comes.
      if (!this.#failing.has(part))
        logger.warn('Failed to refresh the instance type catalogue; keeping the last data', { part, error });
      this.#failing.add(part);
    }
  }
}

/** What EC2 answers at most on one page. */
const TYPES_PAGE = 100;
const OFFERINGS_PAGE = 1_000;
const SUBNETS_PAGE = 1_000;
const FILTERS: Filter[] = [
  { Name: 'supported-virtualization-type', Values: ['hvm'] },
  { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
];

/** Types of the region by name, those that are known to the embedded catalogue and others. @throws PortError */
async function readTypes(clients: AwsClients, signal?: AbortSignal): Promise<ReadonlyMap<string, LiveType>> {
  const known = embeddedTypes();
  const pages = await allPages({
    operation: 'ec2:DescribeInstanceTypes',
    fetch: (NextToken) =>
      clients.call(
        'DescribeInstanceTypes',
        (ec2, options) =>
          ec2.send(
            new DescribeInstanceTypesCommand({ Filters: FILTERS, MaxResults: TYPES_PAGE, NextToken }),
            options,
          ),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  return new Map(
    pages
      .flatMap(({ InstanceTypes = [] }) => InstanceTypes)
      .flatMap((info): [string, LiveType][] => {
        const type = liveType(info, known.get(info.InstanceType ?? '')?.facts);
        return type === undefined ? [] : [[type.facts.name, type]];
      }),
  );
}

/** Type → its zones, in order. @throws PortError */
async function readZones(
  clients: AwsClients,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const pages = await allPages({
    operation: 'ec2:DescribeInstanceTypeOfferings',
    fetch: (NextToken) =>
      clients.call(
        'DescribeInstanceTypeOfferings',
        (ec2, options) =>
          ec2.send(
            new DescribeInstanceTypeOfferingsCommand({
              LocationType: 'availability-zone',
              MaxResults: OFFERINGS_PAGE,
              NextToken,
            }),
            options,
          ),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  const zones = new Map<string, Set<string>>();
  for (const { InstanceType, Location } of pages.flatMap(
    ({ InstanceTypeOfferings = [] }) => InstanceTypeOfferings,
  )) {
    if (InstanceType === undefined || Location === undefined) continue;
    const known = zones.get(InstanceType) ?? new Set();
    zones.set(InstanceType, known.add(Location));
  }
  return new Map([...zones].map(([type, own]) => [type, [...own].sort()]));
}

/**
 * Zone → its id, of each zone in which the account has a subnet: nothing is launched in others, and DescribeAvailabilityZones would
 * need a permission of its own. @throws PortError
 */
async function readZoneIDs(clients: AwsClients, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const pages = await allPages({
    operation: 'ec2:DescribeSubnets',
    fetch: (NextToken) =>
      clients.call(
        'DescribeSubnets',
        (ec2, options) =>
          ec2.send(new DescribeSubnetsCommand({ MaxResults: SUBNETS_PAGE, NextToken }), options),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  return new Map(
    pages
      .flatMap(({ Subnets = [] }) => Subnets)
      .flatMap(({ AvailabilityZone: zone, AvailabilityZoneId: id }): [string, string][] =>
        zone === undefined || id === undefined ? [] : [[zone, id]],
      ),
  );
}
