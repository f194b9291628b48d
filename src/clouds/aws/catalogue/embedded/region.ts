/** AWS regions: how expensive instances are there, and which zones belong to them. */

/**
 * On-demand prices as a multiple of us-east-1's: the ratio for general purpose Linux instances, applied to all types. An estimate,
 * and it says nothing on whether a region has a family at all.
 */
const PRICE_FACTORS: ReadonlyMap<string, number> = new Map([
  ['af-south-1', 1.32],
  ['ap-east-1', 1.375],
  ['ap-northeast-1', 1.29],
  ['ap-northeast-2', 1.23],
  ['ap-northeast-3', 1.29],
  ['ap-south-1', 1.05],
  ['ap-south-2', 1.05],
  ['ap-southeast-1', 1.25],
  ['ap-southeast-2', 1.25],
  ['ap-southeast-3', 1.25],
  ['ap-southeast-4', 1.25],
  ['ap-southeast-5', 1.13],
  ['ap-southeast-7', 1.13],
  ['ca-central-1', 1.115],
  ['ca-west-1', 1.115],
  ['eu-central-1', 1.2],
  ['eu-central-2', 1.32],
  ['eu-north-1', 1.065],
  ['eu-south-1', 1.17],
  ['eu-south-2', 1.115],
  ['eu-west-1', 1.115],
  ['eu-west-2', 1.155],
  ['eu-west-3', 1.17],
  ['il-central-1', 1.22],
  ['me-central-1', 1.23],
  ['me-south-1', 1.23],
  ['mx-central-1', 1.05],
  ['sa-east-1', 1.59],
  ['us-east-1', 1],
  ['us-east-2', 1],
  ['us-gov-east-1', 1.26],
  ['us-gov-west-1', 1.26],
  ['us-west-1', 1.17],
  ['us-west-2', 1],
]);

/**
 * The same in CNY for each USD, where AWS quotes prices in CNY (general purpose Linux instances, 2023). No network: they are not
 * among the regions that are known without AWS, whose prices are in USD.
 */
const CNY_FACTORS: ReadonlyMap<string, number> = new Map([
  ['cn-north-1', 10.5],
  ['cn-northwest-1', 7],
]);
/** About what a dollar costs. */
const CNY_PER_USD = 7;

/** What a multiple of us-east-1's prices is estimated with; that of other regions is as if they were us-east-1. */
export function estimateFactor(region: string): number {
  return PRICE_FACTORS.get(region) ?? CNY_FACTORS.get(region) ?? 1;
}

/** An amount that is the same everywhere, in the currency of the region's prices. */
export function estimatedFromUSD(amount: number, region: string): number {
  return CNY_FACTORS.has(region) ? amount * CNY_PER_USD : amount;
}

/** Regions with an estimate of their prices. */
export const REGIONS: readonly string[] = [...PRICE_FACTORS.keys()];

/** The region whose prices are quoted; all others are multiples of them. */
export const QUOTED_REGION = 'us-east-1';

/** @throws RangeError naming the known regions when the region is none of them. */
export function priceFactor(region: string): number {
  const factor = PRICE_FACTORS.get(region);
  if (factor === undefined)
    throw new RangeError(`region ${JSON.stringify(region)}: not known; known are ${REGIONS.join(', ')}`);
  return factor;
}

/** Zones a, b and c of a region. Many have others too, or lack one: accounts and regions differ. */
export function usualZones(region: string): readonly string[] {
  return ['a', 'b', 'c'].map((letter) => region + letter);
}

/** `eu-west-3a`, `us-gov-west-1b`, and the longer names of local and Wavelength zones, `us-west-2-lax-1a`. */
const ZONE = /^([a-z]{2}(?:-[a-z]+)+-\d+)(?:[a-z]$|-)/;

/** The region that all these zones lie in; undefined when they are of several, or none looks like a zone. */
export function regionOfZones(zones: Iterable<string>): string | undefined {
  const regions = new Set([...zones].flatMap((zone) => ZONE.exec(zone)?.[1] ?? []));
  return regions.size === 1 ? [...regions][0] : undefined;
}
