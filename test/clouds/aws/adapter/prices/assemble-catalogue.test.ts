import {
  assembleCatalogue,
  type CatalogueParts,
} from '../../../../../src/clouds/aws/adapter/prices/assemble-catalogue.js';
import type { LiveType } from '../../../../../src/clouds/aws/adapter/prices/live-type.js';
import {
  catalogueFor,
  embeddedTypes,
  type InstanceFacts,
} from '../../../../../src/clouds/aws/catalogue/index.js';
import { roundPrice } from '../../../../../src/catalogue/price.js';
import type { Offering } from '../../../../../src/domain/nodes/instance-type.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';

const NOTHING: CatalogueParts = { types: undefined, zones: undefined, onDemand: undefined, spot: undefined };

function facts(name: string, overrides: Partial<InstanceFacts> = {}): InstanceFacts {
  const m5 = embeddedTypes().get('m5.large')?.facts;
  if (m5 === undefined) throw new Error('m5.large is embedded');
  return { ...(embeddedTypes().get(name)?.facts ?? m5), name, ...overrides };
}

function live(...all: readonly InstanceFacts[]): ReadonlyMap<string, LiveType> {
  return new Map(all.map((one) => [one.name, { facts: one, onDemand: true, spot: true }]));
}

function offerings(parts: Partial<CatalogueParts>, name: string, region = 'eu-west-3'): readonly Offering[] {
  const { entries } = assembleCatalogue(region, { ...NOTHING, ...parts });
  return entries.find((entry) => entry.facts.name === name)?.offerings ?? [];
}

const ONE_ZONE = new Map([
  ['m5.large', ['eu-west-3a']],
  ['m99.large', ['eu-west-3a']],
  ['m99.xlarge', ['eu-west-3a']],
]);

test.each(['eu-west-3', 'us-east-1'])(
  'before AWS has answered it is the embedded catalogue of %s',
  (region) => {
    expect(assembleCatalogue(region, NOTHING).entries).toEqual(catalogueFor(region).entries);
  },
);

test('a region that nobody has estimated yet has the prices of the quoted one, as estimates', () => {
  const [first] = offerings({}, 'm5.large', 'xx-new-1');
  expect(first).toMatchObject({ zone: 'xx-new-1a', price: 0.096, estimated: true });
});

test('only types and zones that the region has are offered', () => {
  const { entries } = assembleCatalogue('eu-west-3', {
    ...NOTHING,
    types: live(facts('m5.large')),
    zones: ONE_ZONE,
  });
  expect(entries.map(({ facts: { name } }) => name)).toEqual(['m5.large']);
  expect(entries[0]?.offerings.map(({ zone }) => zone)).toEqual(['eu-west-3a', 'eu-west-3a']);
});

test('quoted prices are no estimates', () => {
  const parts = {
    zones: ONE_ZONE,
    onDemand: new Map([['m5.large', 0.112]]),
    spot: new Map([['m5.large/eu-west-3a', 0.04]]),
  };
  expect(offerings(parts, 'm5.large')).toEqual([
    { zone: 'eu-west-3a', capacityType: 'on-demand', price: 0.112, estimated: false, available: true },
    { zone: 'eu-west-3a', capacityType: 'spot', price: 0.04, estimated: false, available: true },
  ]);
});

test('once spot prices have come, there is no spot where there is no price', () => {
  const found = offerings({ zones: ONE_ZONE, spot: new Map([['c5.large/eu-west-3a', 0.04]]) }, 'm5.large');
  expect(found.map(({ capacityType }) => capacityType)).toEqual(['on-demand']);
});

test('while there are no spot prices they are shares of the quoted on-demand price', () => {
  const found = offerings({ zones: ONE_ZONE, onDemand: new Map([['m5.large', 1]]) }, 'm5.large');
  expect(found[1]).toMatchObject({ capacityType: 'spot', price: 0.38, estimated: true });
});

