/** Admission webhooks: who is asked, what becomes of the answer, and of none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { NewObject } from '../../../../world/kubernetes/objects/kube-object.js';
import type { WebhookCall } from '../../../../world/kubernetes/admission/webhook-call.js';
import { pod, refusal, Simulated } from '../simulated.js';

const MUTATING = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
const VALIDATING = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const MANIFEST = join(import.meta.dirname, '../../../../manifests/base/webhooks.yaml');

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly name: string;
    readonly object: object | null;
  };
}

type Respond = (review: Review, call: WebhookCall) => object;

class Asked {
  readonly calls: WebhookCall[] = [];
  readonly simulated: Simulated;

  constructor(respond: Respond = () => ({ allowed: true })) {
    this.simulated = new Simulated({
      callWebhook: (call) => {
        this.calls.push(call);
        const review = call.review as unknown as Review;
        return Promise.resolve({ response: { uid: review.request.uid, ...respond(review, call) } });
      },
    });
  }
}

function patch(...operations: readonly object[]): object {
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  };
}

function configuration(name: string, more: object = {}): NewObject {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const clientConfig = { url: `https://127.0.0.1/${name}` };
  return { metadata: { name }, webhooks: [{ name: `${name}.example.com`, rules, clientConfig, ...more }] };
}

describe("Berth's webhooks", () => {
  async function installed(): Promise<Asked> {
    const asked = new Asked();
    const [mutating, validating] = parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map(
      (each) => each.toJS() as NewObject,
    );
    await asked.simulated.api.create(MUTATING, mutating ?? {});
    await asked.simulated.api.create(VALIDATING, validating ?? {});
    await asked.simulated.api.create('namespaces', { metadata: { name: 'berth-system' } });
    return asked;
  }
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true };

  test.each([
    ['any pod', pod('web'), 1],
    ['a pod of kube-system', pod('web', { metadata: { namespace: 'kube-system' } }), 0],
    ["a pod of Berth's own", pod('web', { metadata: { namespace: 'berth-system' } }), 0],
    ['a bound pod', pod('web', { spec: { nodeName: 'n1', containers: [{ name: 'a', image: 'a' }] } }), 0],
    ['a mirror pod', pod('web', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }), 0],
    ['a pod of a DaemonSet', pod('web', { metadata: { ownerReferences: [owner] } }), 0],
    [
      'a pod that asks to be left alone',
      pod('web', { metadata: { annotations: { 'berth.sh/ignore': 'true' } } }),
      0,
    ],
    ['a pod that does not', pod('web', { metadata: { annotations: { 'berth.sh/ignore': 'false' } } }), 1],
  ])('see %s as they say', async (_, object, calls) => {
    const { simulated, calls: seen } = await installed();
    await simulated.api.create('pods', object);
    expect(seen).toHaveLength(calls);
  });

  test('see policies alone, with the address of the service', async () => {
    const { simulated, calls } = await installed();
    const labels = { 'berth.sh/policy': 'true' };
    await simulated.api.create('configmaps', { metadata: { name: 'a', namespace: 'berth-system', labels } });
    await simulated.api.create('configmaps', { metadata: { name: 'b', namespace: 'berth-system' } });
    await simulated.api.create('configmaps', { metadata: { name: 'c', namespace: 'default', labels } });
    await simulated.api.delete('configmaps', { name: 'a', namespace: 'berth-system' });
    expect(calls.map(({ review }) => (review as unknown as Review).request.operation)).toEqual([
      'CREATE',
      'DELETE',
    ]);
    expect(calls[0]).toMatchObject({
      client: {
        service: { namespace: 'berth-system', name: 'berth-webhook', path: '/validate-policies', port: 443 },
      },
      timeoutMillis: 2000,
    });
  });
});

describe('a mutating webhook', () => {
  test('changes the object by its patch', async () => {
    const { simulated } = new Asked(() =>
      patch({ op: 'add', path: '/spec/nodeSelector', value: { a: 'b' } }),
    );
    await simulated.api.create(MUTATING, configuration('one'));
    expect((await simulated.api.create('pods', pod('web')))['spec']).toMatchObject({
      nodeSelector: { a: 'b' },
    });
  });

  test('is asked again, where it wants that, when a later one has changed the object', async () => {
    const asked = new Asked((review, { client }) => {
      const isSecond = client.url?.endsWith('two') === true;
      return isSecond
        ? patch({ op: 'add', path: '/metadata/labels', value: { by: 'two' } })
        : { allowed: true };
    });
    await asked.simulated.api.create(MUTATING, configuration('one', { reinvocationPolicy: 'IfNeeded' }));
    await asked.simulated.api.create(MUTATING, configuration('two'));
    await asked.simulated.api.create('pods', pod('web'));
    expect(asked.calls.map(({ client }) => client.url?.split('/').at(-1))).toEqual(['one', 'two', 'one']);
  });
});

describe('a refusal', () => {
  test('is reported in the words of the webhook', async () => {
    const { simulated } = new Asked(() => ({ allowed: false, status: { message: 'not today' } }));
    await simulated.api.create(VALIDATING, configuration('one'));
    expect(await refusal(simulated.api.create('pods', pod('web')))).toMatchObject({
      code: 403,
      message: 'admission webhook "one.example.com" denied the request: not today',
    });
    expect(simulated.api.list('pods')).toEqual([]);
  });

  test('comes with warnings in headers', async () => {
    const { simulated } = new Asked(() => ({ allowed: true, warnings: ['mind the gap'] }));
    await simulated.api.create(VALIDATING, configuration('one'));
    const answer = await simulated.ask('POST', '/api/v1/namespaces/default/pods', { body: pod('web') });
    expect(answer.headers['warning']).toBe('299 - "mind the gap"');
  });
});

describe('a webhook that does not answer', () => {
  test.each([
    ['Ignore', 'lets everything through'],
    ['Fail', 'lets nothing through'],
  ])('with failurePolicy %s %s', async (failurePolicy) => {
    const simulated = new Simulated({ callWebhook: () => Promise.reject(new Error('connection refused')) });
    await simulated.api.create(MUTATING, configuration('one', { failurePolicy }));
    const made = simulated.api.create('pods', pod('web')).then(
      () => 'made',
      (error: unknown) => String(error),
    );
    const expected =
      failurePolicy === 'Ignore'
        ? 'made'
        : 'ApiError: Internal error occurred: failed calling webhook "one.example.com": failed to call webhook: connection refused';
    expect(await made).toBe(expected);
  });

  test('whose condition cannot be evaluated is treated the same', async () => {
    const matchConditions = [{ name: 'odd', expression: 'object.nobody.knows' }];
    const { simulated, calls } = new Asked();
    await simulated.api.create(MUTATING, configuration('one', { failurePolicy: 'Ignore', matchConditions }));
    await simulated.api.create(MUTATING, configuration('two', { failurePolicy: 'Fail', matchConditions }));
    expect((await refusal(simulated.api.create('pods', pod('web')))).message).toContain(
      'no such key: nobody',
    );
    expect(calls).toEqual([]);
  });
});

describe('a change', () => {
  test('that was made while a webhook was asked is not overwritten', async () => {
    const ref = { namespace: 'default', name: 'web' };
    const asked = new Asked(({ request }) => {
      const isFirst = asked.calls.length === 1;
      if (request.operation === 'UPDATE' && isFirst)
        void asked.simulated.api.change(
          'pods',
          ref,
          (object) => ({ ...object, status: { phase: 'Running' } }),
          { subresource: 'status' },
        );
      return { allowed: true };
    });
    const { api } = asked.simulated;
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] }];
    await api.create(MUTATING, configuration('one', { rules }));
    await api.create('pods', pod('web'));
    const labelled = await api.change('pods', ref, (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { a: 'b' } },
    }));
    expect(labelled).toMatchObject({ status: { phase: 'Running' }, metadata: { labels: { a: 'b' } } });
    expect(asked.calls).toHaveLength(2);
  });
});
