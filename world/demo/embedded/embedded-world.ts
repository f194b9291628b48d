/** The world of the demo behind its ports: a Kubernetes API for kubectl and Berth, and AWS for Berth, on one clock and one seed. */
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { seededRandom } from '../../seeded-random.js';
import { AwsSimulator } from '../../aws/aws-simulator.js';
import { serveTime } from '../../clock/serve-time.js';
import type { WorldTime } from '../../clock/world-time.js';
import { httpsWebhooks } from '../../kubernetes/admission/call-webhook.js';
import { SimulatedApi } from '../../kubernetes/simulated-api.js';
import { serveWire } from '../../wire/serve-wire.js';
import type { WireHandler } from '../../wire/wire.js';
import { World } from '../../world.js';
import { callExtender, type ExtenderCredentials } from './call-extender.js';
import { CLUSTER_NAME, QUEUE_NAME, REGION } from './embedded-region.js';
import type { DemoAddresses } from './demo-addresses.js';
import type { WorldLevers } from '../stages/world-levers.js';

export interface EmbeddedWorldOptions {
  /** Not running yet. */
  readonly time: WorldTime;
  readonly seed: number;
  readonly addresses: DemoAddresses;
  /** Put around what answers requests, to see them or to come between; nothing unless given. */
  readonly around?: ((service: 'kubernetes' | 'aws', handler: WireHandler) => WireHandler) | undefined;
}

export interface EmbeddedWorld {
  readonly kubernetesURL: string;
  readonly awsURL: string;
  readonly levers: WorldLevers;
  /** What Kubernetes has, for those who judge it from outside. */
  readonly api: SimulatedApi;
  close(): Promise<void>;
}

/** Serves it; nothing but Berth itself is missing then. */
export async function startEmbeddedWorld({
  time,
  seed,
  addresses,
  around = (_, handler) => handler,
}: EmbeddedWorldOptions): Promise<EmbeddedWorld> {
  const { clock, holds } = time;
  const catalogue = catalogueFor(REGION);
  const api = new SimulatedApi({
    clock,
    random: seededRandom(seed),
    callWebhook: httpsWebhooks({
      clock,
      holdTime: holds.during,
      resolve: ({ name }) => (name === 'berth-webhook' ? addresses.webhooks : undefined),
    }),
  });
  const aws = new AwsSimulator({
    clock,
    random: seededRandom(seed + 1),
    catalogue,
    region: REGION,
    clusterName: CLUSTER_NAME,
    queueName: QUEUE_NAME,
    // Prices stand still, so that what a plan says beforehand is what is paid.
    spotPriceMovement: 0,
  });
  const world = new World({
    clock,
    random: seededRandom(seed + 2),
    api,
    cloud: aws,
    catalogue,
    callExtender: callExtender(addresses.extender, time, () => schedulerCredentials(api)),
  });
  const kubernetes = await serveWire(around('kubernetes', api.handle), addresses.kubernetes);
  const cloud = await serveWire(around('aws', aws.handle), addresses.aws);
  const followers = await serveTime({ time, ...addresses.time });
  const life = new AbortController();
  const running = time.run(life.signal);
  world.start();
  return {
    kubernetesURL: kubernetes.url,
    awsURL: cloud.url,
    api,
    levers: {
      publishImages: () => aws.publishImage({ family: 'AL2023' }).map(({ id }) => id),
      interrupt: (id) => {
        aws.interrupt(id);
      },
      instances: () => aws.instances(),
      ...{ hurriedPods: hurriedPods(api), strandedPods: strandedPods(api, aws) },
    },
    close: async () => {
      life.abort();
      world.stop();
      await Promise.all([running, followers.close(), kubernetes.close(), cloud.close()]);
      aws.close();
    },
  };
}

/** Follows the pods from now on: those whose deletion began with a shorter grace period than their own. */
function hurriedPods(api: SimulatedApi): () => readonly string[] {
  const hurried = new Set<string>();
  api.watch('pods', ({ object: { metadata, spec }, before }) => {
    const { terminationGracePeriodSeconds = 30, nodeName } = (spec ?? {}) as PodSpec;
    const isBegun = before !== undefined && before.metadata.deletionTimestamp === undefined;
    const given = metadata.deletionGracePeriodSeconds;
    if (isBegun && given !== undefined && nodeName !== undefined && given < terminationGracePeriodSeconds)
      hurried.add(`${metadata.namespace ?? ''}/${metadata.name}`);
  });
  return () => [...hurried];
}

/** Follows the instances from now on: what is on the node of one when it stops running has not been moved in time. */
function strandedPods(api: SimulatedApi, aws: AwsSimulator): () => readonly string[] {
  const stranded = new Set<string>();
  aws.onInstance(({ id, state }) => {
    if (state === 'pending' || state === 'running') return;
    const node = api
      .list('nodes')
      .find(({ spec }) => ((spec ?? {}) as NodeSpec).providerID?.endsWith(`/${id}`) === true);
    const pods = node === undefined ? [] : api.list('pods');
    for (const pod of pods.filter(isMovable))
      if (((pod['spec'] ?? {}) as PodSpec).nodeName === node?.metadata.name)
        stranded.add(`${pod.metadata.namespace ?? ''}/${pod.metadata.name}`);
  });
  return () => [...stranded];
}

/** Neither a DaemonSet's nor finished. */
function isMovable({ metadata, status }: ReturnType<SimulatedApi['list']>[number]): boolean {
  const isOfDaemonSet = metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') === true;
  return !isOfDaemonSet && !['Succeeded', 'Failed'].includes(((status ?? {}) as PodStatus).phase ?? '');
}

interface NodeSpec {
  readonly providerID?: string;
}

interface PodStatus {
  readonly phase?: string;
}

interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly nodeName?: string;
}

/** What an administrator gives kube-scheduler: from the Secret that Berth keeps its certificates in. */
function schedulerCredentials(api: SimulatedApi): ExtenderCredentials | undefined {
  const secret = api.get('secrets', { namespace: 'berth-system', name: 'berth-certificates' });
  const data = secret?.['data'] as Readonly<Record<string, string>> | undefined;
  const [ca, cert, key] = ['ca.crt', 'scheduler.crt', 'scheduler.key'].map((name) => data?.[name]);
  if (ca === undefined || cert === undefined || key === undefined) return undefined;
  return { ca: pem(ca), cert: pem(cert), key: pem(key) };
}

function pem(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
