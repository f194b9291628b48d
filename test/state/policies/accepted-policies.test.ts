import fc from 'fast-check';
import type {
  PolicyConfigMap,
  PolicyDocument,
  PolicyStatus,
  PolicyValue,
} from '../../../src/domain/policies/policy.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../../src/state/policies/accepted-policies.js';
import type { PolicyVerdict } from '../../../src/state/policies/policy-verdict.js';
import { nodeOverlayDocument } from '../../support/builders/node-overlay.js';
import { policyConfigMap, policyDocument } from '../../support/builders/policy-document.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';

const NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {},
};

/** A NodePool's document in a ConfigMap, valid unless it has errors. */
function pool(
  configMap: string,
  overrides: Partial<PolicyDocument> & { readonly weight?: number; readonly replicas?: number } = {},
): PolicyDocument {
  const { weight, replicas, ...rest } = overrides;
  const name = overrides.name ?? 'general';
  const spec = {
    ...(weight === undefined ? {} : { weight }),
    ...(replicas === undefined ? {} : { replicas }),
  };
  const { document, hash, value } = acceptedPolicy(nodePoolDocument(name, spec));
  return {
    ...{ kind: 'NodePool', name, document, hash, errors: [], warnings: [] },
    source: { configMap, key: 'pools.yaml' },
    value: overrides.errors === undefined ? value : undefined,
    ...rest,
  };
}

function nodeClass(configMap: string): PolicyDocument {
  const { document, hash } = acceptedPolicy(NODE_CLASS);
  const value = { kind: 'EC2NodeClass', nodeClass: { name: 'default' }, document } as unknown as PolicyValue;
  const source = { configMap, key: 'classes.yaml' };
  return { kind: 'EC2NodeClass', name: 'default', document, hash, errors: [], warnings: [], source, value };
}

function configMap(
  name: string,
  documents: readonly PolicyDocument[],
  overrides: Partial<PolicyConfigMap> = {},
): PolicyConfigMap {
  return { name, resourceVersion: '1', createdAt: 1000, documents, errors: [], ...overrides };
}

function statusOf(document: PolicyDocument, annotations: Record<string, string> = {}): PolicyStatus {
  const { kind, name, source, hash, value } = document;
  const lastAccepted = { source, document: document.document, hash, value };
  return policyStatus({
    kind,
    policy: name,
    lastAccepted,
    annotations: new Map(Object.entries(annotations)),
  });
}

function verdictOf({ verdicts }: AcceptedPolicies, policy = 'general'): PolicyVerdict {
  const found = verdicts.find((verdict) => verdict.kind === 'NodePool' && verdict.policy === policy);
  if (found === undefined) throw new Error(`no verdict on ${policy}`);
  return found;
}

function conditionOf(verdict: PolicyVerdict, type: string): object | undefined {
  return verdict.conditions.find((condition) => condition.type === type);
}

const CLASSES = configMap('classes', [nodeClass('classes')]);

