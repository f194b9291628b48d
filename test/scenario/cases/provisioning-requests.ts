/** ProvisioningRequests as Kueue makes them: room for pods before they are there. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { Manifest, SeenRequest, World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
/** More than an m5.large has. */
const HUGE = { cpu: '3' };
/** Nodes stay when they are empty. */
const KEPT = { disruption: { consolidateAfter: 'Never' } };
const CHECK = 'check-capacity.autoscaling.x-k8s.io';
const ATOMIC = 'best-effort-atomic-scale-up.autoscaling.x-k8s.io';
const CONSUMES = 'autoscaling.x-k8s.io/consume-provisioning-request';
const INSTANCE = 'gpus';

export const PROVISIONING_REQUESTS: readonly ScenarioCase[] = [
  {
    name: 'a ProvisioningRequest of best-effort-atomic-scale-up has its nodes before its pods, which find the room that other pods do not get',
    run: scaleUp,
  },
  {
    name: 'a ProvisioningRequest of check-capacity launches nothing and holds the room that there is for all its pods, or none',
    run: check,
  },
  {
    name: 'with partialCapacityCheck a ProvisioningRequest gets the room of the pod sets that fit, or its status names them',
    run: partial,
  },
  {
    name: 'an instance of check-capacity answers the ProvisioningRequests that name it, and no others',
    flags: { 'check-capacity-processor-instance': INSTANCE },
    run: instance,
  },
];

const TEXT = { type: 'string' };
const NAME = {
  ...TEXT,
  maxLength: 253,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
};
const IMMUTABLE = { 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'immutable' }] };
const CONDITION = {
  type: 'object',
  required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
  properties: {
    lastTransitionTime: { ...TEXT, format: 'date-time' },
    message: { ...TEXT, maxLength: 32_768 },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    reason: {
      ...TEXT,
      maxLength: 1024,
      minLength: 1,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    },
    status: { ...TEXT, enum: ['True', 'False', 'Unknown'] },
    type: { ...TEXT, maxLength: 316 },
  },
};
const POD_SET = {
  type: 'object',
  required: ['count', 'podTemplateRef'],
  properties: {
    count: { type: 'integer', format: 'int32', minimum: 1 },
    podTemplateRef: { type: 'object', required: ['name'], properties: { name: NAME } },
  },
};
const SPEC = {
  type: 'object',
  required: ['podSets', 'provisioningClassName'],
  properties: {
    parameters: {
      type: 'object',
      maxProperties: 100,
      additionalProperties: { ...TEXT, maxLength: 255 },
      ...IMMUTABLE,
    },
    podSets: { type: 'array', minItems: 1, maxItems: 32, items: POD_SET, ...IMMUTABLE },
    provisioningClassName: { ...NAME, ...IMMUTABLE },
  },
};
const STATUS = {
  type: 'object',
  properties: {
    conditions: {
      type: 'array',
      items: CONDITION,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    provisioningClassDetails: {
      type: 'object',
      maxProperties: 64,
      additionalProperties: { ...TEXT, maxLength: 32_768 },
    },
  },
};
/** As the Cluster Autoscaler installs it, with all its rules. */
const DEFINITION: Manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'provisioningrequests.autoscaling.x-k8s.io' },
  spec: {
    group: 'autoscaling.x-k8s.io',
    scope: 'Namespaced',
    names: {
      kind: 'ProvisioningRequest',
      listKind: 'ProvisioningRequestList',
      plural: 'provisioningrequests',
      singular: 'provisioningrequest',
      shortNames: ['provreq', 'provreqs'],
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: {
          openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec: SPEC, status: STATUS } },
        },
      },
    ],
  },
};

interface RequestParts {
  readonly className?: string;
  /** Template → count. */
  readonly sets: Readonly<Record<string, number>>;
  readonly parameters?: Readonly<Record<string, string>>;
}

function provisioningRequest(name: string, { className = CHECK, sets, parameters }: RequestParts): Manifest {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1',
    kind: 'ProvisioningRequest',
    metadata: { name, namespace: 'default' },
    spec: {
      provisioningClassName: className,
      podSets: Object.entries(sets).map(([template, count]) => ({
        podTemplateRef: { name: template },
        count,
      })),
      ...(parameters && { parameters }),
    },
  };
}

/** The template of pods of the pool that request so much. */
function template(pool: OwnPool, name: string, requests: Readonly<Record<string, string>>): Manifest {
  const { spec } = deployment({ requests, pod: pool.wanted() }) as { spec?: { template?: object } };
  return {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name, namespace: 'default' },
    template: spec?.template,
  };
}

/** Pods that take the room of the request. */
function consumers(pool: OwnPool, request: string, replicas: number): Manifest {
  const annotations = { [CONSUMES]: request };
  return deployment({ name: request, replicas, requests: ALONE, annotations, pod: pool.wanted() });
}

/** With the kind, which takes a moment until it is served, and the templates `alone` and `huge`. */
async function given(world: World, pool: OwnPool): Promise<void> {
  await new Scenario(world).given(nodeClass(), pool.manifest({ spec: KEPT }), DEFINITION);
  await new Scenario(world).given(template(pool, 'alone', ALONE), template(pool, 'huge', HUGE));
}

