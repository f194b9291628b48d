/** DescribeSpotPriceHistory. */
import type { QueryNode } from '../../protocol/query.js';
import { xmlTime, type XmlStructure } from '../../protocol/xml.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import type { Offerings } from './offerings.js';
import { pageOf } from '../../protocol/paging.js';
import type { SpotMarket } from './spot-market.js';

export interface SpotPriceSources {
  readonly offerings: Offerings;
  readonly market: SpotMarket;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Nothing is known of before. */
  readonly knownSince: number;
}

interface Row {
  readonly product: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly price: number;
  readonly at: number;
}

/** What the licence adds to the price of a Linux instance for each vCPU, in USD/h. */
const LICENCES: ReadonlyMap<string, number> = new Map([
  ['Linux/UNIX', 0],
  ['Windows', 0.05],
]);
const LIMITS = { min: 1, max: 1000, usual: 1000 };
const FIELDS: FilterFields<Row> = {
  'instance-type': ({ instanceType }) => instanceType,
  'availability-zone': ({ zone }) => zone,
  'product-description': ({ product }) => product,
  'spot-price': ({ price }) => priceText(price),
  timestamp: ({ at }) => xmlTime(at),
};

/** Linux, then Windows. Types in the catalogue's order, each with its zones, each newest first. */
export function describeSpotPrices(query: QueryNode, sources: SpotPriceSources): XmlStructure {
  const found = applyFilters(query, rows(query, sources), { fields: FIELDS });
  const { items, nextToken } = pageOf(query, found, LIMITS);
  return {
    spotPriceHistorySet: items.map(({ product, instanceType, zone, price, at }) => ({
      instanceType,
      productDescription: product,
      spotPrice: priceText(price),
      timestamp: xmlTime(at),
      availabilityZone: zone,
    })),
    nextToken: nextToken ?? '',
  };
}

function rows(query: QueryNode, { offerings, market, now, knownSince }: SpotPriceSources): readonly Row[] {
  const products = query.texts('ProductDescription');
  const wanted = [...LICENCES].filter(
    ([name]) => products.length === 0 || products.some((product) => product.startsWith(name)),
  );
  const from = Math.max(query.time('StartTime') ?? knownSince, knownSince);
  const to = Math.min(query.time('EndTime') ?? now, now);
  const types = query.texts('InstanceType');
  const onlyZone = query.text('AvailabilityZone');
  const linux = offerings.types
    .filter(({ name }) => types.length === 0 || types.includes(name))
    .flatMap(({ name, arch, vcpu }) =>
      offerings
        .zones(name)
        .filter((zone) => onlyZone === undefined || zone === onlyZone)
        .flatMap((zone) =>
          market
            .changes({ instanceType: name, zone }, Math.min(from, now), to)
            .map(({ at, price }) => ({ instanceType: name, zone, at, price, arch, vcpu })),
        ),
    );
  return wanted.flatMap(([product, licence]) =>
    linux
      .filter(({ arch }) => licence === 0 || arch === 'amd64')
      .map(({ instanceType, zone, at, price, vcpu }) => {
        return { product, instanceType, zone, at, price: price + licence * vcpu };
      }),
  );
}

/** As AWS writes prices: six digits after the point. */
function priceText(price: number): string {
  return price.toFixed(6);
}
