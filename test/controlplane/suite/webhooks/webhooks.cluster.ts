/** The admission webhooks as kube-apiserver calls them: over TLS, by the registrations that the manifests hold. */
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MILLIS, leafProfiles } from '../../../../src/servers/tls/certificate-profile.js';
import { issueLeaf } from '../../../../src/servers/tls/issue-certificate.js';
import { pem, renew } from '../../../servers/tls/certificate-set.js';
import { ApiError } from '../../fixture/api/api-error.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  MUTATING_WEBHOOKS,
  NAMESPACES,
  PODS,
  type Pod,
} from '../../fixture/api/kube-object.js';
import { hasKubectl } from '../../fixture/kubectl.js';
import { RecordingWebhook } from '../../fixture/recording-webhook.js';
import { expectRefused } from '../expect-refused.js';
import { podManifest, workloadManifest } from '../manifests.js';
import { OWN_NAMESPACE, ServedWebhooks } from './served-webhooks.js';

type Files = ReadonlyMap<string, string>;

const DEFAULTS = `apiVersion: berth.sh/v1
kind: PodDefaults
metadata: {name: shop}
spec:
  namespaceSelector: {matchLabels: {team: retail}}
  architecture: arm64
  nodeSelector: {example.com/disk: "yes"}
  spread: {zone: {maxSkew: 1}, host: {maxSkew: 2}}
  tolerations: [{key: spot, operator: Exists, effect: NoSchedule}]
`;

