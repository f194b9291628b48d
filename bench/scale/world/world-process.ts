/**
 * The rest of the measured world, in a process of its own: AWS at the wire, the nodes and claims that are there before, and the
 * kubelets of instances that come up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { CPU, MEMORY } from '../../../src/domain/values/resources.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import type { SimulatedInstance } from '../../../world/aws/ec2/instances/instance.js';
import { CLUSTER_NAME, QUEUE_NAME, REGION } from '../../../world/demo/embedded/embedded-region.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { serveWire } from '../../../world/wire/serve-wire.js';
import type { WireHandler } from '../../../world/wire/wire.js';
import type { NeutralNode } from '../../workloads/workload.js';
import { CLUSTER_CA, clusterObjects, POOL, type ApiObject, type ClusterKind } from './cluster-objects.js';
import { halfFullCluster } from './half-full-cluster.js';
import { fingerprints, newNode, oldClaim, oldNode, type NodeSource } from './node-objects.js';
import {
  evenInstances,
  seedInstances,
  type SeededInstance,
  type WantedInstance,
} from './seeded-instances.js';

export interface WorldRequest {
  /** `http://127.0.0.1:40123`, of the synthetic API server. */
  readonly apiURL: string;
  readonly kind: ClusterKind;
  /** Nodes that are there, and what share of them their pods take where the cluster is a full one. */
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly share: number;
  /** From a launch until the node is Ready, and from the end of an instance until it is terminated. */
  readonly bootSeconds: number;
}

/** One CreateFleet that launched something. */
export interface Launch {
  /** When it was asked for, in milliseconds since 1970. */
  readonly at: number;
  readonly instances: number;
}

/** Its first message, and the answer to any that it receives. */
export type WorldReply =
  | { readonly awsURL: string; readonly nodeNames: readonly string[] }
  | { readonly launches: readonly Launch[] };

/** Of a node's memory, pods ask for less than of its CPU. */
const MEMORY_SHARE = 0.8;
/** EC2's, on what a fleet launched. */
const FLEET_TAG = 'aws:ec2:fleet-id';
/** EventBridge's rule for the states of instances (manifests/aws). */
const STATE_RULE = 'instance-state-change';
const POLL_MILLIS = 50;
const OBJECTS_AT_ONCE = 500;
const MEBIBYTE = 2 ** 20;
/** What the DaemonSets take of each node. */
const AGENT_MILLICPU = 200;
const AGENT_MEBIBYTES = 256;

/** Serves until the parent lets go. */
export async function runWorld(request: WorldRequest): Promise<void> {
  const world = new World(request);
  await world.seed();
  const { url } = await serveWire(world.handle);
  reply({ awsURL: url, nodeNames: world.nodeNames });
  process.on('message', () => {
    reply({ launches: world.launches });
  });
}

function reply(answer: WorldReply): void {
  process.send?.(answer);
}

class World {
  nodeNames: readonly string[] = [];
  readonly #request: WorldRequest;
  readonly #catalogue = catalogueFor(REGION);
  readonly #aws: AwsSimulator;
  /** From a launch until the instance runs, in milliseconds; nothing while instances are made that are there before. */
  readonly #booting = { from: 0, to: 0 };
  /** Fleet → what it launched. */
  readonly #launches = new Map<string, Launch>();

