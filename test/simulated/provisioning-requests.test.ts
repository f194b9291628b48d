/** ProvisioningRequests as Kueue uses them, in the simulated world: room before the pods, which then find it. */
import { CONSUMES_ANNOTATION } from '../../src/domain/pods/provisioning-request.js';
import { deployment, nodeClass } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import type { Manifest } from '../scenario/world.js';
import { SimulatedWorld } from './simulated-world.js';

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** Of the Cluster Autoscaler, as far as it matters here. */
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
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: OPEN, status: OPEN } } },
      },
    ],
  },
};

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
const PODS = 2;

test('nodes are launched for a request before its pods are there, which find the room that other pods do not get', async () => {
  const world = await SimulatedWorld.start();
  const scenario = new Scenario(world);
  const pool = new OwnPool('asked');
  await scenario.given(nodeClass(), pool.manifest(), DEFINITION);
  const { spec } = (deployment({ requests: ALONE, pod: pool.wanted() }) as { spec?: { template?: object } })
    .spec?.template as { spec: object };
  await world.apply([
    {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'worker', namespace: 'default' },
      template: { spec },
    },
    {
      apiVersion: 'autoscaling.x-k8s.io/v1',
      kind: 'ProvisioningRequest',
      metadata: { name: 'train', namespace: 'default' },
      spec: {
        provisioningClassName: 'best-effort-atomic-scale-up.autoscaling.x-k8s.io',
        podSets: [{ podTemplateRef: { name: 'worker' }, count: PODS }],
      },
    },
  ]);
  await world.until('it is provisioned', () => isProvisioned(world), 120);
  expect(await pool.claims(world)).toHaveLength(PODS);
  // As Kueue lets the workload go; another Deployment comes first.
  await world.apply([deployment({ name: 'other', requests: ALONE, pod: pool.wanted() })]);
  await scenario.expectScheduled({ app: 'other', pods: 1 });
  await world.apply([
    deployment({
      ...{ name: 'train', replicas: PODS, requests: ALONE, pod: pool.wanted() },
      annotations: { [CONSUMES_ANNOTATION]: 'train' },
    }),
  ]);
  const pods = await scenario.expectScheduled({ app: 'train', pods: PODS });
  expect(await pool.claims(world)).toHaveLength(PODS + 1);
  expect(new Set(pods.map(({ nodeName }) => nodeName)).size).toBe(PODS);
  await world.close();
}, 180_000);

async function isProvisioned({ client }: SimulatedWorld): Promise<boolean> {
  const answer = await client.request({
    method: 'GET',
    path: '/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests/train',
    operation: 'get the request',
  });
  const { status } = answer as {
    status?: { conditions?: readonly { readonly type: string; readonly status: string }[] };
  };
  return status?.conditions?.some(({ type, status: is }) => type === 'Provisioned' && is === 'True') === true;
}
