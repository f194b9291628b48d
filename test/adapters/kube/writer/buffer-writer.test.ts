/** What CapacityBuffers ask of the API server: what they are made for, and their status. */
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import { capacityBuffer } from '../../../support/builders/capacity-buffer.js';
import { answering, RecordingClient, type Answer } from './recording-client.js';

const container = { name: 'web', resources: { requests: { cpu: '250m' } } };
const template = { spec: { containers: [container] } };

function writing(answer: Answer): {
  readonly kube: ReturnType<typeof kubeWriter>;
  readonly client: RecordingClient;
} {
  const client = new RecordingClient(answer);
  return { kube: kubeWriter({ client, namespace: 'berth-system', reportingInstance: 'berth-0' }), client };
}

test.each([
  ['PodTemplate', '/api/v1/namespaces/shop/podtemplates/web', { template }, undefined],
  ['Deployment', '/apis/apps/v1/namespaces/shop/deployments/web', { spec: { replicas: 3, template } }, 3],
  ['ReplicaSet', '/apis/apps/v1/namespaces/shop/replicasets/web', { spec: { template } }, 1],
  ['StatefulSet', '/apis/apps/v1/namespaces/shop/statefulsets/web', { spec: { replicas: 0, template } }, 0],
] as const)('the template of a %s is read', async (kind, path, object, replicas) => {
  const metadata = { namespace: 'shop', name: 'web', generation: 4 };
  const { kube, client } = writing(answering({ metadata, ...object }));
  const read = await kube.readBufferTemplate({ kind, namespace: 'shop', name: 'web' });
  expect(read).toMatchObject({ generation: 4, replicas });
  expect(read.spec.requests.get('cpu')).toBe(250);
  expect(client.requests).toMatchObject([{ method: 'GET', path }]);
});

test.each([
  ['no template', {}, 'it has no pod template'],
  ['a template that cannot be read', { template: { spec: {} } }, 'template.spec.containers is required'],
])('a PodTemplate with %s is invalid', async (_what, object, message) => {
  const { kube } = writing(answering({ metadata: { name: 'web' }, ...object }));
  const reading = kube.readBufferTemplate({ kind: 'PodTemplate', namespace: 'default', name: 'web' });
  await expect(reading).rejects.toMatchObject({ code: 'Invalid' });
  await expect(reading).rejects.toThrow(message);
});

test('the status is replaced, unless the buffer has changed', async () => {
  const buffer = capacityBuffer({ namespace: 'shop', resourceVersion: '7' });
  const { uid, name, namespace } = buffer;
  const { kube, client } = writing(answering({ metadata: { name, namespace, uid, resourceVersion: '8' } }));
  const status = { ...buffer.status, replicas: 2 };
  expect(await kube.putBufferStatus(buffer, status)).toMatchObject({ name, resourceVersion: '8' });
  expect(client.requests).toMatchObject([
    {
      method: 'PATCH',
      path: '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/shop/capacitybuffers/spare/status',
      body: [
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'add', path: '/status', value: { replicas: 2, conditions: [] } },
      ],
    },
  ]);
});
