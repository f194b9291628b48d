/** The simulated AWS at the wire as a cluster's instances: Berth reaches it through the SDK, and nodes join as their userData says. */
import { catalogueFor, type Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import type { Clock } from '../../../src/ports/clock.js';
import { systemRandom } from '../../../src/runtime/process/system-random.js';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import type { SimulatedInstance } from '../../../world/aws/ec2/instances/instance.js';
import { instanceOffer, nodeObject } from '../../../world/kubelet/node-object.js';
import { readUserData } from '../../../world/kubelet/user-data.js';
import { serveWire } from '../../../world/wire/serve-wire.js';
import type { SeenInstance, World } from '../../scenario/world.js';
import type { Quantities, StandInNodeOptions } from '../kubelet/node-options.js';
import type { Taint } from '../fixture/api/kube-object.js';
import type { StandInKubelet } from '../kubelet/stand-in-kubelet.js';

/** What a test may change of an instance's node before it registers: delays, failures, other labels. */
export type NodeChange = (node: StandInNodeOptions) => Partial<StandInNodeOptions>;

export interface AwsBackendOptions {
  readonly region: string;
  /** Berth's and AWS'. */
  readonly clock: Clock;
  /** `1.36`, of the cluster that instances join. */
  readonly kubernetesVersion: string;
  /** From the launch until an instance runs; 500 to 1,000. */
  readonly bootMillis?: number | undefined;
  readonly nodeChange?: NodeChange | undefined;
}

/** Of the cluster, and of its queue. */
export const CLUSTER_NAME = 'berth-demo';
/** An instance is a node within 1 to 2 s. */
const PENDING = { from: 500, to: 1000 };
const SHUTDOWN = { from: 500, to: 1500 };
const EVENT = { from: 100, to: 500 };
const REGISTER_MILLIS = 300;
const READY_MILLIS = 300;

export class AwsBackend {
  readonly aws: AwsSimulator;
  readonly #options: AwsBackendOptions;
  readonly #catalogue: Catalogue;
  /** Names of nodes whose instances run. */
  readonly #up = new Set<string>();
  #url = '';

  constructor(options: AwsBackendOptions) {
    const { region, clock, kubernetesVersion, bootMillis } = options;
    this.#options = options;
    this.#catalogue = catalogueFor(region);
    this.aws = new AwsSimulator({
      ...{ clock, random: systemRandom, catalogue: this.#catalogue, region, kubernetesVersion },
      clusterName: CLUSTER_NAME,
      queueName: CLUSTER_NAME,
      pendingMillis: bootMillis === undefined ? PENDING : { from: bootMillis, to: bootMillis },
      shutdownMillis: SHUTDOWN,
      eventMillis: EVENT,
      // What is paid is what was planned.
      spotPriceMovement: 0,
    });
  }

  /** Where it is served since `serve`. */
  get url(): string {
    return this.#url;
  }

  /** Flags of the controller that name it. */
  get flags(): readonly string[] {
    const named = { 'cluster-name': CLUSTER_NAME, 'interruption-queue': CLUSTER_NAME };
    const own = { cloud: 'aws', 'aws-endpoint': this.#url, ...named };
    return Object.entries(own).flatMap(([name, value]) => [`--${name}`, value]);
  }

  /** Listens on loopback, and has instances bring their nodes up and down under the kubelet; answers what ends both. */
  async serve(kubelet: StandInKubelet): Promise<() => Promise<void>> {
    const unfollow = this.aws.onInstance((instance) => {
      this.#follow(kubelet, instance);
    });
    const unfollowReboots = this.aws.onReboot((instance, isUp) => {
      this.#followReboot(kubelet, instance, isUp);
    });
    const served = await serveWire(this.aws.handle);
    this.#url = served.url;
    return async () => {
      unfollow();
      unfollowReboots();
      this.aws.close();
      await served.close();
    };
  }

  /** All instances, ended ones too. */
  instances(): readonly SeenInstance[] {
    return this.aws.instances();
  }

  setStock(pool: Parameters<World['setStock']>[0], instances: number): void {
    this.aws.setStock(pool as Parameters<AwsSimulator['setStock']>[0], instances);
  }

  #follow(kubelet: StandInKubelet, instance: SimulatedInstance): void {
    const { privateDnsName: name, state } = instance;
    if (state === 'running') {
      this.#up.add(name);
      const node = this.#nodeOf(instance);
      kubelet.addNode({ ...node, ...this.#options.nodeChange?.(node) });
    } else if (state !== 'pending' && this.#up.delete(name)) {
      // Its node may be deleted by now, and its kubelet with it.
      void kubelet.terminate(name).catch(() => undefined);
    }
  }

  #followReboot(
    kubelet: StandInKubelet,
    { privateDnsName: name, id, boots }: SimulatedInstance,
    isUp: boolean,
  ): void {
    if (!this.#up.has(name)) return;
    if (isUp) void kubelet.bootAgain(name, `${id}-${String(boots)}`).catch(() => undefined);
    else kubelet.silence(name);
  }

  #nodeOf(instance: SimulatedInstance): StandInNodeOptions {
    const { region, clock } = this.#options;
    const registration = readUserData(instance.userData);
    const offer = instanceOffer(this.#catalogue, instance, registration);
    const node = nodeObject({ instance, registration, region, offer, now: clock.now() });
    const { labels } = node.metadata;
    const { providerID, taints } = node['spec'] as { readonly providerID: string; readonly taints?: Taint[] };
    const { capacity, allocatable } = offer.full ?? offer.own;
    return {
      ...{ name: instance.privateDnsName, providerID },
      ...(labels && { labels }),
      ...(taints && { taints }),
      capacity: capacity as Quantities,
      allocatable: allocatable as Quantities,
      bootMillis: REGISTER_MILLIS,
      readyMillis: READY_MILLIS,
    };
  }
}