const NODE_POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
`;

/** Far longer than the API server takes to learn of a changed registration. */
const PROPAGATION_MILLIS = 3000;

function policies(name: string, data: Readonly<Record<string, string>>) {
  return { metadata: { name, namespace: OWN_NAMESPACE, labels: { 'berth.sh/policy': 'true' } }, data };
}

function material(files: Files) {
  return { key: pem(files, 'webhook.key'), cert: pem(files, 'webhook.crt') };
}

/** The certificate of the webhooks as it was on the day before yesterday; of the same CA. */
async function expiredLeaf(files: Files) {
  const authority = { certificate: pem(files, 'ca.crt'), key: pem(files, 'ca.key') };
  const [profile] = leafProfiles({ namespace: OWN_NAMESPACE, local: true });
  if (profile === undefined) throw new Error('there is no profile');
  const notAfter = Math.floor(Date.now() / 1000) * 1000 - DAY_MILLIS;
  const { certificate: cert, key } = await issueLeaf(
    profile,
    { notBefore: notAfter - DAY_MILLIS, notAfter },
    authority,
  );
  return { cert, key };
}

function isStamped({ metadata }: Pod): boolean {
  return metadata.annotations?.['berth.sh/stamped'] !== undefined;
}

describe('the admission webhooks', () => {
  let controlPlane: ControlPlane;
  let webhooks: ServedWebhooks;
  let files: Files;
  let port: number;
  let url: string;
  let count = 0;

  /** Creates a pod in the namespace that the defaults are for. */
  const createPod = (parts: Parameters<typeof podManifest>[0] = {}): Promise<Pod> =>
    controlPlane.api.create(
      PODS,
      podManifest({ name: `web-${String(count++)}`, namespace: 'shop', ...parts }),
    );

  /** The API server learns of registrations in its own time. */
  const untilStamped = (): Promise<Pod> =>
    eventually('a pod to be stamped', async () => {
      const pod = await createPod();
      return isStamped(pod) && pod;
    });

  beforeAll(async () => {
    ({ changed: files } = await renew());
    controlPlane = await startControlPlane();
    const { api } = controlPlane;
    await api.create(NAMESPACES, { metadata: { name: OWN_NAMESPACE } });
    await api.create(NAMESPACES, { metadata: { name: 'shop', labels: { team: 'retail' } } });
    await api.create(CONFIG_MAPS, policies('defaults', { 'shop.yaml': DEFAULTS }));
    for (const namespace of ['default', 'shop', OWN_NAMESPACE, 'kube-system'])
      await eventually('service accounts', () => api.create(PODS, podManifest({ name: 'first', namespace })));
    webhooks = new ServedWebhooks(controlPlane);
    ({ port, url } = await webhooks.serve(material(files)));
    await webhooks.register(url, pem(files, 'ca.crt'));
    await untilStamped();
  });

  afterAll(async () => {
    await webhooks.stop();
    await controlPlane.stop();
  });

  test('stamp pods as the API server takes them, of Deployments too', async () => {
    const toleration = { key: 'spot', operator: 'Exists', effect: 'NoSchedule' };
    const pod = await createPod({ labels: { app: 'web' }, spec: { nodeSelector: { disk: 'ssd' } } });
    expect(pod.spec).toMatchObject({
      nodeSelector: { disk: 'ssd', 'kubernetes.io/arch': 'arm64', 'example.com/disk': 'yes' },
      tolerations: expect.arrayContaining([toleration]) as unknown,
      topologySpreadConstraints: [
        { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
        { topologyKey: 'kubernetes.io/hostname', maxSkew: 2, labelSelector: { matchLabels: { app: 'web' } } },
      ],
    });
    expect(JSON.parse(pod.metadata.annotations?.['berth.sh/stamped'] ?? '')).toEqual({
      architecture: 'shop',
      'nodeSelector.example.com/disk': 'shop',
      'spread.zone': 'shop',
      'spread.host': 'shop',
      'tolerations.spot:NoSchedule': 'shop',
    });
    await controlPlane.api.create(DEPLOYMENTS, workloadManifest({ name: 'front', namespace: 'shop' }));
    const [replica] = await eventually('a replica', async () => {
      const { items } = await controlPlane.api.list(PODS, { namespace: 'shop', labelSelector: 'app=front' });
      return items.length > 0 && items;
    });
    const constraint = expect.objectContaining({ matchLabelKeys: ['pod-template-hash'] }) as unknown;
    expect(replica?.spec).toMatchObject({ topologySpreadConstraints: [constraint, constraint] });
  });

  test('leave alone what is never touched, most of it without being asked', async () => {
    const before = await webhooks.outcomes();
    const untouched = await Promise.all([
      createPod({ namespace: 'kube-system' }),
      createPod({ namespace: OWN_NAMESPACE }),
      createPod({ annotations: { 'berth.sh/ignore': 'true' } }),
      createPod({ spec: { nodeName: 'somewhere' } }),
    ]);
    expect(untouched.filter(isStamped)).toEqual([]);
    expect(await webhooks.outcomes()).toEqual(before);
    const others = await Promise.all([
      createPod({ namespace: 'default' }),
      createPod({ labels: { 'berth.sh/ignore': 'true' } }),
      createPod({ spec: { schedulerName: 'volcano' } }),
    ]);
    expect(others.filter(isStamped)).toEqual([]);
  });

  test('stamp once when another webhook changes the pod and they are asked again', async () => {
    const injector = await RecordingWebhook.start(controlPlane.servingCertificate, () => ({
      allowed: true,
      patch: [{ op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'x' } }],
    }));
    const name = 'z-injector';
    await controlPlane.api.create(MUTATING_WEBHOOKS, {
      metadata: { name },
      webhooks: [
        {
          name: 'injector.example.com',
          clientConfig: {
            url: injector.url,
            caBundle: Buffer.from(controlPlane.servingCertificate.ca).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          objectSelector: { matchLabels: { inject: 'yes' } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    });
    let before = await webhooks.outcomes();
    const pod = await eventually('a pod with a sidecar', async () => {
      before = await webhooks.outcomes();
      const created = await createPod({ labels: { inject: 'yes' } });
      return created.spec.containers.length === 2 && created;
    });
    const after = await webhooks.outcomes();
    expect(after['stamped']).toBe((before['stamped'] ?? 0) + 1);
    expect(after['unchanged']).toBe((before['unchanged'] ?? 0) + 1);
    expect(pod.spec).toMatchObject({ topologySpreadConstraints: { length: 2 } });
    await controlPlane.api.delete(MUTATING_WEBHOOKS, { name });
    await injector.stop();
  });

  test('refuse policies with all that is wrong at once', async () => {
    const bad = policies('bad', {
      'a.yaml': `${NODE_POOL}  weigth: 5\n  limitz: {}\n`,
      'b.yaml': 'kind: Pod',
    });
    const refused = await eventually('a refusal', async () => {
      const answer: unknown = await controlPlane.api
        .create(CONFIG_MAPS, bad)
        .catch((error: unknown) => error);
      if (answer instanceof ApiError) return answer;
      await controlPlane.api.delete(CONFIG_MAPS, { name: 'bad', namespace: OWN_NAMESPACE });
      return undefined;
    });
    expect([refused.code, refused.reason]).toEqual([422, 'Invalid']);
    expect(refused.causes.map(({ field }) => field)).toEqual([
      'data[b.yaml]',
      'data[a.yaml]',
      'data[a.yaml]',
    ]);
    for (const text of [
      'configmap/bad[a.yaml]:10:3',
      'did you mean weight?',
      'did you mean limits?',
      'configmap/bad[b.yaml]:1:1',
    ])
      expect(refused.message).toContain(text);
  });

  test('refuse a document that stands elsewhere already, also when a ConfigMap changes', async () => {
    await controlPlane.api.create(CONFIG_MAPS, policies('pools', { 'a.yaml': NODE_POOL }));
    await eventually(
      'the pool to be known',
      () => webhooks.cluster.policyConfigMaps.get('pools') !== undefined,
    );
    const message = 'NodePool "general" is defined in ConfigMap pools (key a.yaml) and again in ConfigMap';
    await expectRefused(controlPlane.api.create(CONFIG_MAPS, policies('rival', { b: NODE_POOL })), {
      code: 422,
      message,
    });
    const body = { data: { 'mine.yaml': NODE_POOL } };
    const ref = { name: 'defaults', namespace: OWN_NAMESPACE };
    await expectRefused(controlPlane.api.patch(CONFIG_MAPS, ref, { type: 'merge', body }), {
      code: 422,
      message,
    });
    const again = { data: { 'a.yaml': `${NODE_POOL}  weight: 7\n` } };
    await controlPlane.api.patch(
      CONFIG_MAPS,
      { name: 'pools', namespace: OWN_NAMESPACE },
      { type: 'merge', body: again },
    );
  });

  if (hasKubectl()) {
    test('are shown by kubectl: every error, and every warning', async () => {
      const kubectl = (data: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
        controlPlane
          .kubectl(['apply', '-f', '-', ...flags], {
            input: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...policies('told', data) }),
          })
          .catch((error: unknown) => String(error));
      const refused = await kubectl({
        'a.yaml': `${NODE_POOL.replace('general', 'told')}  weigth: 5\n  limitz: {}\n`,
      });
      expect(refused).toContain('did you mean weight?');
      expect(refused).toContain('did you mean limits?');
      expect(refused).toContain('data[a.yaml]');
      const warned = await kubectl(
        { 'a.yaml': NODE_POOL.replace('general', 'told') },
        '--warnings-as-errors',
      );
      expect(warned).toContain('Warning: configmap/told[a.yaml]:6:3 NodePool/told: spec has no limits');
      expect(warned).toContain('names EC2NodeClass default');
    });
  }

  describe('that are out of order', () => {
    afterEach(async () => {
      await webhooks.shutDown();
      await webhooks.serve(material(files), port);
      await untilStamped();
    });

    test('keep no pod from being created when they are down', async () => {
      await webhooks.shutDown();
      expect(isStamped(await createPod())).toBe(false);
    });

    test('keep no pod waiting for longer than two seconds when they are slow', async () => {
      const pending: (() => void)[] = [];
      const slow: RequestListener = (_request, response) => {
        pending.push(() => response.end());
      };
      await webhooks.shutDown();
      await webhooks.serve(material(files), port, slow);
      // The first pod may meet a connection that has just been closed, and is not kept waiting at all.
      const [pod, millis] = await eventually('the API server to wait', async () => {
        const start = performance.now();
        const created = await createPod();
        return pending.length > 0 && ([created, performance.now() - start] as const);
      });
      expect(isStamped(pod)).toBe(false);
      expect(millis).toBeGreaterThan(1900);
      expect(millis).toBeLessThan(6000);
    });

    test('keep no pod from being created when their certificate is past', async () => {
      const expired = await expiredLeaf(files);
      await webhooks.shutDown();
      const listener = await webhooks.serve(expired, port);
      expect(isStamped(await createPod())).toBe(false);
      listener.updateTls(material(files));
      await untilStamped();
    });
  });

  test('stamp every pod while certificate and CA are changed', async () => {
    const { changed: renewed } = await renew({ stored: files, renewAll: true });
    const { changed: next } = await renew();
    const both = pem(files, 'ca.crt') + pem(next, 'ca.crt');
    await webhooks.shutDown();
    const listener = await webhooks.serve(material(files), port);
    await untilStamped();
    const pods: Pod[] = [];
    let isOver = false;
    const creators = Array.from({ length: 4 }, async () => {
      while (!isOver) pods.push(await createPod());
    });
    const created = (more: number): Promise<unknown> => {
      const goal = pods.length + more;
      return eventually('more pods', () => pods.length >= goal, { timeoutMillis: 60_000 });
    };
    for (let rotation = 0; rotation < 12; rotation++) {
      listener.updateTls(material(rotation % 2 === 0 ? renewed : files));
      await created(4);
    }
    // The CA is changed as the controller does it: clients trust both before anybody shows the new one.
    await webhooks.register(url, both);
    await Promise.all([created(20), sleep(PROPAGATION_MILLIS)]);
    listener.updateTls(material(next));
    await created(20);
    await webhooks.register(url, pem(next, 'ca.crt'));
    await created(20);
    isOver = true;
    await Promise.all(creators);
    expect(pods.length).toBeGreaterThan(100);
    expect(pods.filter((pod) => !isStamped(pod))).toEqual([]);
    files = new Map([...next]);
  }, 180_000);
});
