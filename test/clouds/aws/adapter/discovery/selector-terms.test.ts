import fc from 'fast-check';
import { AwsDiscovery } from '../../../../../src/clouds/aws/adapter/discovery/aws-discovery.js';
import { describeTerm, filterSets } from '../../../../../src/clouds/aws/adapter/discovery/selector-terms.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { accountOf, type AccountSubnet } from './account.js';

const KEYS = ['team', 'env', 'tier'];
const VALUES = ['a', 'b', 'ab'];
const tags = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 3 });
const subnets = fc
  .array(tags, { maxLength: 8 })
  .map((all) => all.map((own, index): AccountSubnet => ({ id: `subnet-${String(index)}`, tags: own })));
const wantedTags = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES, '*', 'a*'), {
  minKeys: 1,
  maxKeys: 3,
});
const term = fc.oneof(
  wantedTags.map((own) => ({ tags: own })),
  fc.integer({ min: 0, max: 9 }).map((index) => ({ id: `subnet-${String(index)}` })),
);

type Term = { readonly id: string } | { readonly tags: Readonly<Record<string, string>> };

/** Karpenter's rule in its own words: any term, and within a term all tags. */
function isSelected({ id, tags: own = {} }: AccountSubnet, terms: readonly Term[]): boolean {
  return terms.some((one) =>
    'id' in one
      ? one.id === id
      : Object.entries(one.tags).every(([key, value]) => {
          const has = own[key];
          if (has === undefined) return false;
          return value === '*' || (value === 'a*' ? has.startsWith('a') : has === value);
        }),
  );
}

test('terms select the union of what each selects, and a term what all its tags select', async () => {
  await fc.assert(
    fc.asyncProperty(subnets, fc.array(term, { minLength: 1, maxLength: 4 }), async (all, terms) => {
      const clock = new VirtualClock();
      const clients = clientsOf(accountOf({ subnets: all }), { clock });
      const discovery = new AwsDiscovery({
        clients,
        clock,
        kubernetesVersion: () => Promise.resolve('1.36'),
        clusterUID: () => 'uid',
      });
      const found = await discovery.resolve(ec2NodeClass({ subnetSelectorTerms: terms }));
      const expected = all.filter((subnet) => isSelected(subnet, terms)).map(({ id }) => id);
      expect(found.subnets.map(({ id }) => id)).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

test('a term that says nothing selects nothing, rather than everything', () => {
  expect(filterSets([{}, { tags: {} }], { id: 'subnet-id' })).toEqual([]);
});

test('filters do not depend on the order in which tags are written', () => {
  const one = filterSets([{ tags: { b: '1', a: '2' } }], { id: 'x' });
  expect(one).toEqual(filterSets([{ tags: { a: '2', b: '1' } }], { id: 'x' }));
});

test('a term in words names its fields', () => {
  expect(describeTerm({ name: 'nodes', tags: { a: 'b', c: '*' } })).toBe('name nodes and tags a=b, c=*');
});
