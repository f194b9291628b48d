/** Objects of Berth's own kinds that somebody else wrote: what is said of them, and what is kept. */
import '../../../src/app/clouds.js';
import { decodeDecision, encodeDecision } from '../../../src/apis/berth/decision.js';
import { decodeNodeClaim, encodeNewNodeClaim, encodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import { decodePolicyStatus, encodePolicyStatus } from '../../../src/apis/berth/policy-status.js';
import { decodeReservation, encodeReservation } from '../../../src/apis/berth/reservation.js';
import { formatPath } from '../../../src/apis/decode/format-path.js';
import type { Decoded } from '../../../src/apis/kubernetes/object/finding.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { decision } from '../../support/builders/decision.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { acceptedPolicy, policyStatus } from '../../support/builders/policy-status.js';
import { reservation } from '../../support/builders/reservation.js';

/** The object with the value at a path of fields and indexes. */
function withField(object: JsonObject, path: string, value: unknown): JsonObject {
  const copy = structuredClone(object) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  at[last] = value;
  return copy;
}

function complaints({ findings }: Decoded<unknown>): readonly string[] {
  return findings.map(({ path, text }) => `${formatPath(path)} ${text}`);
}

const claim = encodeNodeClaim(
  nodeClaim({
    spec: { taints: [{ key: 'a', value: '', effect: 'NoSchedule' }] },
    status: { launch: launchStatus() },
  }),
);

test.each([
  ['spec.nodePool', 7, 'spec.nodePool must be text, not 7: write it in quotes, "7"'],
  ['spec.requirements.0.operator', 'Near', 'spec.requirements[0].operator must be one of In, NotIn,'],
  [
    'spec.requirements.0',
    { key: 'cpu', operator: 'Gt', values: ['many'] },
    'spec.requirements[0].values cpu Gt: needs',
  ],
  ['spec.taints.0.effect', 'Never', 'spec.taints[0].effect must be one of NoSchedule,'],
  ['spec.resources.requests.cpu', 'lots', 'spec.resources.requests.cpu must be a quantity such as'],
  ['spec.expireAfter', 'soon', 'spec.expireAfter must be hours, minutes or seconds such as 720h'],
  ['status.launch.attempt', 0, 'status.launch.attempt must be at least 1, not 0'],
  [
    'status.launch.request.overrides.0.price',
    'dear',
    'status.launch.request.overrides[0].price must be a number',
  ],
  [
    'status.conditions',
    [{ type: 'Ready', status: 'yes' }],
    'status.conditions[0].status must be one of True,',
  ],
  ['status.capacityType', 'free', 'status.capacityType must be one of reserved, spot, on-demand'],
  ['metadata.creationTimestamp', 'Monday', 'metadata.creationTimestamp must be a time such as'],
])('a claim whose %s is %j is kept, and the field is named', (path, value, words) => {
  const decoded = decodeNodeClaim(withField(claim, path, value));
  expect(decoded.value?.name).toBe('general-1');
  expect(complaints(decoded).join('\n')).toContain(words);
});

test('a claim without a specification says so', () => {
  const decoded = decodeNodeClaim({ metadata: { name: 'empty' } });
  expect(complaints(decoded)).toContain('spec is required');
});

test('a new claim has the finalizer that keeps it until its instance is gone, and no status', () => {
  expect(encodeNewNodeClaim(nodeClaim())).toMatchObject({
    apiVersion: 'berth.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'general-1', finalizers: ['berth.sh/termination'] },
  });
  expect(encodeNewNodeClaim(nodeClaim())).not.toHaveProperty('status');
});

test("requirements are written as Karpenter's NodeClaim has them", () => {
  const requirements = [
    requirement('type', 'In', ['b', 'a'], 2),
    { ...requirement('cpu', 'NotIn', ['7']), absent: false, atLeast: 4, atMost: 8 },
    { ...requirement('team', 'NotIn', ['x']), absent: false },
  ];
  expect(encodeNewNodeClaim(nodeClaim({ spec: { requirements } }))).toMatchObject({
    spec: {
      requirements: [
        { key: 'type', operator: 'In', values: ['b', 'a'], minValues: 2 },
        { key: 'cpu', operator: 'NotIn', values: ['7'] },
        { key: 'cpu', operator: 'Gte', values: ['4'] },
        { key: 'cpu', operator: 'Lte', values: ['8'] },
        { key: 'team', operator: 'Exists' },
        { key: 'team', operator: 'NotIn', values: ['x'] },
      ],
    },
  });
});

test('several entries on one key are one requirement, with the larger minValues', () => {
  const entries = [
    { key: 'type', operator: 'In', values: ['c', 'a', 'b'], minValues: 1 },
    { key: 'type', operator: 'NotIn', values: ['a'], minValues: 2 },
  ];
  const { value } = decodeNodeClaim(withField(claim, 'spec.requirements', entries));
  expect(value?.spec.requirements).toEqual([requirement('type', 'In', ['c', 'b'], 2)]);
});

test('a bound beyond the largest integer is written so that it can be read back', () => {
  const requirements = [
    requirement('big', 'Gt', [String(Number.MAX_SAFE_INTEGER)]),
    requirement('small', 'Lt', [String(Number.MIN_SAFE_INTEGER)]),
  ];
  const { value, findings } = decodeNodeClaim(encodeNodeClaim(nodeClaim({ spec: { requirements } })));
  expect(findings).toEqual([]);
  expect(value?.spec.requirements).toEqual(requirements);
});

test('a reservation entry that holds for no pod, or for two, is left out and named', () => {
  const object = encodeReservation(reservation());
  const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web' };
  const entries = [{ count: 1 }, { podUID: 'u', owner, count: 1 }, { owner, count: 3 }];
  const decoded = decodeReservation(withField(object, 'spec.entries', entries));
  expect(decoded.value?.entries.map(({ count }) => count)).toEqual([3]);
  expect(complaints(decoded)).toEqual([
    'spec.entries[0] must have exactly one of podUID and owner',
    'spec.entries[1] must have exactly one of podUID and owner',
  ]);
});

test('a reservation tells kubectl how many pods it is for', () => {
  expect(encodeReservation(reservation({ entries: [] }))).toMatchObject({ spec: { pods: 0 } });
});

test.each([
  [
    'a reservation for nothing',
    decodeReservation,
    encodeReservation(reservation()),
    'spec.target.kind',
    'Pod',
  ],
  [
    'a status of no policy',
    decodePolicyStatus,
    encodePolicyStatus(policyStatus()),
    'spec.policy.kind',
    'Pod',
  ],
  ['a decision to do nothing known', decodeDecision, encodeDecision(decision()), 'spec.action', 'Dance'],
] as const)('%s is no value, and the field is named', (...[, decode, object, path, value]) => {
  const decoded: Decoded<unknown> = decode(withField(object, path, value));
  expect(decoded.value).toBeUndefined();
  expect(complaints(decoded)[0]).toMatch(new RegExp(`^${path} must (be one of|match) .*, not "${value}"`));
});

test('a policy that this version cannot read keeps its document, and has no meaning', () => {
  const document = { apiVersion: 'karpenter.sh/v9', kind: 'NodePool', metadata: { name: 'general' } };
  const status = policyStatus({ lastAccepted: acceptedPolicy(document) });
  const decoded = decodePolicyStatus(encodePolicyStatus(status));
  expect(decoded.value?.lastAccepted).toMatchObject({ document, value: undefined });
  expect(complaints(decoded)).toEqual(['spec.lastAccepted.document cannot be read by this version of Berth']);
});

test('a message that is too long for the API server is cut rather than refused', () => {
  const message = 'x'.repeat(40_000);
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'Long',
    message,
    lastTransitionTime: 0,
  } as const;
  const long = nodeClaim({ status: { conditions: [condition], launch: launchStatus({ error: message }) } });
  const { status } = decodeNodeClaim(encodeNodeClaim(long)).value ?? long;
  for (const text of [status.conditions[0]?.message, status.launch?.error]) {
    expect(text).toHaveLength(32_768);
    expect(text).toMatch(/x…$/);
  }
});
