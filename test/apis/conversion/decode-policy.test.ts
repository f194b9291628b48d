import fc from 'fast-check';
import { decodePolicy } from '../../support/decode-policy.js';
import { policyKinds } from '../../../src/apis/conversion/policy-kinds.js';
import { isPolicy } from '../../../src/apis/conversion/upgrade.js';
import { readPolicies } from '../../../src/apis/policies/read-policies.js';
import {
  betaNodeClass,
  betaPool,
  documentsOf,
  issuesOf,
  nodeClass,
  nodePool,
  nodeTemplate,
  podDefaults,
  provisioner,
  type Plain,
} from '../policies-as-written.js';

const heads = policyKinds().map(({ apiVersion, kind }) => ({ apiVersion, kind }));
const provider = {
  instanceProfile: 'p',
  subnetSelector: { a: 'b' },
  securityGroupSelector: { 'aws-ids': 'sg-1' },
  blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } }],
};
const examples = [
  nodePool({ provider, template: { spec: { requirements: [] } } }),
  betaPool({}, { kubelet: { maxPods: 5, evictionHard: { 'memory.available': '5%' } } }),
  provisioner({ providerRef: undefined, provider }),
  nodeClass({ subnetSelectorTerms: undefined, subnetSelector: { a: 'b' } }),

  nodePool(),
  betaPool(),
  provisioner(),
  nodeClass(),
  betaNodeClass(),
  nodeTemplate(),
  podDefaults(),
];

/** An object with something arbitrary put in at an arbitrary place. */
function spoil(value: unknown, path: readonly number[], by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return by;
  if (Array.isArray(value))
    return value.map((item: unknown, index) =>
      index === step % value.length ? spoil(item, rest, by) : item,
    );
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)] ?? 'new';
  return { ...value, [key]: spoil((value as Plain)[key], rest, by) };
}

function expectSound(object: Plain): void {
  for (const document of documentsOf(object)) {
    const { policies, issues } = decodePolicy(document);
    const refused = issues.some((issue) => issue.severity === 'error');
    expect(policies.length === 0).toBe(refused);
    for (const issue of issues)
      expect(issue).toMatchObject({
        line: expect.any(Number) as number,
        column: expect.any(Number) as number,
      });
    expect(readPolicies([document]).issues.length).toBeGreaterThanOrEqual(issues.length);
  }
}

describe('decodePolicy', () => {
  test('never throws on arbitrary JSON, and either decodes or gives the reason why not', () => {
    const arbitrary = fc.record({
      head: fc.constantFrom(...heads),
      spec: fc.jsonValue(),
      metadata: fc.oneof(fc.constant({ name: 'a' }), fc.jsonValue()),
    });
    fc.assert(
      fc.property(arbitrary, ({ head, spec, metadata }) => {
        expectSound({ ...head, metadata, spec });
      }),
      { numRuns: 200 },
    );
  });

  test('never throws on a policy with something wrong at any place', () => {
    const wrong = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('', '-1', 'Never', '10%', 0, -1, 1e300, [], {}, null, '@daily', 'a.b/c'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...examples),
        fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
        wrong,
        (example, path, by) => {
          expectSound({
            ...(spoil(example, [3, ...path], by) as Plain),
            apiVersion: example['apiVersion'],
            kind: example['kind'],
          });
        },
      ),
      { numRuns: 400 },
    );
  });

  test.each([
    [
      { apiVersion: 'karpenter.sh/v2', kind: 'NodePool' },
      'unknown-version',
      ['karpenter.sh/v1', 'karpenter.sh/v1beta1'],
      'karpenter.sh/v1',
    ],
    [
      { apiVersion: 'karpenter.sh/v1', kind: 'NodePol' },
      'unknown-kind',
      [
        'NodePool',
        'EC2NodeClass',
        'KWOKNodeClass',
        'NodeOverlay',
        'PodDefaults',
        'Provisioner',
        'AWSNodeTemplate',
      ],
      'NodePool',
    ],
    [
      { apiVersion: 'berth.sh/v1', kind: 'Nodepool' },
      'unknown-kind',
      expect.any(Array) as string[],
      'NodePool',
    ],
  ])('refuses %j', (head, code, allowed, guess) => {
    expect(issuesOf({ ...head, metadata: { name: 'a' } })).toMatchObject([{ code, allowed, guess }]);
  });
});

describe('isPolicy', () => {
  test.each([
    ['karpenter.sh/v1', 'NodePool', true],
    ['karpenter.sh/v9', 'Anything', true],
    ['karpenter.io/v1', 'NodePool', true],
    ['v1', 'EC2NodeClass', true],
    ['hypershift.openshift.io/v1beta1', 'NodePool', false],
    ['berth.sh/v1', 'PodDefaults', true],
    ['karpenter.sh/v1', 'NodeClaim', false],
    ['berth.sh/v1', 'Reservation', false],
    ['v1', 'Pod', false],
    ['apps/v1', 'Deployment', false],
  ])('of %s %s is %j', (apiVersion, kind, expected) => {
    expect(isPolicy({ apiVersion, kind })).toBe(expected);
  });
});
