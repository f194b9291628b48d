import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/embedded/embedded-catalogue.js';
import type { InstanceType } from '../../../../../src/domain/nodes/instance-type.js';

const virginia = catalogueFor('us-east-1');
const paris = catalogueFor('eu-west-3');

function typeIn(catalogue: { readonly instanceTypes: readonly InstanceType[] }, name: string): InstanceType {
  const type = catalogue.instanceTypes.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`no ${name}`);
  return type;
}

describe('catalogueFor', () => {
  test('offers a type in zones a to c, on demand and on spot', () => {
    const offered = typeIn(paris, 'm5.large').offerings.map(
      ({ zone, capacityType }) => `${zone} ${capacityType}`,
    );
    expect(offered).toEqual(
      ['a', 'b', 'c'].flatMap((zone) => [`eu-west-3${zone} on-demand`, `eu-west-3${zone} spot`]),
    );
  });

  test.each(['hpc7g.16xlarge', 'u7i-6tb.112xlarge', 'c8ine.large'])(
    'offers %s on demand only, as EC2 does',
    (name) => {
      expect(new Set(typeIn(virginia, name).offerings.map(({ capacityType }) => capacityType))).toEqual(
        new Set(['on-demand']),
      );
    },
  );

  test('quotes on-demand prices in us-east-1 and estimates all others', () => {
    const flags = (type: InstanceType) =>
      type.offerings.slice(0, 2).map(({ capacityType, estimated }) => [capacityType, estimated]);
    expect(flags(typeIn(virginia, 'm5.large'))).toEqual([
      ['on-demand', false],
      ['spot', true],
    ]);
    expect(flags(typeIn(paris, 'm5.large'))).toEqual([
      ['on-demand', true],
      ['spot', true],
    ]);
  });

  test('prices another region as a multiple of us-east-1, spot as one share per family, to the millionth', () => {
    const [onDemand, spot] = typeIn(paris, 'm5.large').offerings;
    expect(onDemand?.price).toBe(0.11232);
    const shares = ['m5.large', 'm5.24xlarge'].map((name) => {
      const [full, less] = typeIn(paris, name).offerings;
      return (less?.price ?? 0) / (full?.price ?? 1);
    });
    expect(shares[0]).toBeCloseTo(shares[1] ?? 0, 4);
    expect(spot?.price).toBe(Math.round((spot?.price ?? 0) * 1e6) / 1e6);
  });

  test('offers in the zones it is told, where it is told some', () => {
    const [type] = catalogueFor('us-east-1', ['us-east-1f']).instanceTypes;
    expect(new Set(type?.offerings.map(({ zone }) => zone))).toEqual(new Set(['us-east-1f']));
  });

  test('has the same types, facts and order in every region', () => {
    const names = (catalogue: typeof paris) => catalogue.instanceTypes.map(({ name }) => name);
    expect(names(paris)).toEqual(names(virginia));
    expect(names(paris).length).toBeGreaterThanOrEqual(700);
  });

  test('does not know a region that is none', () => {
    expect(() => catalogueFor('moon-1')).toThrow('region "moon-1": not known; known are ');
  });
});
