/** Policy ConfigMaps that were written to keep their reader busy: what is read of them is bounded, and the rest is said. */
import '../../../src/app/clouds.js';
import { readPolicyConfigMap } from '../../../src/apis/berth/read-policy-config-map.js';
import { POLICY_BOUNDS } from '../../../src/apis/documents/read-budget.js';

function read(data: Readonly<Record<string, string>>) {
  const metadata = { name: 'pools', uid: 'u', labels: { 'berth.sh/policy': 'true' } };
  return readPolicyConfigMap({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}

const POOL = (name: string): string => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec: {template: {spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}}}
`;
const pools = (count: number): string =>
  Array.from({ length: count }, (_, index) => POOL(`p${String(index)}`)).join('---\n');

test.each([
  ['a list of maps of 1 MB', { a: '- a: 1\n'.repeat(150_000) }, 'tokens'],
  ['110,000 documents', { a: '---\na: 1\n'.repeat(110_000) }, 'documents'],
  ['3,000 NodePools', { a: pools(3000) }, 'documents'],
  ['a map of JSON with 100,000 keys', { a: `{${'"k":1,'.repeat(100_000)}"l":1}` }, 'tokens'],
  ['as much, spread over keys', { a: '- a: 1\n'.repeat(20_000), b: '- a: 1\n'.repeat(20_000) }, 'tokens'],
])('of %s no more is read than the bounds allow, which is an error', (_, data, unit) => {
  const { issues, decoded } = read(data);
  const most = unit === 'tokens' ? POLICY_BOUNDS.tokens : POLICY_BOUNDS.documents;
  const said = `more than ${String(most)} ${unit} in one ConfigMap: split it into several`;
  expect(issues.filter(({ message }) => message.startsWith(said))).toHaveLength(1);
  expect(decoded.value?.errors.some((error) => error.includes(said))).toBe(true);
  expect(issues.length).toBeLessThan(2100);
});

test('a NodePool with 10,000 unknown keys has a hundred of them named, and the rest counted', () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `  weigth${String(index)}: 1\n`).join('');
  const text = POOL('general').replace('spec: {', 'spec:\n').replace(/}\n$/, '\n');
  const { issues } = read({ a: `${text.replace('template: ', '  template: ')}${keys}` });
  const errors = issues.filter(({ severity }) => severity === 'error');
  expect(errors).toHaveLength(101);
  expect(errors.at(-1)?.message).toBe('has 9900 more errors that are not listed');
});

test('what stands before the place where the bounds are reached holds', () => {
  const { decoded } = read({ a: POOL('first'), b: '- a: 1\n'.repeat(150_000) });
  expect(decoded.value?.documents.map(({ name, value }) => [name, value !== undefined])).toEqual([
    ['first', true],
  ]);
});

test('five hundred ordinary pools are within the bounds', () => {
  const { issues, decoded } = read({ a: pools(500) });
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(decoded.value?.documents).toHaveLength(500);
});
