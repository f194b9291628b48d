/** What AWS answered so far, and the embedded catalogue where it has not, as one catalogue. */
import {
  asDedicated,
  Catalogue,
  type CatalogueEntry,
  type CatalogueKnowledge,
  embeddedTypes,
  type InstanceFacts,
  type OtherPrices,
  estimateFactor,
  QUOTED_REGION,
  usualZones,
  withWindowsLicence,
} from '../../catalogue/index.js';
import { roundPrice } from '../../../../catalogue/price.js';
import type { Offering, UnpricedOffering } from '../../../../domain/nodes/instance-type.js';
import type { LiveType } from './live-type.js';
import { spotKey } from './read-prices.js';

/** Each undefined until it came for the first time. */
export interface CatalogueParts {
  readonly types: ReadonlyMap<string, LiveType> | undefined;
  /** Type → zones. */
  readonly zones: ReadonlyMap<string, readonly string[]> | undefined;
  /** Zone → its id. */
  readonly zoneIDs?: ReadonlyMap<string, string> | undefined;
  /** Type → USD/h. */
  readonly onDemand: ReadonlyMap<string, number> | undefined;
  /** `spotKey` → USD/h. */
  readonly spot: ReadonlyMap<string, number> | undefined;
  /** The same with Windows; asked for only where a node class has it. */
  readonly windowsOnDemand?: ReadonlyMap<string, number> | undefined;
  readonly windowsSpot?: ReadonlyMap<string, number> | undefined;
  /** Of dedicated instances, with Linux; asked for only where a NodePool has them. */
  readonly dedicatedOnDemand?: ReadonlyMap<string, number> | undefined;
}

export interface AssembleOptions extends CatalogueKnowledge {
  /** Called when prices of types with Windows, or of dedicated instances, are wanted. */
  readonly onOther?: ((of: OtherPrices) => void) | undefined;
}

/** Share of the on-demand price, for types whose spot price is unknown. */
const USUAL_SPOT_RATIO = 0.5;

type Place = Pick<Offering, 'zone' | 'zoneID'>;

function placeOf(zone: string, zoneID: string | undefined): Place {
  return { zone, ...(zoneID !== undefined && { zoneID }) };
}

interface Price {
  readonly price: number;
  readonly estimated: boolean;
}

/**
 * The catalogue. Types that the embedded one does not know are there, too, with their prices: quoted, or what the other
 * sizes of their family cost for each vCPU. Once spot prices came, a type is sold on spot where it has one. Of types without any price,
 * it says where they are sold. With Windows a type costs what is quoted for it, else the licence more; dedicated what is quoted for it,
 * else a share more, and on spot that share more than there.
 */
export function assembleCatalogue(
  region: string,
  parts: CatalogueParts,
  { onOther, ...known }: AssembleOptions = {},
): Catalogue {
  const estimates = new Estimates(region, parts);
  const entries = typesOf(parts).flatMap((type): CatalogueEntry[] => {
    const zones = parts.zones === undefined ? usualZones(region) : (parts.zones.get(type.facts.name) ?? []);
    const places = zones.map((zone) => placeOf(zone, parts.zoneIDs?.get(zone)));
    const offerings = offeringsOf(type, places, estimates, parts.spot);
    const entry = { facts: type.facts, allocatable: undefined, offerings };
    if (offerings.length > 0) return [entry];
    const unpriced = unpricedOf(type, places);
    return unpriced.length === 0 ? [] : [{ ...entry, unpriced }];
  });
  const otherOfferings = (entry: CatalogueEntry, of: OtherPrices): readonly Offering[] => {
    onOther?.(of);
    const { facts } = entry;
    if (of.tenancy === 'default')
      return entry.offerings.flatMap((offering) => windowsOffering(facts, offering, { region, parts }));
    const dedicated = dedicatedOfferings(entry, parts.dedicatedOnDemand);
    return of.isWindows
      ? dedicated.map((offering) => withWindowsLicence(facts, offering, region))
      : dedicated;
  };
  return new Catalogue({ region, entries, ...known, otherOfferings });
}

/** None of a type that is not sold so. */
function dedicatedOfferings(
  { facts, offerings }: CatalogueEntry,
  quotes: CatalogueParts['dedicatedOnDemand'],
): readonly Offering[] {
  if (quotes === undefined) return offerings.map(asDedicated);
  const quoted = quotes.get(facts.name);
  if (quoted === undefined) return [];
  const shared = offerings.find(({ capacityType }) => capacityType === 'on-demand')?.price ?? quoted;
  return offerings.map((offering) =>
    offering.capacityType === 'on-demand'
      ? { ...offering, price: quoted, estimated: false }
      : { ...offering, price: roundPrice((offering.price * quoted) / shared), estimated: true },
  );
}

