/** Garbage as a decision: what is ours and nobody's. */
import fc from 'fast-check';
import { findGarbage, type GarbageQuestion } from '../../../src/controllers/garbage-collection/garbage.js';
import { HANDOVER_ANNOTATION } from '../../../src/domain/nodes/handover.js';
import { TERMINATION_FINALIZER } from '../../../src/domain/nodes/node-claim.js';
import {
  CLUSTER_TAG,
  LAUNCH_GROUP_TAG,
  NODECLAIM_TAG,
  type CloudInstance,
} from '../../../src/ports/cloud.js';
import { cloudInstance } from '../../support/builders/cloud-instance.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';

const NOW = Date.UTC(2026, 0, 2);

function instance(
  id: string,
  overrides: Partial<CloudInstance> = {},
  tags: Readonly<Record<string, string>> = {},
): CloudInstance {
  return cloudInstance({
    id,
    zone: 'eu-west-3a',
    capacityType: 'spot',
    launchedAt: NOW - 3_600_000,
    ...overrides,
    tags: new Map(Object.entries({ [CLUSTER_TAG]: 'ours', ...tags })),
  });
}

function garbage(question: Partial<GarbageQuestion>): ReturnType<typeof findGarbage> {
  return findGarbage({
    instances: [],
    claims: [],
    nodes: [],
    clusterUID: 'ours',
    now: NOW,
    youngMillis: 30_000,
    consistencyMillis: 60_000,
    ...question,
  });
}

function claimOf(id: string, answeredAt = NOW - 3_600_000): ReturnType<typeof nodeClaim> {
  const launch = launchStatus({ answeredAt });
  return nodeClaim({ name: `claim-of-${id}`, status: { providerID: `aws:///eu-west-3a/${id}`, launch } });
}

describe('instances', () => {
  const tags = fc.dictionary(
    fc.constantFrom(
      CLUSTER_TAG,
      'berth.sh/clusters',
      'karpenter.sh/nodepool',
      LAUNCH_GROUP_TAG,
      NODECLAIM_TAG,
      'Name',
    ),
    fc.constantFrom('ours', 'ours ', 'Ours', 'theirs', '', 'group-1'),
  );
  const anyInstance = fc
    .record({
      number: fc.nat(1_000_000),
      ageMillis: fc.integer({ min: -5000, max: 120_000 }),
      state: fc.constantFrom<CloudInstance['state']>(
        'pending',
        'running',
        'stopping',
        'stopped',
        'shutting-down',
        'terminated',
      ),
      tags,
    })
    .map(({ number, ageMillis, state, tags: own }): CloudInstance => ({
      ...instance(`i-${String(number)}`, { launchedAt: NOW - ageMillis, state }),
      tags: new Map(Object.entries(own)),
    }));

  test('of another cluster, without a tag, or younger than 30 s are never terminated, and orphans of this cluster always are', () => {
    let seen = 0;
    fc.assert(
      fc.property(fc.array(anyInstance, { minLength: 20, maxLength: 40 }), (instances) => {
        seen += instances.length;
        const { orphans } = garbage({ instances });
        const expected = instances.filter(
          ({ tags: own, launchedAt, state }) =>
            own.get(CLUSTER_TAG) === 'ours' &&
            NOW - launchedAt > 30_000 &&
            state !== 'shutting-down' &&
            state !== 'terminated',
        );
        expect(orphans).toEqual(expected);
      }),
      { numRuns: 400, seed: 20260102 },
    );
    expect(seen).toBeGreaterThan(10_000);
  });

  test('that a claim has are left alone, and so are those of a launch that is not answered yet', () => {
    const open = nodeClaim({ status: { launch: launchStatus({ group: 'group-7' }) } });
    const instances = [
      instance('i-1'),
      instance('i-2', {}, { [LAUNCH_GROUP_TAG]: 'group-7' }),
      instance('i-3'),
    ];
    expect(garbage({ instances, claims: [claimOf('i-1'), open] }).orphans).toEqual([instances[2]]);
  });

  test('without the claim’s tag get it, once their tags can be trusted', () => {
    const instances = [instance('i-1'), instance('i-2', {}, { [NODECLAIM_TAG]: 'claim-of-i-2' })];
    const claims = [claimOf('i-1'), claimOf('i-2')];
    expect(garbage({ instances, claims }).untagged).toEqual([{ instance: instances[0], claim: claims[0] }]);
    const young = [instance('i-1', { launchedAt: NOW - 50_000 })];
    expect(garbage({ instances: young, claims }).untagged).toEqual([]);
  });
});

describe('claims', () => {
  test('whose instance ended are found, unless they are leaving anyway', () => {
    const instances = [
      instance('i-1', { state: 'terminated' }),
      instance('i-2', { state: 'shutting-down' }),
      instance('i-3'),
    ];
    const claims = [claimOf('i-1'), { ...claimOf('i-2'), deletionTimestamp: NOW }, claimOf('i-3')];
    expect(garbage({ instances, claims }).ended).toEqual([claims[0]]);
  });

  test('whose instance is not listed are found when it must be listed by now', () => {
    const claims = [claimOf('i-1'), claimOf('i-2', NOW - 50_000)];
    expect(garbage({ claims }).unlisted).toEqual([claims[0]]);
  });

  test('that registered and lost their node are found', () => {
    const registered = { ...claimOf('i-1'), status: { ...claimOf('i-1').status, nodeName: 'ip-1' } };
    const node = observedNode({ name: 'ip-1', providerID: 'aws:///eu-west-3a/i-1' });
    expect(garbage({ claims: [registered] }).nodeless).toEqual([registered]);
    expect(garbage({ claims: [registered], nodes: [node] }).nodeless).toEqual([]);
  });

  test('whose node changes hands are neither missed nor tagged, and own their instance', () => {
    const claim = { ...claimOf('i-1'), annotations: new Map([[HANDOVER_ANNOTATION, 'adopting']]) };
    const nothing = garbage({});
    expect(garbage({ claims: [claim] })).toEqual(nothing);
    expect(garbage({ claims: [claim], instances: [instance('i-1')] })).toEqual(nothing);
    expect(garbage({ claims: [claim], instances: [instance('i-1', { state: 'terminated' })] })).toEqual(
      nothing,
    );
  });
});

describe('nodes', () => {
  const node = observedNode({
    name: 'ip-1',
    providerID: 'aws:///eu-west-3a/i-1',
    finalizers: [TERMINATION_FINALIZER],
  });

  test('with our finalizer and without a claim are let go once their instance is over', () => {
    expect(garbage({ nodes: [node] }).nodes).toEqual([node]);
    expect(garbage({ nodes: [node], instances: [instance('i-1')] }).nodes).toEqual([]);
    expect(garbage({ nodes: [node], claims: [claimOf('i-1')] }).nodes).toEqual([]);
    expect(garbage({ nodes: [{ ...node, finalizers: ['somebody.else/finalizer'] }] }).nodes).toEqual([]);
  });
});