test('a type that the embedded catalogue does not know is there with its quoted prices', () => {
  const parts = {
    types: live(facts('m99.large')),
    zones: ONE_ZONE,
    onDemand: new Map([['m99.large', 0.2]]),
    spot: new Map([['m99.large/eu-west-3a', 0.1]]),
  };
  expect(offerings(parts, 'm99.large')).toEqual([
    { zone: 'eu-west-3a', capacityType: 'on-demand', price: 0.2, estimated: false, available: true },
    { zone: 'eu-west-3a', capacityType: 'spot', price: 0.1, estimated: false, available: true },
  ]);
});

test('a size without a price costs for each vCPU what the others of its family do', () => {
  const parts = {
    types: live(facts('m99.large'), facts('m99.xlarge', { vcpu: 4 })),
    zones: ONE_ZONE,
    onDemand: new Map([['m99.large', 0.2]]),
  };
  expect(offerings(parts, 'm99.xlarge')[0]).toMatchObject({ price: 0.4, estimated: true });
});

test('a type whose price is not known is not offered, but the catalogue says where it is sold', () => {
  const types = live(facts('m99.large'));
  expect(offerings({ types, zones: ONE_ZONE }, 'm99.large')).toEqual([]);
  const { instanceTypes } = assembleCatalogue('eu-west-3', { ...NOTHING, types, zones: ONE_ZONE });
  expect(instanceTypes).toMatchObject([
    {
      name: 'm99.large',
      offerings: [],
      unpriced: [
        { zone: 'eu-west-3a', capacityType: 'on-demand' },
        { zone: 'eu-west-3a', capacityType: 'spot' },
      ],
    },
  ]);
  const spot = new Map([['m99.large/eu-west-3a', 0.1]]);
  expect(offerings({ types, zones: ONE_ZONE, spot }, 'm99.large')).toMatchObject([{ capacityType: 'spot' }]);
});

test('the embedded types keep their order, and the others follow by name', () => {
  const types = live(facts('zz9.large'), facts('m5.large'), facts('m4.large'), facts('aa9.large'));
  const onDemand = new Map([...types.keys()].map((name) => [name, 1]));
  const { entries } = assembleCatalogue('eu-west-3', { ...NOTHING, types, onDemand });
  expect(entries.map(({ facts: { name } }) => name)).toEqual([
    'm4.large',
    'm5.large',
    'aa9.large',
    'zz9.large',
  ]);
});

describe('with Windows', () => {
  const WINDOWS = ec2NodeClass({ amiSelectorTerms: [{ alias: 'windows2022@latest' }] });
  const LINUX = {
    types: live(facts('m5.large'), facts('t3.large'), facts('m7g.large', { arch: 'arm64' })),
    zones: new Map(['m5.large', 't3.large', 'm7g.large'].map((name) => [name, ['eu-west-3a']])),
    onDemand: new Map([
      ['m5.large', 0.112],
      ['t3.large', 0.1],
    ]),
    spot: new Map([
      ['m5.large/eu-west-3a', 0.04],
      ['t3.large/eu-west-3a', 0.03],
    ]),
  };

  function priced(parts: Partial<CatalogueParts>, region = 'eu-west-3') {
    const types = assembleCatalogue(region, { ...NOTHING, ...LINUX, ...parts }).forNodeClass(WINDOWS);
    return Object.fromEntries(
      types.flatMap(({ name, offerings: all }) =>
        all.map(({ capacityType, price, estimated }) => [`${name} ${capacityType}`, [price, estimated]]),
      ),
    );
  }

  test('a type costs the licence more than with Linux while its price is not known', () => {
    expect(priced({})).toEqual({
      'm5.large on-demand': [0.204, true],
      'm5.large spot': [0.132, true],
      't3.large on-demand': [0.1276, true],
      't3.large spot': [0.0576, true],
    });
  });

  test('a type costs what is quoted for it, and is on spot where there is a price', () => {
    const windowsOnDemand = new Map([['m5.large', 0.25]]);
    const windowsSpot = new Map([['m5.large/eu-west-3a', 0.15]]);
    expect(priced({ windowsOnDemand, windowsSpot })).toEqual({
      'm5.large on-demand': [0.25, false],
      'm5.large spot': [0.15, false],
      't3.large on-demand': [0.1276, true],
    });
  });

  test('nothing is computed, and nobody is told, before a node class with Windows asks', () => {
    let asked = 0;
    const onOther = (): void => {
      asked++;
    };
    const catalogue = assembleCatalogue('eu-west-3', { ...NOTHING, ...LINUX }, { onOther });
    const linux = catalogue.forNodeClass(ec2NodeClass());
    expect(linux[0]?.offerings).toBe(catalogue.entries[0]?.offerings);
    expect(asked).toBe(0);
    catalogue.forNodeClass(WINDOWS);
    expect(asked).toBeGreaterThan(0);
    expect(catalogue.forNodeClass(ec2NodeClass())).toBe(linux);
  });
});

