/** CapacityBuffers: nodes with free room for pods that are not there. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { Manifest, World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
const SPEC = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };

export const CAPACITY_BUFFERS: readonly ScenarioCase[] = [
  {
    name: 'a CapacityBuffer has its nodes before there are pods, keeps them, gives their room to pods and is made good',
    run: fixed,
  },
  {
    name: 'a CapacityBuffer of a percentage of a Deployment follows its replicas, within its limits',
    run: percentage,
  },
  {
    name: 'a CapacityBuffer has its nodes while a window of its schedule is open in its time zone, and none outside',
    start: '2026-01-07T07:30:00Z',
    run: scheduled,
  },
];

/** As the Cluster Autoscaler installs it, without its rules of validation. */
export const BUFFER_DEFINITION: Manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'capacitybuffers.autoscaling.x-k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/autoscaler/pull/8151' },
  },
  spec: {
    group: 'autoscaling.x-k8s.io',
    names: {
      kind: 'CapacityBuffer',
      listKind: 'CapacityBufferList',
      plural: 'capacitybuffers',
      singular: 'capacitybuffer',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

export function capacityBuffer(
  name: string,
  spec: Readonly<Record<string, unknown>>,
  annotations: Readonly<Record<string, string>> = {},
): Manifest {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name, namespace: 'default', annotations },
    spec,
  };
}

/** A new kind takes a moment until it is served. */
async function given(world: World, pool: OwnPool, ...manifests: readonly Manifest[]): Promise<void> {
  await new Scenario(world).given(nodeClass(), pool.manifest({ spec: SPEC }), BUFFER_DEFINITION);
  const isApplied = (): Promise<boolean> =>
    world.apply(manifests).then(
      () => true,
      () => false,
    );
  await world.until('CapacityBuffers are served', isApplied, 30);
}

async function fixed(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('buffered');
  const { spec } = deployment({ requests: ALONE, pod: pool.wanted() }) as { spec?: { template?: unknown } };
  const template = {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'buffered', namespace: 'default' },
    template: spec?.template,
  };
  const ref = { podTemplateRef: { name: 'buffered' } };
  await given(world, pool, template, capacityBuffer('buffered', { ...ref, replicas: 2 }));
  const first = (await pool.expectSettled(world, 2, 120)).map(({ name }) => name).sort();
  await world.quietFor(15);
  expect((await pool.expectSettled(world, 2)).map(({ name }) => name).sort()).toEqual(first);
  await scenario.whenApplied(deployment({ name: 'buffered', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'buffered', pods: 1, whereFirstPlanned: false });
  const claims = await pool.expectSettled(world, 3, 120);
  const [pod] = await pool.podsOf(world, 'buffered');
  const taken = claims.find(({ nodeName }) => nodeName === pod?.nodeName);
  expect(first).toContain(taken?.name);
  await scenario.whenApplied(capacityBuffer('buffered', { ...ref, replicas: 0 }));
  await pool.expectSettled(world, 1, 120);
}

async function percentage(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('proportional');
  const name = 'proportional';
  await given(
    world,
    pool,
    deployment({ name, replicas: 2, requests: ALONE, pod: pool.wanted() }),
    capacityBuffer(name, {
      scalableRef: { apiGroup: 'apps', kind: 'Deployment', name },
      percentage: 50,
      limits: { cpu: '3' },
    }),
  );
  await pool.expectSettled(world, 3, 120);
  await scenario.whenScaled(name, 5);
  await pool.expectSettled(world, 7, 120);
  await scenario.whenScaled(name, 0);
  await pool.expectSettled(world, 0, 120);
}

/** At half past eight in Paris and half past seven in Greenwich. */
async function scheduled(world: World): Promise<void> {
  const pool = new OwnPool('scheduled');
  const name = 'scheduled';
  const buffer = (timeZone: string): Manifest =>
    capacityBuffer(
      timeZone.toLowerCase().replace('/', '-'),
      { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name }, replicas: 1 },
      {
        'berth.sh/buffer-schedule': '0 8 * * *',
        'berth.sh/buffer-duration': '1h',
        'berth.sh/buffer-time-zone': timeZone,
      },
    );
  const workload = deployment({ name, replicas: 0, requests: ALONE, pod: pool.wanted() });
  await given(world, pool, workload, buffer('Europe/London'));
  await world.quietFor(15);
  await pool.expectSettled(world, 0);
  await world.apply([buffer('Europe/Paris')]);
  await pool.expectSettled(world, 1, 120);
  await world.quietFor(15);
  await pool.expectSettled(world, 1);
}
