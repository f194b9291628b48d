/** What instances cost now: on demand from the price list, on spot from EC2. */
import { type _InstanceType, DescribeSpotPriceHistoryCommand } from '@aws-sdk/client-ec2';
import { GetProductsCommand } from '@aws-sdk/client-pricing';
import type { Tenancy } from '../../../../domain/nodes/tenancy.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';

/** What the services answer at most on one page. */
const PRODUCTS_PAGE = 100;
const SPOT_PAGE = 1_000;

/** The price list has bare metal, which is never shared, among dedicated instances. */
const METAL = { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' };
const KINDS: Readonly<Record<Tenancy, readonly Readonly<Record<string, string>>[]>> = {
  default: [{ tenancy: 'Shared', productFamily: 'Compute Instance' }, METAL],
  dedicated: [{ tenancy: 'Dedicated', productFamily: 'Compute Instance' }, METAL],
};
/** Without software to pay for, and without a reservation. */
const PLAIN = {
  preInstalledSw: 'NA',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
} as const;

/** Operating systems that have prices of their own. */
type PricedSystem = 'Linux' | 'Windows';

/** With the licence, where one has to be paid: who brings one pays as for Linux. */
const SYSTEMS: Readonly<Record<PricedSystem, Readonly<Record<string, string>>>> = {
  Linux: { operatingSystem: 'Linux' },
  Windows: { operatingSystem: 'Windows', licenseModel: 'No License required' },
};

const SPOT_PRODUCTS: Readonly<Record<PricedSystem, readonly string[]>> = {
  Linux: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
  Windows: ['Windows', 'Windows (Amazon VPC)'],
};

interface OnDemandQuestion {
  readonly system: PricedSystem;
  readonly tenancy: Tenancy;
}

/** Type → USD/h on demand, CNY/h in China. @throws PortError */
export async function readOnDemandPrices(
  clients: AwsClients,
  { system, tenancy }: OnDemandQuestion,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const prices = new Map<string, number>();
  for (const kind of KINDS[tenancy]) {
    for (const { instanceType, price } of await readProducts(
      clients,
      { ...SYSTEMS[system], ...kind },
      signal,
    ))
      prices.set(instanceType, price);
  }
  return prices;
}

/** A string, or what the SDK makes of one that holds JSON. */
interface JsonText {
  toString(): string;
}

async function readProducts(
  clients: AwsClients,
  kind: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<readonly { readonly instanceType: string; readonly price: number }[]> {
  const fields = { regionCode: clients.region, ...PLAIN, ...kind };
  const Filters = Object.entries(fields).map(([Field, Value]) => ({
    Type: 'TERM_MATCH' as const,
    Field,
    Value,
  }));
  const pages = await allPages({
    operation: 'pricing:GetProducts',
    fetch: (NextToken) =>
      clients.call(
        'GetProducts',
        (pricing, options) =>
          pricing.send(
            new GetProductsCommand({
              ServiceCode: 'AmazonEC2',
              Filters,
              FormatVersion: 'aws_v1',
              MaxResults: PRODUCTS_PAGE,
              NextToken,
            }),
            options,
          ),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  return pages.flatMap(({ PriceList }) => {
    // The SDK's type says any: it makes objects of strings that hold JSON.
    const products = (PriceList ?? []) as readonly JsonText[];
    return products.flatMap((product) => readProduct(product.toString()) ?? []);
  });
}

/** What a type costs on spot in a zone. */
export function spotKey(instanceType: string, zone: string): string {
  return `${instanceType}/${zone}`;
}

interface SpotQuestion {
  readonly system: PricedSystem;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** `spotKey` → USD/h on spot at this time, CNY/h in China. @throws PortError */
export async function readSpotPrices(
  clients: AwsClients,
  { system, now }: SpotQuestion,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const pages = await allPages({
    operation: 'ec2:DescribeSpotPriceHistory',
    fetch: (NextToken) =>
      clients.call(
        'DescribeSpotPriceHistory',
        (ec2, options) =>
          ec2.send(
            new DescribeSpotPriceHistoryCommand({
              // Of the past only what is still in force.
              StartTime: new Date(now),
              ProductDescriptions: [...SPOT_PRODUCTS[system]],
              MaxResults: SPOT_PAGE,
              NextToken,
            }),
            options,
          ),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  return latest(pages.flatMap(({ SpotPriceHistory = [] }) => SpotPriceHistory));
}

interface SpotPriceRow {
  readonly InstanceType?: _InstanceType | undefined;
  readonly AvailabilityZone?: string | undefined;
  readonly SpotPrice?: string | undefined;
  readonly Timestamp?: Date | undefined;
}

function latest(rows: readonly SpotPriceRow[]): ReadonlyMap<string, number> {
  const prices = new Map<string, { readonly price: number; readonly at: number }>();
  for (const { InstanceType, AvailabilityZone, SpotPrice, Timestamp } of rows) {
    const price = Number(SpotPrice ?? Number.NaN);
    if (InstanceType === undefined || AvailabilityZone === undefined || !(price > 0)) continue;
    const key = spotKey(InstanceType, AvailabilityZone);
    const at = Timestamp?.getTime() ?? 0;
    if (at >= (prices.get(key)?.at ?? -Infinity)) prices.set(key, { price, at });
  }
  return new Map([...prices].map(([key, { price }]) => [key, price]));
}

// A product of AWS' price list, which comes as JSON within JSON.

interface ProductPrice {
  readonly instanceType: string;
  /** USD/h, or CNY/h where it has no other. */
  readonly price: number;
}

/** What AWS quotes prices in; a product has one of them. */
const CURRENCIES = ['USD', 'CNY'];

/** The price of a product that is an instance type; undefined when it is none, is free, or cannot be read. */
export function readProduct(text: string): ProductPrice | undefined {
  const product = parsed(text);
  const instanceType = at(product, 'product', 'attributes', 'instanceType');
  if (typeof instanceType !== 'string' || instanceType === '') return undefined;
  const terms = Object.values(asObject(at(product, 'terms', 'OnDemand')));
  const dimensions = terms.flatMap((term) => Object.values(asObject(at(term, 'priceDimensions'))));
  for (const dimension of dimensions) {
    const amounts = CURRENCIES.map((currency) => Number(at(dimension, 'pricePerUnit', currency)));
    const price = amounts.find((amount) => amount > 0 && Number.isFinite(amount));
    if (at(dimension, 'unit') === 'Hrs' && price !== undefined) return { instanceType, price };
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, key) => asObject(inner)[key], value);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
