/** A simulated cluster in which Berth is installed as the overlay eks installs it, and all is well; and its examination. */
import { staticConnection } from '../../support/static-connection.js';
import { KubeClient } from '../../../src/adapters/kube/transport/index.js';
import { CHECK_GROUPS } from '../../../src/app/doctor/checks.js';
import type { LiveCluster, SchedulerConfiguration } from '../../../src/app/doctor/doctor-check.js';
import { runChecks, type CheckOutcome } from '../../../src/app/doctor/run-checks.js';
import { liveSubject } from '../../../src/app/doctor/subject/live-subject.js';
import { NODE_FILES } from '../../../src/app/process-io.js';
import type { Clock } from '../../../src/ports/clock.js';
import { keepCertificates } from '../../../src/servers/tls/keep-certificates.js';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import { stableID } from '../../../world/aws/model/stable-hash.js';
import { smallRegion } from '../../simulated/small-region.js';
import { inProcessAws } from '../../support/in-process-aws.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { kustomized } from '../../../world/demo/manifests/kustomized.js';
import { KubeObjects, type KubeManifest } from '../../../world/demo/manifests/kube-objects.js';
import type { KubeObject } from '../../../world/kubernetes/objects/kube-object.js';
import { SimulatedApi } from '../../../world/kubernetes/simulated-api.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { nodeClass, nodePool } from '../../scenario/objects.js';
import { wireSend } from '../../simulated/wire-send.js';

export const NAMESPACE = 'berth-system';
export const START = Date.parse('2026-03-02T08:00:00Z');
const MANIFESTS = kustomized('manifests/overlays/eks', NODE_FILES);
const CERTIFICATES = keepCertificates({
  ...{ stored: new Map<string, string>(), namespace: NAMESPACE, local: false },
  ...{ now: START, isPublished: false },
});

type Change = (object: KubeObject) => KubeObject;
type Fields = Readonly<Record<string, unknown>>;

/** How Berth's webhook answers; undefined: not at all. */
type Webhook = 'answers' | 'slow' | 'unreachable';

export class ExaminedCluster {
  readonly clock = new VirtualClock({ start: START });
  readonly api: SimulatedApi;
  readonly aws: AwsSimulator;
  webhook: Webhook = 'answers';
  schedulerConfigurations: readonly SchedulerConfiguration[] = [];
  /** How the extender answers; a status or an error. */
  connect: LiveCluster['connect'] = () => Promise.resolve(400);
  /** By how much this computer's clock is ahead of the cluster's. */
  aheadMillis = 0;
  /** Virtual time stands still while a request is answered: what slow answers took is counted here. */
  #passedMillis = 0;

  private constructor() {
    const region = { clusterName: 'berth-demo', queueName: 'berth-shop', region: 'eu-west-3' };
    this.aws = new AwsSimulator({
      clock: this.clock,
      random: seededRandom(2),
      catalogue: smallRegion(),
      ...region,
    });
    this.api = new SimulatedApi({
      clock: this.clock,
      random: seededRandom(1),
      callWebhook: ({ review }) => {
        if (this.webhook === 'unreachable') return Promise.reject(new Error('connection refused'));
        if (this.webhook === 'slow') this.#passedMillis += 1_500;
        return Promise.resolve(reviewed(review['request'] as Fields));
      },
    });
  }

  static async healthy(): Promise<ExaminedCluster> {
    const cluster = new ExaminedCluster();
    await cluster.#install();
    return cluster;
  }

  /** Changes one object, its status too. */
  async change(resource: string, name: string, change: Change, namespace?: string): Promise<void> {
    const ref = namespace === undefined ? { name } : { namespace, name };
    const before = this.api.get(resource, ref);
    if (before === undefined) throw new Error(`there is no ${resource}/${name}`);
    const after = change(before);
    await this.api.change(resource, ref, () => after);
    if (after['status'] !== before['status'])
      await this.api.change(resource, ref, (now) => ({ ...now, status: after['status'] }), {
        subresource: 'status',
      });
  }

  async remove(resource: string, name: string, namespace?: string): Promise<void> {
    await this.api.delete(resource, namespace === undefined ? { name } : { namespace, name });
  }