  constructor(request: WorldRequest) {
    this.#request = request;
    const endMillis = request.bootSeconds * 1000;
    this.#aws = new AwsSimulator({
      clock: systemClock,
      random: seededRandom(1),
      catalogue: this.#catalogue,
      region: REGION,
      clusterName: CLUSTER_NAME,
      certificateAuthority: CLUSTER_CA,
      queueName: QUEUE_NAME,
      pendingMillis: this.#booting,
      shutdownMillis: { from: endMillis, to: endMillis },
      spotPriceMovement: 0,
      // An account with raised limits: what is measured is Berth.
      limits: false,
    });
  }

  /** What the cluster has before anything is measured. */
  async seed(): Promise<void> {
    const { kind } = this.#request;
    for (const [collection, objects] of clusterObjects(kind)) await this.#put(collection, objects);
    const { nodes, podsPerNode } = this.#request;
    const old = kind === 'full' ? undefined : halfFullCluster(this.#catalogue, { nodes, podsPerNode }).nodes;
    const wanted = old?.map(({ nodePool: pool, ...each }) => ({ ...each, pool }));
    const seeded = await this.#seedInstances(wanted ?? evenInstances(this.#catalogue, nodes, POOL));
    const source = this.#source();
    const pools = [...new Set(seeded.map(({ pool }) => pool))];
    const annotations = new Map(pools.map((pool) => [pool, fingerprints(kind, pool)]));
    const claims = seeded.map((each) =>
      oldClaim({ ...each, kind, annotations: annotations.get(each.pool) ?? new Map(), now: source.now }),
    );
    await this.#put('apis/berth.sh/v1/nodeclaims', claims);
    await this.#put(
      'api/v1/nodes',
      seeded.map((each) => oldNode(source, each)),
    );
    const loads = seeded.map((each, index) => this.#load(each, old?.[index]));
    if (loads.length > 0) await this.#post('pods', JSON.stringify(loads));
    this.nodeNames = seeded.map(({ instance }) => instance.privateDnsName);
    const known = new Set(seeded.map(({ instance }) => instance.id));
    this.#aws.onInstance((instance) => {
      if (instance.state === 'pending') this.#count(instance);
      if (instance.state === 'running' && !known.has(instance.id)) void this.#join(instance);
    });
  }

  /** Instances that have run for long: the queue has no message of them. */
  async #seedInstances(wanted: readonly WantedInstance[]): Promise<readonly SeededInstance[]> {
    const { eventRules } = this.#aws;
    eventRules.enable(STATE_RULE, false);
    const seeded = await seedInstances(this.#aws, this.#catalogue, wanted);
    while (this.#aws.instances().some(({ state }) => state === 'pending')) await sleep(POLL_MILLIS);
    eventRules.enable(STATE_RULE, true);
    this.#booting.from = this.#booting.to = this.#request.bootSeconds * 1000;
    return seeded;
  }

  get handle(): WireHandler {
    return this.#aws.handle;
  }

  get launches(): readonly Launch[] {
    return [...this.#launches.values()];
  }

  #count({ tags, launchedAt }: SimulatedInstance): void {
    const fleet = tags.get(FLEET_TAG) ?? '';
    const { at, instances } = this.#launches.get(fleet) ?? { at: launchedAt, instances: 0 };
    this.#launches.set(fleet, { at, instances: instances + 1 });
  }

  #source(): NodeSource {
    return { catalogue: this.#catalogue, region: REGION, now: Date.now() };
  }

  #load({ instance, type }: SeededInstance, old: NeutralNode | undefined): object {
    const { share, podsPerNode } = this.#request;
    if (old !== undefined) return { node: instance.privateDnsName, ...loadOf(old) };
    return {
      node: instance.privateDnsName,
      pods: podsPerNode,
      milliCPU: Math.floor(share * ((type.allocatable.get(CPU) ?? 0) - AGENT_MILLICPU)),
      mebibytes: Math.floor(
        share * MEMORY_SHARE * ((type.allocatable.get(MEMORY) ?? 0) / MEBIBYTE - AGENT_MEBIBYTES),
      ),
    };
  }

  async #join(instance: SimulatedInstance): Promise<void> {
    await this.#put('api/v1/nodes', [newNode(this.#source(), instance)]);
  }

  async #put(collection: string, objects: readonly ApiObject[]): Promise<void> {
    for (let from = 0; from < objects.length; from += OBJECTS_AT_ONCE) {
      const lines = objects.slice(from, from + OBJECTS_AT_ONCE).map((object) => JSON.stringify(object));
      await this.#post(`objects?collection=${collection}`, lines.join('\n'));
    }
  }

  async #post(path: string, body: string): Promise<void> {
    const answer = await fetch(`${this.#request.apiURL}/bench/${path}`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

/** The pods of a node are the replicas of one ReplicaSet, as they are equal. */
function loadOf({ name, pods }: NeutralNode): object {
  const { length } = pods;
  const requests = pods[0]?.requests ?? {};
  return {
    owner: name.replace('node', 'app'),
    pods: length,
    milliCPU: length * Number.parseInt(requests['cpu'] ?? '0'),
    mebibytes: length * Number.parseInt(requests['memory'] ?? '0'),
  };
}
