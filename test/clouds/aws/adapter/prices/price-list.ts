/** Builds what EC2 and the price list say of instance types and prices. */
import {
  ec2Answer,
  ec2List,
  FakeAws,
  jsonAnswer,
  xml,
  type AskedOfAws,
  type FakeAnswer,
} from '../../../../support/fake-aws.js';

/** m5.large as DescribeInstanceTypes tells of it. */
export function typeXml(name: string, { vcpu = 2, memoryMiB = 8192, more = '' } = {}): string {
  return [
    xml({ instanceType: name, hypervisor: 'nitro', bareMetal: false }),
    ec2List('supportedUsageClasses', []).replace(
      '></supportedUsageClasses>',
      '><item>on-demand</item><item>spot</item></supportedUsageClasses>',
    ),
    `<processorInfo><supportedArchitectures><item>x86_64</item></supportedArchitectures>`,
    `<sustainedClockSpeedInGhz>3.1</sustainedClockSpeedInGhz><manufacturer>Intel</manufacturer></processorInfo>`,
    `<vCpuInfo><defaultVCpus>${String(vcpu)}</defaultVCpus></vCpuInfo>`,
    `<memoryInfo><sizeInMiB>${String(memoryMiB)}</sizeInMiB></memoryInfo>`,
    '<ebsInfo><ebsOptimizedInfo><baselineBandwidthInMbps>650</baselineBandwidthInMbps>',
    '<maximumBandwidthInMbps>4750</maximumBandwidthInMbps></ebsOptimizedInfo></ebsInfo>',
    '<networkInfo><maximumNetworkInterfaces>3</maximumNetworkInterfaces>',
    '<defaultNetworkCardIndex>0</defaultNetworkCardIndex><networkCards><item>',
    '<networkCardIndex>0</networkCardIndex><maximumNetworkInterfaces>3</maximumNetworkInterfaces>',
    '<baselineBandwidthInGbps>0.75</baselineBandwidthInGbps></item></networkCards>',
    '<ipv4AddressesPerInterface>10</ipv4AddressesPerInterface>',
    '<encryptionInTransitSupported>false</encryptionInTransitSupported></networkInfo>',
    more,
  ].join('');
}

export function product(instanceType: string, price: string, unit = 'Hrs'): string {
  return JSON.stringify({
    product: { sku: 'SKU', attributes: { instanceType } },
    terms: {
      OnDemand: {
        'SKU.TERM': { priceDimensions: { 'SKU.TERM.RATE': { unit, pricePerUnit: { USD: price } } } },
      },
    },
  });
}

export interface Market {
  /** What stands inside each item of DescribeInstanceTypes. */
  readonly types?: readonly string[];
  /** Type and zone. */
  readonly offerings?: readonly (readonly [string, string])[];
  readonly products?: readonly string[];
  /** Type, zone, price and when it came. */
  readonly spot?: readonly (readonly [string, string, string, string])[];
  readonly pageSize?: number;
}

/** A fake that tells of this market. */
export function marketOf({
  types = [],
  offerings = [],
  products = [],
  spot = [],
  pageSize = 1_000,
}: Market): FakeAws {
  const inPages =
    (list: string, items: readonly string[]): FakeAnswer =>
    ({ operation, fields }) => {
      const { page, next } = slice(items, fields, pageSize);
      return ec2Answer(
        operation,
        ec2List(list, page) + (next === '' ? '' : `<nextToken>${next}</nextToken>`),
      );
    };
  return new FakeAws()
    .answer('DescribeInstanceTypes', inPages('instanceTypeSet', types))
    .answer(
      'DescribeInstanceTypeOfferings',
      inPages(
        'instanceTypeOfferingSet',
        offerings.map(([instanceType, location]) => xml({ instanceType, location })),
      ),
    )
    .answer(
      'DescribeSubnets',
      inPages(
        'subnetSet',
        [...new Set(offerings.map(([, zone]) => zone))].map((availabilityZone) =>
          xml({ availabilityZone, availabilityZoneId: `az-of-${availabilityZone}`, state: 'available' }),
        ),
      ),
    )
    .answer(
      'DescribeSpotPriceHistory',
      inPages(
        'spotPriceHistorySet',
        spot.map(([instanceType, availabilityZone, spotPrice, timestamp]) =>
          xml({ instanceType, availabilityZone, spotPrice, timestamp }),
        ),
      ),
    )
    .answer('GetProducts', ({ fields }) => {
      const { page, next } = slice(isMetal(fields) ? [] : products, fields, pageSize);
      return jsonAnswer({
        FormatVersion: 'aws_v1',
        PriceList: page,
        ...(next === '' ? {} : { NextToken: next }),
      });
    });
}

function isMetal(fields: AskedOfAws['fields']): boolean {
  return JSON.stringify(fields['Filters']).includes('bare metal');
}

function slice(items: readonly string[], fields: AskedOfAws['fields'], pageSize: number) {
  const start = Number(fields['NextToken'] ?? 0);
  const page = items.slice(start, start + pageSize);
  return { page, next: start + pageSize < items.length ? String(start + pageSize) : '' };
}