describe('acceptedPolicies', () => {
  test('accepts a document without errors, ready once its node class is there', () => {
    const alone = acceptedPolicies([configMap('a', [pool('a')])], []);
    expect(alone.pools).toMatchObject([{ nodePool: { name: 'general' }, frozen: false }]);
    for (const type of ['Accepted', 'ValidationSucceeded'])
      expect(conditionOf(verdictOf(alone), type)).toMatchObject({ status: 'True', reason: type });
    expect(conditionOf(verdictOf(alone), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'NodeClassNotFound',
    });
    const both = acceptedPolicies([configMap('a', [pool('a')]), CLASSES], []);
    expect(both.nodeClasses).toMatchObject([{ name: 'default' }]);
    expect(conditionOf(verdictOf(both), 'Ready')).toMatchObject({ status: 'True' });
  });

  test('keeps the last good version of a document that becomes invalid, and says so', () => {
    const status = statusOf(pool('a', { weight: 7 }));
    const broken = configMap('a', [pool('a', { errors: ['a[pools.yaml]:3:1 spec.weight: too large'] })]);
    const accepted = acceptedPolicies([broken, CLASSES], [status]);
    expect(accepted.pools).toMatchObject([{ nodePool: { weight: 7 }, frozen: false }]);
    expect(verdictOf(accepted).lastAccepted).toEqual(status.lastAccepted);
    for (const type of ['Accepted', 'ValidationSucceeded'])
      expect(conditionOf(verdictOf(accepted), type)).toMatchObject({
        status: 'False',
        reason: 'Invalid',
        message: expect.stringMatching(
          /too large[^]*ConfigMap a \(key pools.yaml\), stays active/,
        ) as unknown,
      });
  });

  test.each([
    [{}, { replicas: 0 }, 'spec.replicas cannot be added to an accepted NodePool: it is dynamic'],
    [{ replicas: 2 }, {}, 'spec.replicas cannot be removed from an accepted NodePool: it is static'],
  ])('a pool stays static or dynamic: from %j it does not become %j', (before, after, says) => {
    const last = statusOf(pool('a', before));
    const accepted = acceptedPolicies([configMap('a', [pool('a', after)])], [last]);
    const { nodePool: kept } = accepted.pools[0] ?? {};
    expect(kept?.replicas).toBe('replicas' in before ? before.replicas : undefined);
    expect(conditionOf(verdictOf(accepted), 'Accepted')).toMatchObject({
      status: 'False',
      reason: 'Invalid',
      message: expect.stringContaining(says) as unknown,
    });
  });

  test('a static pool may have other replicas', () => {
    const last = statusOf(pool('a', { replicas: 2 }));
    const { pools } = acceptedPolicies([configMap('a', [pool('a', { replicas: 5 })])], [last]);
    expect(pools[0]?.nodePool.replicas).toBe(5);
  });

  test.each([
    ['its scale while the policy says the number that it was scaled under', 2, 7],
    ['what the policy says once that is another number', 3, 3],
  ])('a static pool has %s', (_what, replicas, wanted) => {
    const last = { ...statusOf(pool('a', { replicas: 2 })), scale: { replicas: 7, policyReplicas: 2 } };
    const accepted = acceptedPolicies([configMap('a', [pool('a', { replicas })])], [last]);
    expect(accepted.pools[0]?.nodePool.replicas).toBe(wanted);
    expect(verdictOf(accepted).scale).toEqual({ replicas: wanted, policyReplicas: replicas });
  });

  test('a dynamic pool has no scale', () => {
    const last = { ...statusOf(pool('a')), scale: { replicas: 7, policyReplicas: 2 } };
    const accepted = acceptedPolicies([configMap('a', [pool('a')])], [last]);
    expect(accepted.pools[0]?.nodePool.replicas).toBeUndefined();
    expect(verdictOf(accepted).scale).toBeUndefined();
  });

  test('keeps the last good version when its ConfigMap can no longer be read at all', () => {
    const unreadable = configMap('a', [], { errors: ['a[pools.yaml]:1:1 bad indentation'] });
    const accepted = acceptedPolicies([unreadable, CLASSES], [statusOf(pool('a'))]);
    expect(accepted.pools).toMatchObject([{ frozen: false }]);
    for (const type of ['Accepted', 'ValidationSucceeded'])
      expect(conditionOf(verdictOf(accepted), type)).toMatchObject({ reason: 'Invalid' });
  });

  test('has nothing in force for a document that never was valid', () => {
    const accepted = acceptedPolicies([configMap('a', [pool('a', { errors: ['bad'] })])], []);
    expect(accepted.pools).toEqual([]);
    expect(verdictOf(accepted).lastAccepted).toBeUndefined();
    expect(JSON.stringify(verdictOf(accepted).conditions)).toContain('no version is active');
  });

  test('freezes a pool whose document is gone, until it returns', () => {
    const status = statusOf(pool('a'));
    const gone = acceptedPolicies([CLASSES], [status]);
    expect(gone.pools).toMatchObject([{ nodePool: { name: 'general' }, frozen: true }]);
    expect(conditionOf(verdictOf(gone), 'Accepted')).toMatchObject({ reason: 'DocumentMissing' });
    expect(conditionOf(verdictOf(gone), 'Ready')).toMatchObject({ status: 'False' });
    // It may return elsewhere.
    const back = acceptedPolicies([configMap('b', [pool('b')]), CLASSES], [status]);
    expect(back.pools).toMatchObject([{ frozen: false }]);
    expect(verdictOf(back).lastAccepted?.source.configMap).toBe('b');
  });

  test.each(['drain', 'orphan'] as const)('forgets a pool that is gone and annotated %s', (wish) => {
    const status = statusOf(pool('a'), { 'berth.sh/delete': wish });
    const accepted = acceptedPolicies([CLASSES], [status]);
    expect(accepted.pools).toEqual([]);
    expect(verdictOf(accepted)).toMatchObject({ deletion: wish, frozen: false });
  });

  test('names the values that the annotation may have when it has another, and ignores it while the document is there', () => {
    const status = statusOf(pool('a'), { 'berth.sh/delete': 'now' });
    const wrong = acceptedPolicies([CLASSES], [status]);
    expect(wrong.pools).toMatchObject([{ frozen: true }]);
    const acceptance = verdictOf(wrong).conditions.find(({ type }) => type === 'Accepted');
    expect(acceptance?.message).toContain('drain or orphan, not "now"');
    const drained = statusOf(pool('a'), { 'berth.sh/delete': 'drain' });
    const there = acceptedPolicies([configMap('a', [pool('a')]), CLASSES], [drained]);
    expect(verdictOf(there).deletion).toBeUndefined();
    expect(there.pools).toHaveLength(1);
  });

  test('lets the one accepted before stay where two have one name, and refuses the other with both places', () => {
    const older = configMap('b', [pool('b', { weight: 1 })], { createdAt: 1 });
    const newer = configMap('a', [pool('a', { weight: 2 })], { createdAt: 2 });
    const fresh = acceptedPolicies([newer, older], []);
    expect(fresh.pools).toMatchObject([{ nodePool: { weight: 1 } }]);
    const kept = acceptedPolicies([newer, older], [statusOf(pool('a'))]);
    expect(kept.pools).toMatchObject([{ nodePool: { weight: 2 } }]);
    const [refused] = verdictOf(kept).refused;
    expect(refused?.source.configMap).toBe('b');
    expect(refused?.message).toMatch(/ConfigMap a .*ConfigMap b /);
    expect(conditionOf(verdictOf(kept), 'Unique')).toMatchObject({
      status: 'False',
      message: refused?.message,
    });
  });

  test("a policy of Berth's own counts instead of the custom resource that was observed before, which refuses nothing", () => {
    const observed = pool('nodepools.karpenter.sh/general', { weight: 7 });
    const before = acceptedPolicies([configMap(observed.source.configMap, [observed])], []);
    expect(before.pools).toMatchObject([{ nodePool: { weight: 7 } }]);
    const maps = [
      configMap(observed.source.configMap, [observed]),
      configMap('b', [pool('b', { weight: 8 })]),
    ];
    const after = acceptedPolicies(maps, [statusOf(observed)]);
    expect(after.pools).toMatchObject([{ nodePool: { weight: 8 }, frozen: false }]);
    expect(verdictOf(after).refused).toEqual([]);
    expect(conditionOf(verdictOf(after), 'Unique')).toBeUndefined();
  });

  test('forgets a custom resource that is not observed any more: no node of Berth is of it', () => {
    const observed = pool('nodepools.karpenter.sh/general');
    expect(verdictOf(acceptedPolicies([], [statusOf(observed)]))).toMatchObject({
      gone: true,
      frozen: false,
    });
  });

  test('lets the one accepted before stay in force although it is invalid now and the other is not', () => {
    const broken = configMap('a', [pool('a', { errors: ['bad'] })], { createdAt: 1 });
    const valid = configMap('b', [pool('b', { weight: 9 })], { createdAt: 2 });
    const accepted = acceptedPolicies([broken, valid], [statusOf(pool('a', { weight: 4 }))]);
    expect(accepted.pools).toMatchObject([{ nodePool: { weight: 4 } }]);
    expect(verdictOf(accepted).refused).toHaveLength(1);
    // Never accepted, an invalid one does not stand in the way.
    expect(acceptedPolicies([broken, valid], []).pools).toMatchObject([{ nodePool: { weight: 9 } }]);
  });

  test('freezes the pools of a node class that is gone, and forgets it once no pool refers to it', () => {
    const classStatus = statusOf(nodeClass('classes'));
    const frozen = acceptedPolicies([configMap('a', [pool('a')])], [classStatus]);
    expect(frozen.pools).toMatchObject([{ frozen: true }]);
    expect(conditionOf(verdictOf(frozen), 'Ready')).toMatchObject({ reason: 'NodeClassFrozen' });
    const unused = acceptedPolicies([], [classStatus]);
    expect(unused.nodeClasses).toEqual([]);
    expect(unused.verdicts).toMatchObject([{ gone: true }]);
  });

  test('stops stamping by PodDefaults whose document is gone', () => {
    const lastAccepted = {
      ...acceptedPolicy({
        apiVersion: 'berth.sh/v1',
        kind: 'PodDefaults',
        metadata: { name: 'd' },
        spec: {},
      }),
    };
    const status = policyStatus({ kind: 'PodDefaults', policy: 'd', lastAccepted });
    const accepted = acceptedPolicies([], [status]);
    expect(accepted.podDefaults).toEqual([]);
    expect(accepted.verdicts).toMatchObject([{ gone: true }]);
  });

  test('applies no NodeOverlay whose document is gone, and keeps the last good text of one with errors', () => {
    const lastAccepted = acceptedPolicy(nodeOverlayDocument('o', { price: '1' }));
    const status = policyStatus({ kind: 'NodeOverlay', policy: 'o', lastAccepted });
    const gone = acceptedPolicies([], [status]);
    expect(gone.nodeOverlays).toEqual([]);
    expect(gone.verdicts).toMatchObject([{ gone: true, frozen: false }]);
    const broken = policyDocument(nodeOverlayDocument('o', { price: 'x' }), {
      source: lastAccepted.source,
      value: undefined,
      errors: ['bad price'],
    });
    const kept = acceptedPolicies([policyConfigMap([broken])], [status]);
    expect(kept.nodeOverlays).toMatchObject([{ price: { kind: 'absolute', value: 1 } }]);
    expect(kept.verdicts[0]?.conditions).toMatchObject([
      { type: 'Accepted', status: 'False', reason: 'Invalid' },
      { type: 'Ready', status: 'True' },
    ]);
  });

  test('decides each name by itself, and the same in whatever order objects come', () => {
    const maps = [
      configMap('a', [pool('a', { errors: ['bad'] }), pool('a', { name: 'spot' })], { createdAt: 3 }),
      configMap('b', [pool('b', { weight: 2 })], { createdAt: 2 }),
      configMap('c', [pool('c', { weight: 3 }), pool('c', { name: 'gpu', errors: ['bad'] })], {
        createdAt: 2,
      }),
      CLASSES,
    ];
    const statuses = [statusOf(pool('z', { name: 'gone' })), statusOf(pool('c', { name: 'gpu', weight: 5 }))];
    const expected = acceptedPolicies(maps, statuses);
    expect(expected.pools.map(({ nodePool, frozen }) => [nodePool.name, nodePool.weight, frozen])).toEqual([
      ['general', 2, false],
      ['gone', 0, true],
      ['gpu', 5, false],
      ['spot', 0, false],
    ]);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(maps, { minLength: maps.length }),
        fc.shuffledSubarray(statuses, { minLength: statuses.length }),
        (someMaps, someStatuses) => {
          expect(acceptedPolicies(someMaps, someStatuses)).toEqual(expected);
        },
      ),
    );
  });
});
