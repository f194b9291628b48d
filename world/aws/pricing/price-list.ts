/** The price list service: what instance types cost on demand, product by product. */
import type { InstanceFacts } from '../../../src/clouds/aws/catalogue/index.js';
import { slice } from '../protocol/paging.js';
import type { Offerings } from '../ec2/offerings/offerings.js';
import type { JsonInput } from '../protocol/json.js';
import { ServiceError } from '../model/service-error.js';
import { stableID } from '../model/stable-hash.js';

interface Product {
  readonly sku: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly productFamily: string;
  /** USD/h. */
  readonly price: number;
}

/** Of what the list has, these kinds are simulated; only filters tell others apart from them. */
const KINDS = [
  { tenancy: 'Shared', operatingSystem: 'Linux', capacitystatus: 'Used', factor: 1 },
  { tenancy: 'Shared', operatingSystem: 'Linux', capacitystatus: 'UnusedCapacityReservation', factor: 1 },
  { tenancy: 'Shared', operatingSystem: 'Windows', capacitystatus: 'Used', factor: 1.5 },
  { tenancy: 'Dedicated', operatingSystem: 'Linux', capacitystatus: 'Used', factor: 1.1 },
] as const;

/** These two codes end the keys of every on-demand term. */
const OFFER_TERM = 'JRTCKXETXF';
const HOURLY_RATE = '6YS6EN2CT7';
const MAX_PAGE = 100;

export class PriceList {
  readonly #region: string;
  readonly #offerings: Offerings;
  #products: readonly Product[] | undefined;

  constructor({ region, offerings }: { readonly region: string; readonly offerings: Offerings }) {
    this.#region = region;
    this.#offerings = offerings;
  }

  /** @throws ServiceError InvalidParameterException, InvalidNextTokenException, UnknownOperationException. */
  act(action: string, input: JsonInput): object {
    switch (action) {
      case 'GetProducts':
        return this.#getProducts(input);
      case 'DescribeServices':
        return { Services: [{ ServiceCode: 'AmazonEC2', AttributeNames: [] }], FormatVersion: 'aws_v1' };
      default:
        throw new ServiceError('UnknownOperationException', `The operation ${action} is not known`);
    }
  }

  #getProducts(input: JsonInput): object {
    const service = input.required('ServiceCode');
    if (service !== 'AmazonEC2')
      throw new ServiceError('NotFoundException', `The service ${service} was not found`);
    const filters = input.objects('Filters').map((filter) => {
      const type = filter.required('Type');
      if (type !== 'TERM_MATCH')
        throw new ServiceError('InvalidParameterException', `Filters of type ${type} are not simulated`);
      return { field: filter.required('Field'), value: filter.required('Value').toLowerCase() };
    });
    const size = input.integer('MaxResults') ?? MAX_PAGE;
    if (size < 1 || size > MAX_PAGE)
      throw new ServiceError('InvalidParameterException', 'MaxResults must be between 1 and 100');
    const found = this.#all().filter(({ attributes, productFamily }) =>
      filters.every(({ field, value }) => {
        const own = field === 'productFamily' ? productFamily : attributes[field];
        return own?.toLowerCase() === value;
      }),
    );
    const page = slice(found, size, input.text('NextToken'), 'InvalidNextTokenException');
    return {
      FormatVersion: 'aws_v1',
      PriceList: page.items.map((product) => JSON.stringify(priceItem(product))),
      NextToken: page.nextToken,
    };
  }

  #all(): readonly Product[] {
    this.#products ??= this.#offerings.types.flatMap((facts) => this.#productsOf(facts));
    return this.#products;
  }

  #productsOf(facts: InstanceFacts): readonly Product[] {
    const zone = this.#offerings.zones(facts.name)[0];
    const price =
      zone && this.#offerings.listPrice({ instanceType: facts.name, zone, capacityType: 'on-demand' });
    if (price === undefined || price === '') return [];
    const isMetal = facts.hypervisor === '';
    // Bare metal is never shared, and T2 is not sold so.
    const isDedicated = !isMetal && !facts.name.startsWith('t2.');
    const kinds = KINDS.filter(({ tenancy }) => tenancy === 'Shared' || isDedicated);
    return kinds.map((kind) => ({
      sku: stableID('SKU', `${facts.name} ${kind.operatingSystem} ${kind.capacitystatus} ${kind.tenancy}`)
        .replace('-0', '')
        .toUpperCase(),
      productFamily: isMetal ? 'Compute Instance (bare metal)' : 'Compute Instance',
      price: price * kind.factor,
      attributes: {
        servicecode: 'AmazonEC2',
        serviceCode: 'AmazonEC2',
        instanceType: facts.name,
        regionCode: this.#region,
        locationType: 'AWS Region',
        operatingSystem: kind.operatingSystem,
        capacitystatus: kind.capacitystatus,
        preInstalledSw: 'NA',
        licenseModel: 'No License required',
        tenancy: isMetal ? 'Dedicated' : kind.tenancy,
        marketoption: 'OnDemand',
        vcpu: String(facts.vcpu),
        memory: `${String(facts.memoryMiB / 1024)} GiB`,
      },
    }));
  }
}

function priceItem({ sku, attributes, productFamily, price }: Product): object {
  const currency = attributes['regionCode']?.startsWith('cn-') === true ? 'CNY' : 'USD';
  const term = `${sku}.${OFFER_TERM}`;
  const rate = `${term}.${HOURLY_RATE}`;
  return {
    product: { productFamily, attributes, sku },
    serviceCode: 'AmazonEC2',
    terms: {
      OnDemand: {
        [term]: {
          sku,
          offerTermCode: OFFER_TERM,
          priceDimensions: {
            [rate]: {
              unit: 'Hrs',
              rateCode: rate,
              beginRange: '0',
              endRange: 'Inf',
              description: `$${String(price)} per On Demand ${attributes['operatingSystem'] ?? ''} ${attributes['instanceType'] ?? ''} Instance Hour`,
              pricePerUnit: { [currency]: price.toFixed(10) },
            },
          },
          termAttributes: {},
        },
      },
    },
    version: '1',
  };
}
