/** Berth's own kinds, as users apply them with kubectl: accepted, checked, explained and printed by the API server. */
import '../../../src/app/clouds.js';
import { encodeDecision } from '../../../src/apis/berth/decision.js';
import { encodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import { encodePolicyStatus } from '../../../src/apis/berth/policy-status.js';
import { encodeReservation } from '../../../src/apis/berth/reservation.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { decision } from '../../support/builders/decision.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { amounts } from '../../support/builders/pod.js';
import { policyStatus } from '../../support/builders/policy-status.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { startControlPlane, type ControlPlane } from '../fixture/control-plane.js';
import { hasKubectl } from '../fixture/kubectl.js';
import {
  clusterScoped,
  CUSTOM_RESOURCE_DEFINITIONS,
  type AnyObject,
  type Condition,
  type Resource,
} from '../fixture/api/kube-object.js';
import type { Manifest } from '../fixture/api/api-client.js';
import { applyCustomResources } from './apply-custom-resources.js';
import { expectRefused } from './expect-refused.js';

const NODE_CLAIMS = clusterScoped('berth.sh/v1', 'NodeClaim');
const RESERVATIONS = clusterScoped('berth.sh/v1', 'Reservation');
const POLICY_STATUSES = clusterScoped('berth.sh/v1', 'PolicyStatus', 'policystatuses');
const DECISIONS = clusterScoped('berth.sh/v1', 'Decision');

/** The object as somebody creates it: without what the API server adds, and without the status. */
function manifest(encoded: JsonObject): Manifest {
  const object = Object.fromEntries(Object.entries(encoded).filter(([field]) => field !== 'status'));
  const { name, labels, annotations } = (object as unknown as AnyObject).metadata;
  return { ...object, metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) } };
}