/** So many empty nodes. */
async function givenNodes(world: World, pool: OwnPool, count: number): Promise<void> {
  const scenario = new Scenario(world);
  const name = `${pool.name}-before`;
  await scenario.whenApplied(deployment({ name, replicas: count, requests: ALONE, pod: pool.wanted() }));
  await pool.expectSettled(world, count, 120);
  const areBound = async (): Promise<boolean> => {
    const pods = await pool.podsOf(world, name);
    return pods.length === count && pods.every(({ nodeName }) => nodeName !== undefined);
  };
  await world.until('the pods before are bound', areBound, 60);
  await scenario.whenScaled(name, 0);
  const areGone = async (): Promise<boolean> => (await pool.podsOf(world, name)).length === 0;
  await world.until('the pods before are gone', areGone, 60);
}

async function whenRequested(world: World, request: Manifest): Promise<void> {
  const isApplied = (): Promise<boolean> =>
    world.apply([request]).then(
      () => true,
      () => false,
    );
  await world.until('ProvisioningRequests are served', isApplied, 30);
}

/** `Provisioned=True CapacityIsFound`. */
function expectTold(world: World, name: string, condition: string, seconds = 120): Promise<SeenRequest> {
  const look = async (): Promise<SeenRequest | undefined> =>
    (await world.requests()).find((each) => each.name === name && each.conditions.includes(condition));
  return world.until(`ProvisioningRequest ${name} is told ${condition}`, look, seconds);
}

async function scaleUp(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('asked');
  const pods = 2;
  await given(world, pool);
  await whenRequested(world, provisioningRequest('train', { className: ATOMIC, sets: { alone: pods } }));
  await expectTold(world, 'train', 'Provisioned=True CapacityIsProvisioned');
  const claims = await pool.claims(world);
  expect(claims).toHaveLength(pods);
  // As Kueue lets the workload go; another Deployment comes first.
  await scenario.whenApplied(deployment({ name: 'other', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'other', pods: 1 });
  await scenario.whenApplied(consumers(pool, 'train', pods));
  // Their room is the request's: they may be bound before each has a Reservation entry of its own.
  const bound = await scenario.expectScheduled({ app: 'train', pods, whereFirstPlanned: false });
  expect(await pool.claims(world)).toHaveLength(pods + 1);
  const booked = (await pool.claims(world)).filter(({ name }) => claims.some((each) => each.name === name));
  expect(new Set(bound.map(({ nodeName }) => nodeName))).toEqual(
    new Set(booked.map(({ nodeName }) => nodeName)),
  );
}

async function check(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('checked');
  await given(world, pool);
  await givenNodes(world, pool, 2);
  await whenRequested(world, provisioningRequest('first', { sets: { alone: 1 } }));
  const first = await expectTold(world, 'first', 'Provisioned=True CapacityIsFound');
  expect(first.schedulablePodSets).toBe('["alone"]');
  await whenRequested(world, provisioningRequest('both', { sets: { alone: 2 } }));
  await expectTold(world, 'both', 'Provisioned=False CapacityIsNotFound');
  await whenRequested(
    world,
    provisioningRequest('once', { sets: { alone: 2 }, parameters: { noRetry: 'true' } }),
  );
  await expectTold(world, 'once', 'Failed=True CapacityIsNotFound');
  await scenario.whenApplied(consumers(pool, 'first', 1));
  await scenario.expectScheduled({ app: 'first', pods: 1, whereFirstPlanned: false });
  expect(await pool.claims(world)).toHaveLength(2);
}

async function partial(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('partial');
  await given(world, pool);
  await givenNodes(world, pool, 2);
  const sets = { huge: 1, alone: 2 };
  const asked = (partialCapacityCheck: string): Manifest =>
    provisioningRequest(partialCapacityCheck.toLowerCase(), { sets, parameters: { partialCapacityCheck } });
  await whenRequested(world, asked('checkOnly'));
  const told = await expectTold(world, 'checkonly', 'Provisioned=False PartialCapacityIsFound');
  expect(told.schedulablePodSets).toBe('["alone"]');
  await whenRequested(world, asked('bookPartial'));
  const booked = await expectTold(world, 'bookpartial', 'Provisioned=True PartialCapacityIsFound');
  expect(booked.schedulablePodSets).toBe('["alone"]');
  await whenRequested(world, provisioningRequest('late', { sets: { alone: 1 } }));
  await expectTold(world, 'late', 'Provisioned=False CapacityIsNotFound');
  await scenario.whenApplied(consumers(pool, 'bookpartial', 2));
  await scenario.expectScheduled({ app: 'bookpartial', pods: 2, whereFirstPlanned: false });
  expect(await pool.claims(world)).toHaveLength(2);
}

async function instance(world: World): Promise<void> {
  const pool = new OwnPool('instance');
  await given(world, pool);
  await givenNodes(world, pool, 1);
  const named = (name: string, processorInstance: string): Manifest =>
    provisioningRequest(name, { sets: { alone: 1 }, parameters: { processorInstance } });
  await whenRequested(world, provisioningRequest('unnamed', { sets: { alone: 1 } }));
  await whenRequested(world, provisioningRequest('atomic', { className: ATOMIC, sets: { alone: 1 } }));
  await whenRequested(world, named('elsewhere', 'cpus'));
  await whenRequested(world, named('here', INSTANCE));
  await expectTold(world, 'here', 'Provisioned=True CapacityIsFound');
  await world.quietFor(15);
  const others = (await world.requests()).filter(({ name }) => name !== 'here');
  expect(others.map(({ name, conditions }) => [name, conditions])).toEqual([
    ['atomic', []],
    ['elsewhere', []],
    ['unnamed', []],
  ]);
}
