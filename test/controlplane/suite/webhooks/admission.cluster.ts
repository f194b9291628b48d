/** The API server calls webhooks by URL over TLS, and holds custom resources to their rules. */
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import {
  clusterScoped,
  CUSTOM_RESOURCE_DEFINITIONS,
  MUTATING_WEBHOOKS,
  NAMESPACES,
  PODS,
} from '../../fixture/api/kube-object.js';
import { RecordingWebhook } from '../../fixture/recording-webhook.js';
import { expectRefused } from '../expect-refused.js';
import { podManifest } from '../manifests.js';

describe('admission', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: [] });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  test('calls a webhook by URL over TLS, which changes or refuses pods', async () => {
    const webhook = await RecordingWebhook.start(cluster.servingCertificate, ({ object }) =>
      object.metadata.labels?.['forbidden'] === 'true'
        ? { allowed: false, message: 'this pod is forbidden' }
        : { allowed: true, patch: [{ op: 'add', path: '/metadata/annotations', value: { stamped: 'yes' } }] },
    );
    await cluster.api.create(NAMESPACES, { metadata: { name: 'hooked' } });
    await cluster.api.create(MUTATING_WEBHOOKS, {
      metadata: { name: 'recorder' },
      webhooks: [
        {
          name: 'recorder.example.com',
          clientConfig: {
            url: webhook.url,
            caBundle: Buffer.from(cluster.servingCertificate.ca).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'hooked' } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
        },
      ],
    });
    let attempt = 0;
    const stamped = await eventually('a pod to be stamped', async () => {
      const pod = await cluster.api.create(
        PODS,
        podManifest({ name: `web-${String(attempt++)}`, namespace: 'hooked' }),
      );
      return pod.metadata.annotations?.['stamped'] === 'yes' && pod;
    });
    expect(webhook.requests.at(-1)).toMatchObject({
      operation: 'CREATE',
      namespace: 'hooked',
      name: stamped.metadata.name,
      resource: { group: '', version: 'v1', resource: 'pods' },
    });

    const forbidden = podManifest({ name: 'no', namespace: 'hooked', labels: { forbidden: 'true' } });
    await expectRefused(cluster.api.create(PODS, forbidden), { code: 400, message: 'this pod is forbidden' });
    await webhook.stop();
    await expectRefused(cluster.api.create(PODS, podManifest({ name: 'unheard', namespace: 'hooked' })), {
      code: 500,
      message: 'recorder.example.com',
    });
  });

  test('holds a custom resource to its CEL rules and keeps its status apart', async () => {
    const widgets = clusterScoped('example.com/v1', 'Widget');
    await cluster.api.create(CUSTOM_RESOURCE_DEFINITIONS, WIDGET_DEFINITION);
    const good = { metadata: { name: 'good' }, spec: { min: 1, max: 2 }, status: { phase: 'forged' } };
    const created = await eventually('the kind to be served', () => cluster.api.create(widgets, good));
    expect(created).not.toHaveProperty('status');

    const bad = { metadata: { name: 'bad' }, spec: { min: 3, max: 2 } };
    const message = 'min must not exceed max';
    await expectRefused(cluster.api.create(widgets, bad), { code: 422, reason: 'Invalid', message });
    await expectRefused(
      cluster.api.patch(widgets, { name: 'good' }, { type: 'merge', body: { spec: { min: 9 } } }),
      { code: 422, reason: 'Invalid', message },
    );
    const body = { status: { phase: 'Ready' } };
    const told = await cluster.api.patchStatus(widgets, { name: 'good' }, { type: 'merge', body });
    expect(told['status']).toEqual({ phase: 'Ready' });
  });
});

const WIDGET_DEFINITION = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { min: { type: 'integer' }, max: { type: 'integer' } },
                'x-kubernetes-validations': [
                  { rule: 'self.min <= self.max', message: 'min must not exceed max' },
                ],
              },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};