  async examine(): Promise<readonly CheckOutcome[]> {
    const { clock, connect, schedulerConfigurations, aheadMillis } = this;
    const ahead: Clock = {
      now: () => clock.now() + aheadMillis,
      monotonic: () => clock.monotonic() + this.#passedMillis,
      sleep: (millis, signal) => clock.sleep(millis, signal),
      timer: (millis, act) => clock.timer(millis, act),
    };
    const { subject, close } = liveSubject({
      ...{ namespace: NAMESPACE, schedulerConfigurations, connect, clock: ahead },
      connection: staticConnection({ server: 'http://127.0.0.1:1' }),
      send: wireSend(this.api.handle, clock),
      env: { AWS_REGION: 'eu-west-3' },
      wire: inProcessAws(this.aws.handle),
    });
    const { signal } = new AbortController();
    let outcomes: readonly CheckOutcome[] | undefined;
    void runChecks(CHECK_GROUPS, subject, { clock, signal }).then((found) => (outcomes = found));
    await clock.runUntil(() => outcomes !== undefined, { limitMillis: 120_000 });
    close();
    if (outcomes === undefined) throw new Error('the examination did not end');
    return outcomes;
  }

  async #install(): Promise<void> {
    const { files } = await CERTIFICATES;
    const { signal } = new AbortController();
    const client = new KubeClient({
      ...{ clock: this.clock, userAgent: 'test', qps: 1e6, burst: 1e6 },
      connection: staticConnection({ server: 'http://127.0.0.1:1' }),
      send: wireSend(this.api.handle, this.clock),
    });
    const objects = new KubeObjects(client);
    for (const manifest of MANIFESTS) await objects.apply(installed(manifest, files), signal);
    await this.#run();
    await this.#settle(files);
  }

  /** What controllers and kubelets would do. */
  async #run(): Promise<void> {
    for (const name of ['system-a', 'system-b']) {
      const taints = [{ key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' }];
      await this.#create('nodes', {
        metadata: { name, labels: { 'kubernetes.io/os': 'linux' } },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      });
      // The taint of a new node goes when its kubelet is ready.
      const providerID = await this.#instance();
      await this.change('nodes', name, (node) => ({ ...node, spec: { taints, providerID } }));
    }
    for (const name of ['berth', 'berth-scheduler']) {
      await this.change(
        'deployments.apps',
        name,
        (object) => ({ ...object, status: { readyReplicas: 2, replicas: 2 } }),
        NAMESPACE,
      );
      for (const index of ['a', 'b'])
        await this.#create('pods', {
          metadata: {
            namespace: NAMESPACE,
            name: `${name}-${index}`,
            labels: { 'app.kubernetes.io/name': name },
          },
          spec: { containers: [{ name, image: 'berth:0.1.0' }], nodeName: `system-${index}` },
          status: { containerStatuses: [{ name: 'extender', ready: true }] },
        });
      await this.#create('leases.coordination.k8s.io', {
        metadata: { namespace: NAMESPACE, name },
        spec: lease(`${name}-a`, this.clock.now() - 2_000),
      });
    }
    await this.#create('endpointslices.discovery.k8s.io', {
      metadata: {
        namespace: NAMESPACE,
        name: 'berth-webhook-1',
        labels: { 'kubernetes.io/service-name': 'berth-webhook' },
      },
      addressType: 'IPv4',
      ports: [{ name: 'webhook', port: 9443, protocol: 'TCP' }],
      endpoints: ['system-a', 'system-b'].map((nodeName, index) => ({
        addresses: [`10.0.0.${String(index + 1)}`],
        conditions: { ready: true },
        nodeName,
      })),
    });
  }

  /** An instance of a managed node group, in the cluster's security group; its provider ID. */
  async #instance(): Promise<string> {
    const images = await this.#ec2({ Action: 'DescribeImages', 'Owner.1': 'amazon' });
    const [image = ''] = /ami-\w+(?=<)(?=[^]*?x86_64)/.exec(images) ?? [];
    const [subnet = ''] = /subnet-\w+/.exec(await this.#ec2({ Action: 'DescribeSubnets' })) ?? [];
    const launched = await this.#ec2({
      ...{ Action: 'RunInstances', ImageId: image, InstanceType: 'm5.large', MinCount: '1', MaxCount: '1' },
      ...{ SubnetId: subnet, 'SecurityGroupId.1': stableID('sg', 'berth-demo') },
    });
    const [id] = /i-[0-9a-f]{17}/.exec(launched) ?? [];
    if (id === undefined) throw new Error(launched);
    return `aws:///eu-west-3a/${id}`;
  }

  /** What EC2 answers to a request of the account's owner. */
  async #ec2(fields: Readonly<Record<string, string>>): Promise<string> {
    const body = new URLSearchParams({ Version: '2016-11-15', ...fields }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { signal } = new AbortController();
    const answer = await this.aws.handle({ method: 'POST', path: '/', headers, body }, signal);
    return typeof answer.body === 'string' ? answer.body : '';
  }

  /** What Berth and its user would do. */
  async #settle(files: ReadonlyMap<string, string>): Promise<void> {
    const data = Object.fromEntries([...files].map(([file, pem]) => [file, base64(pem)]));
    await this.#create('secrets', { metadata: { namespace: NAMESPACE, name: 'berth-certificates' }, data });
    const defaults = {
      apiVersion: 'berth.sh/v1',
      kind: 'PodDefaults',
      metadata: { name: 'second-scheduler' },
      spec: { schedulerName: 'auto' },
    };
    this.webhook = 'unreachable';
    const profile = { role: undefined, instanceProfile: 'berth-node' };
    for (const configMap of [nodeClass('default', profile), nodePool()])
      await this.#create('configmaps', { ...configMap });
    await this.#create('configmaps', policies('defaults', JSON.stringify(defaults)));
    this.webhook = 'answers';
    await this.#create('policystatuses.berth.sh', policyStatus('nodepool.general', 'NodePool', 'general'));
  }

  async #create(resource: string, object: Fields): Promise<void> {
    const created = await this.api.create(resource, object);
    const { namespace, name } = created.metadata;
    const ref = namespace === undefined ? { name } : { namespace, name };
    if (object['status'] !== undefined)
      await this.api.change(resource, ref, (now) => ({ ...now, status: object['status'] }), {
        subresource: 'status',
      });
  }

  /** Another object of the cluster. */
  create(resource: string, object: Fields): Promise<void> {
    return this.#create(resource, object);
  }
}