describe('the custom resources', () => {
  let cluster: ControlPlane;
  let printed: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: [] });
    printed = await applyCustomResources(cluster);
  });

  afterAll(async () => {
    await cluster.stop();
  });

  /** Creates the object and then writes its status. */
  async function stored(resource: Resource, object: JsonObject): Promise<AnyObject> {
    const created = await cluster.api.create(resource, manifest(object));
    const { status } = object;
    if (status === undefined) return created;
    const body = { status };
    return cluster.api.patchStatus(resource, { name: created.metadata.name }, { type: 'merge', body });
  }

  /** The columns of one row, by their headings. */
  async function row(...args: readonly string[]): Promise<Record<string, string>> {
    const [heading = '', line = ''] = (await cluster.kubectl(['get', ...args])).split('\n');
    const starts = [...heading.matchAll(/\S+/g)].map((match) => match.index);
    return Object.fromEntries(
      starts.map((start, index) => [
        heading.slice(start, starts[index + 1]).trim(),
        line.slice(start, starts[index + 1]).trim(),
      ]),
    );
  }

  test('keep every value that Berth writes, to the last digit', async () => {
    const claim = nodeClaim({
      name: 'exact',
      spec: {
        requirements: [
          requirement('node.kubernetes.io/instance-type', 'In', ['z1d.large', 'a1.large', 'm5.large'], 2),
          requirement('karpenter.k8s.aws/instance-cpu', 'Gt', ['-5']),
          requirement('team', 'NotIn', ['x']),
        ],
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
        terminationGracePeriodSeconds: 5400,
        expireAfterSeconds: undefined,
      },
      status: { launch: launchStatus({ answeredAt: 1_767_225_600_123 }), hourlyPrice: 0.1 + 0.2 },
    });
    const encoded = encodeNodeClaim(claim);
    const after = await stored(NODE_CLAIMS, encoded);
    expect({ spec: after['spec'], status: after['status'] }).toEqual({
      spec: encoded['spec'],
      status: encoded['status'],
    });
  });

  test('never let a specification be changed', async () => {
    await stored(NODE_CLAIMS, encodeNodeClaim(nodeClaim({ name: 'fixed' })));
    await stored(DECISIONS, encodeDecision(decision({ name: 'fixed' })));
    const refusal = { code: 422, reason: 'Invalid', message: 'spec is immutable' };
    const body = { spec: { nodePool: 'other' } };
    await expectRefused(cluster.api.patch(NODE_CLAIMS, { name: 'fixed' }, { type: 'merge', body }), refusal);
    const changed = { type: 'merge', body: { spec: { message: 'other' } } } as const;
    await expectRefused(cluster.api.patch(DECISIONS, { name: 'fixed' }, changed), refusal);
  });

  test.each([
    ['In without values', { operator: 'In', values: [] }, 'values must not be empty when operator is In'],
    [
      'Exists with values',
      { operator: 'Exists', values: ['a'] },
      'values must be empty when operator is Exists',
    ],
    ['Gt with a word', { operator: 'Gt', values: ['many'] }, 'values must be exactly one whole number'],
    ['an operator of its own', { operator: 'Near', values: ['a'] }, 'supported values: '],
  ])('refuse a requirement with %s', async (_, entry, message) => {
    const object = manifest(encodeNodeClaim(nodeClaim({ name: 'refused' })));
    const spec = { ...(object['spec'] as JsonObject), requirements: [{ key: 'team', ...entry }] };
    await expectRefused(cluster.api.create(NODE_CLAIMS, { ...object, spec }), { code: 422, message });
  });

  test.each([
    ['a target of another name', {}, 'nodeclaim.other', 'metadata.name must be'],
    ['an entry for nobody', { podUID: undefined }, undefined, 'exactly one of podUID and owner must be set'],
    ['a pod counted twice', { count: 2 }, undefined, 'count must be 1 for a single pod'],
    ['a count of none', { count: 0 }, undefined, 'should be greater than or equal to 1'],
  ])('refuse a reservation with %s', async (_, change, name, message) => {
    const target = { kind: 'NodeClaim', name: 'refused' } as const;
    const object = manifest(encodeReservation(reservation({ target, entries: [reservationEntry(change)] })));
    const renamed = name === undefined ? object : { ...object, metadata: { name } };
    await expectRefused(cluster.api.create(RESERVATIONS, renamed), { code: 422, message });
  });

  test('refuse a sum of pods that is none', async () => {
    const object = manifest(encodeReservation(reservation({ target: { kind: 'Node', name: 'refused' } })));
    const spec = { ...(object['spec'] as JsonObject), pods: 7 };
    const message = 'pods must be the sum of the counts of all entries';
    await expectRefused(cluster.api.create(RESERVATIONS, { ...object, spec }), { code: 422, message });
  });

  test('refuse a policy status under another name than its policy', async () => {
    const object = manifest(encodePolicyStatus(policyStatus({ policy: 'here' })));
    const renamed = { ...object, metadata: { name: 'nodepool.there' } };
    const message = 'metadata.name must be <kind of the policy in lower case>.<name of the policy>';
    await expectRefused(cluster.api.create(POLICY_STATUSES, renamed), { code: 422, message });
  });

  test('hold the largest claim that planning makes', async () => {
    const types = Array.from({ length: 60 }, (_, index) => `m${String(index)}.24xlarge`);
    const overrides = types.flatMap((instanceType) =>
      ['a', 'b', 'c', 'd', 'e', 'f'].map((zone) => ({
        instanceType,
        zone: `us-east-1${zone}`,
        price: 1.2345678,
        imageID: 'ami-0123456789abcdef0',
        launchTemplate: { id: 'lt-0123456789abcdef0', version: '12' },
        subnetID: 'subnet-0123456789abcdef0',
      })),
    );
    const request = { capacityType: 'spot', size: 100, overrides } as const;
    const requirements = [
      requirement('node.kubernetes.io/instance-type', 'In', types),
      ...Array.from({ length: 150 }, (_, index) =>
        requirement(`example.com/label-${String(index)}`, 'In', ['a'.repeat(63)]),
      ),
    ];
    const status = { launch: launchStatus({ request }) };
    const encoded = encodeNodeClaim(nodeClaim({ name: 'large', spec: { requirements }, status }));
    const after = await stored(NODE_CLAIMS, encoded);
    expect(after['status']).toEqual(encoded['status']);
  });

  test('are found by their fields', async () => {
    const claim = nodeClaim({ name: 'found', spec: { nodePool: 'sought' } });
    await stored(NODE_CLAIMS, encodeNodeClaim(claim));
    const found = await cluster.api.list(NODE_CLAIMS, { fieldSelector: 'spec.nodePool=sought' });
    expect(found.items.map(({ metadata }) => metadata.name)).toEqual(['found']);
  });

  // Everything else here works without kubectl, which an instance need not have.
  if (hasKubectl()) {
    test('are applied as they are, and listed under their short names', async () => {
      expect(printed.trim().split('\n').sort()).toEqual(
        ['decisions', 'nodeclaims', 'policystatuses', 'reservations'].map(
          (name) => `customresourcedefinition.apiextensions.k8s.io/${name}.berth.sh created`,
        ),
      );
      const listed = await cluster.kubectl(['api-resources', '--api-group=berth.sh', '--no-headers']);
      const names = listed
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/).slice(0, 2));
      expect(names.sort()).toEqual([
        ['decisions', 'bdec'],
        ['nodeclaims', 'bnc'],
        ['policystatuses', 'bpol'],
        ['reservations', 'brsv'],
      ]);
    });

    test('have schemas that the API server finds no fault with', async () => {
      const { items } = await cluster.api.list(CUSTOM_RESOURCE_DEFINITIONS);
      const conditions = items.flatMap(({ status }) => {
        return (status as { readonly conditions: readonly Condition[] }).conditions;
      });
      const summary = conditions.map(({ type, status }) => `${type} ${status}`);
      expect([...new Set(summary)].sort()).toEqual(['Established True', 'NamesAccepted True']);
    });

    test('print a claim as Karpenter prints its own', async () => {
      const claim = nodeClaim({
        name: 'printed',
        status: {
          instanceType: 'm6i.large',
          capacityType: 'spot',
          zone: 'eu-west-3a',
          nodeName: 'ip-10-0-0-1',
          providerID: 'aws:///eu-west-3a/i-1',
          imageID: 'ami-1',
          launch: launchStatus(),
          hourlyPrice: 0.0412,
          capacity: amounts({ cpu: '2', memory: '8Gi' }),
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'Ready',
              message: '',
              lastTransitionTime: 1_767_225_600_000,
            },
            {
              type: 'Drifted',
              status: 'True',
              reason: 'NodePoolDrifted',
              message: 'NodePool general: labels.team was red, is blue',
              lastTransitionTime: 1_767_225_600_000,
            },
          ],
          disruption: { reason: 'Drifted', decidedAt: 1_767_225_600_000 },
        },
      });
      await stored(NODE_CLAIMS, encodeNodeClaim(claim));
      expect(await row('bnc', 'printed')).toMatchObject({
        NAME: 'printed',
        TYPE: 'm6i.large',
        CAPACITY: 'spot',
        ZONE: 'eu-west-3a',
        NODE: 'ip-10-0-0-1',
        READY: 'True',
        DRIFTED: 'True',
      });
      expect(await row('bnc', 'printed', '-o', 'wide')).toMatchObject({
        IMAGEID: 'ami-1',
        ID: 'aws:///eu-west-3a/i-1',
        NODEPOOL: 'general',
        NODECLASS: 'default',
        DISRUPTED: 'Drifted',
      });
    });

    test('print whom a reservation is for, what became of a policy, and what was decided', async () => {
      const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: 'abc' };
      const entries = [reservationEntry(), reservationEntry({ owner, count: 3 })];
      await stored(RESERVATIONS, encodeReservation(reservation({ entries })));
      expect(await row('brsv')).toMatchObject({
        NAME: 'nodeclaim.general-1',
        TARGET: 'general-1',
        PODS: '4',
      });

      await stored(
        POLICY_STATUSES,
        encodePolicyStatus(
          policyStatus({
            resources: amounts({ nodes: '2', cpu: '4', memory: '16Gi' }),
            driftedNodes: 1,
          }),
        ),
      );
      expect(await row('bpol', '-o', 'wide')).toMatchObject({
        NAME: 'nodepool.general',
        KIND: 'NodePool',
        NODECLASS: 'default',
        NODES: '2',
        DRIFTED: '1',
        CPU: '4',
        MEMORY: '16Gi',
      });

      const message = `Replaced by a cheaper one: ${'c6g.large in eu-west-3a, '.repeat(8)}or m6g.large`;
      await stored(
        DECISIONS,
        encodeDecision(decision({ spec: { saving: 0.25, message }, outcome: 'Launched' })),
      );
      const { MESSAGE: printed = '' } = await row('bdec');
      expect(printed).toMatch(/^Replaced by a cheaper one: /);
      expect(printed.length).toBeLessThanOrEqual(80);
      expect(await row('bdec', '-o', 'wide')).toMatchObject({
        SUBJECT: 'general-1',
        ACTION: 'Launch',
        REASON: 'Provisioned',
        MESSAGE: printed,
        DETAILS: message,
        SAVING: '0.25',
        OUTCOME: 'Launched',
      });
      await expect(cluster.kubectl(['get', 'berth', '-o', 'name'])).resolves.toContain(
        'reservation.berth.sh/',
      );
    });

    test.each([
      ['nodeclaims.spec.requirements.values', 'Values for the operator.'],
      ['reservations.spec.entries.owner', 'The controller of pods that may not exist yet.'],
      ['policystatuses.spec.lastAccepted.document', 'The document, converted to its newest API version'],
      ['decisions.status.outcome', 'Outcome.'],
    ])('explain %s', async (path, words) => {
      const [resource = '', ...fields] = path.split('.');
      const explained = await cluster.kubectl([
        'explain',
        `${resource}.${fields.join('.')}`,
        '--api-version=berth.sh/v1',
      ]);
      expect(explained.replace(/\s+/g, ' ')).toContain(words);
    });
  }
});