function windowsOffering(
  facts: InstanceFacts,
  offering: Offering,
  { region, parts }: { readonly region: string; readonly parts: CatalogueParts },
): readonly Offering[] {
  const isSpot = offering.capacityType === 'spot';
  const quoted = isSpot
    ? parts.windowsSpot?.get(spotKey(facts.name, offering.zone))
    : parts.windowsOnDemand?.get(facts.name);
  if (quoted !== undefined) return [{ ...offering, price: quoted, estimated: false }];
  return isSpot && parts.windowsSpot !== undefined ? [] : [withWindowsLicence(facts, offering, region)];
}

/** As the embedded catalogue orders them, then the others by name. */
function typesOf({ types }: CatalogueParts): readonly LiveType[] {
  const embedded = embeddedTypes();
  if (types === undefined)
    return [...embedded.values()].map(({ facts, spotRatio }) => ({
      facts,
      onDemand: true,
      spot: spotRatio > 0,
    }));
  const others = [...types.keys()].filter((name) => !embedded.has(name)).sort();
  return [...embedded.keys(), ...others].flatMap((name) => types.get(name) ?? []);
}

function offeringsOf(
  { facts, onDemand, spot }: LiveType,
  places: readonly Place[],
  estimates: Estimates,
  spotPrices: CatalogueParts['spot'],
): readonly Offering[] {
  const usual = estimates.onDemand(facts);
  return places.flatMap((place) => {
    const quoted = spotPrices?.get(spotKey(facts.name, place.zone));
    const estimated = spot && spotPrices === undefined ? estimates.spot(facts, usual) : undefined;
    const spotPrice = quoted === undefined ? estimated : { price: quoted, estimated: false };
    return [
      ...offering(place, 'on-demand', onDemand ? usual : undefined),
      ...offering(place, 'spot', spotPrice),
    ];
  });
}

/** As if each zone sold each way: EC2 tells no more of types that it has no prices for. */
function unpricedOf({ onDemand, spot }: LiveType, places: readonly Place[]): readonly UnpricedOffering[] {
  return places.flatMap((place) => [
    ...(onDemand ? [{ ...place, capacityType: 'on-demand' as const }] : []),
    ...(spot ? [{ ...place, capacityType: 'spot' as const }] : []),
  ]);
}

function offering(
  place: Place,
  capacityType: Offering['capacityType'],
  price: Price | undefined,
): Offering[] {
  return price === undefined ? [] : [{ ...place, capacityType, ...price, available: true }];
}

/** Prices of what has none of its own. */
class Estimates {
  readonly #region: string;
  readonly #quoted: ReadonlyMap<string, number>;
  readonly #factor: number;
  readonly #families: FamilyPrices;

  constructor(region: string, { onDemand = new Map(), types }: CatalogueParts) {
    this.#region = region;
    this.#quoted = onDemand;
    this.#factor = estimateFactor(region);
    const facts = [...(types?.values() ?? [])].map((type) => type.facts);
    this.#families = new FamilyPrices(facts, (type) => this.#known(type)?.price);
  }

  onDemand(facts: InstanceFacts): Price | undefined {
    const known = this.#known(facts);
    if (known !== undefined) return known;
    const price = this.#families.price(facts);
    return price === undefined ? undefined : { price: roundPrice(price), estimated: true };
  }

  spot({ name }: InstanceFacts, onDemand: Price | undefined): Price | undefined {
    if (onDemand === undefined) return undefined;
    const ratio = embeddedTypes().get(name)?.spotRatio ?? USUAL_SPOT_RATIO;
    return { price: roundPrice(onDemand.price * ratio), estimated: true };
  }

  #known({ name }: InstanceFacts): Price | undefined {
    const quoted = this.#quoted.get(name);
    if (quoted !== undefined) return { price: quoted, estimated: false };
    const embedded = embeddedTypes().get(name)?.onDemandPrice;
    if (embedded === undefined) return undefined;
    return { price: roundPrice(embedded * this.#factor), estimated: this.#region !== QUOTED_REGION };
  }
}

/** What an instance without a price probably costs: sizes of a family cost the same for each vCPU, nearly always. */
class FamilyPrices {
  /** Family → USD/h of one vCPU, of its types with a price. */
  readonly #perVcpu = new Map<string, number[]>();

  constructor(types: Iterable<InstanceFacts>, priceOf: (type: InstanceFacts) => number | undefined) {
    for (const type of types) {
      const price = priceOf(type);
      if (price === undefined) continue;
      const known = this.#perVcpu.get(familyOf(type)) ?? [];
      this.#perVcpu.set(familyOf(type), [...known, price / type.vcpu]);
    }
  }

  /** USD/h, by the median of the family; undefined when no type of the family has a price. */
  price(type: InstanceFacts): number | undefined {
    const known = [...(this.#perVcpu.get(familyOf(type)) ?? [])].sort((left, right) => left - right);
    const median = known[Math.floor(known.length / 2)];
    return median === undefined ? undefined : median * type.vcpu;
  }
}

function familyOf({ name }: InstanceFacts): string {
  return name.slice(0, name.indexOf('.'));
}