export function lease(holderIdentity: string, renewedAt: number): Fields {
  const renewTime = new Date(renewedAt).toISOString().replace('Z', '000Z');
  return { holderIdentity, renewTime, acquireTime: renewTime, leaseDurationSeconds: 15, leaseTransitions: 1 };
}

export function policies(name: string, yaml: string): Fields {
  const labels = { 'berth.sh/policy': 'true' };
  return { metadata: { namespace: NAMESPACE, name, labels }, data: { 'policies.yaml': yaml } };
}

function policyStatus(name: string, kind: string, policy: string): Fields {
  const at = '2026-03-02T07:00:00Z';
  const conditions = ['Accepted', 'Ready'].map((type) => ({
    ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: at },
  }));
  return { metadata: { name }, spec: { policy: { kind, name: policy } }, status: { conditions } };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function installed(manifest: KubeManifest, files: ReadonlyMap<string, string>): KubeManifest {
  const text = JSON.stringify(manifest)
    .replace('"name":"CLUSTER_NAME","value":"REPLACE"', '"name":"CLUSTER_NAME","value":"berth-demo"')
    .replace('{"name":"LOG_LEVEL"', '{"name":"INTERRUPTION_QUEUE","value":"berth-shop"},{"name":"LOG_LEVEL"')
    .replace(/kube-scheduler:v[\d.]+/, 'kube-scheduler:v1.36.3')
    .replaceAll('"clientConfig":{', `"clientConfig":{"caBundle":"${base64(files.get('ca.crt') ?? '')}",`);
  return JSON.parse(text) as KubeManifest;
}

/** Refuses policies whose NodePool has no template, as Berth's webhook does. */
function reviewed(request: Fields): unknown {
  const { object, uid } = request as { readonly object: Fields; readonly uid: string };
  const isBad =
    JSON.stringify(object).includes('berth-doctor') &&
    JSON.stringify(object).includes('"berth.sh/policy":"true"');
  const status = { code: 422, reason: 'Invalid', message: 'ConfigMap berth-doctor has an error' };
  return {
    ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
    response: { uid, allowed: !isBad, ...(isBad && { status }) },
  };
}