describe('of dedicated instances', () => {
  const parts = {
    types: live(facts('m5.large'), facts('t2.large')),
    zones: new Map(['m5.large', 't2.large'].map((name) => [name, ['eu-west-3a']])),
    onDemand: new Map([
      ['m5.large', 0.1],
      ['t2.large', 0.2],
    ]),
    spot: new Map([['m5.large/eu-west-3a', 0.04]]),
  };

  function dedicated(more: Partial<CatalogueParts> = {}, alias = 'al2023@latest') {
    const nodeClass = ec2NodeClass({ amiSelectorTerms: [{ alias }] });
    const catalogue = assembleCatalogue('eu-west-3', { ...NOTHING, ...parts, ...more });
    const types = catalogue.forNodeClass(nodeClass, 'dedicated');
    for (const { labels } of types)
      expect(labels.get('karpenter.k8s.aws/instance-tenancy')).toBe('dedicated');
    return Object.fromEntries(
      types.flatMap(({ name, offerings: all }) =>
        all.map(({ capacityType, price, estimated }) => [`${name} ${capacityType}`, [price, estimated]]),
      ),
    );
  }

  test('prices are estimated until they are quoted', () => {
    expect(dedicated()).toEqual({
      'm5.large on-demand': [0.106, true],
      'm5.large spot': [0.0424, true],
      't2.large on-demand': [0.212, true],
    });
  });

  test('types have the price that is quoted, on spot as many times more; others are not sold', () => {
    expect(dedicated({ dedicatedOnDemand: new Map([['m5.large', 0.11]]) })).toEqual({
      'm5.large on-demand': [0.11, false],
      'm5.large spot': [0.044, true],
    });
  });

  test('the licence of Windows comes on top', () => {
    const dedicatedOnDemand = new Map([['m5.large', 0.11]]);
    expect(dedicated({ dedicatedOnDemand }, 'windows2022@latest')).toEqual({
      'm5.large on-demand': [0.202, true],
      'm5.large spot': [0.136, true],
    });
  });

  test('other pools keep theirs', () => {
    const catalogue = assembleCatalogue('eu-west-3', { ...NOTHING, ...parts });
    const shared = catalogue.forNodeClass(ec2NodeClass());
    catalogue.forNodeClass(ec2NodeClass(), 'dedicated');
    expect(catalogue.forNodeClass(ec2NodeClass())).toBe(shared);
    expect(shared[0]?.labels.get('karpenter.k8s.aws/instance-tenancy')).toBe('default');
    expect(shared[0]?.offerings).toBe(catalogue.entries[0]?.offerings);
  });
});

describe('in China', () => {
  test.each([
    ['cn-north-1', 10.5],
    ['cn-northwest-1', 7],
  ])('what %s has no price for is estimated in yuan, as its quoted prices are', (region, factor) => {
    const zones = new Map([['m5.large', [`${region}a`]]]);
    const [first] = offerings({ types: live(facts('m5.large')), zones }, 'm5.large', region);
    expect(first).toMatchObject({ price: roundPrice(0.096 * factor), estimated: true });
  });
});
