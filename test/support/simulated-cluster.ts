/** A simulated cluster in virtual time: the API server, the actors, and a cloud in which instances start at once. */
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import { VirtualClock } from './virtual-clock.js';
import { SimulatedApi } from '../../world/kubernetes/simulated-api.js';
import type { KubeObject, NewObject } from '../../world/kubernetes/objects/kube-object.js';
import { World, type WorldOptions } from '../../world/world.js';
import type { InstanceSource, SimulatedInstance } from '../../world/cluster/instance-source.js';
import { seededRandom } from '../../world/seeded-random.js';

export interface SimulatedClusterOptions extends Partial<
  Omit<WorldOptions, 'clock' | 'random' | 'api' | 'cloud'>
> {
  readonly seed?: number;
}

/** Takes a while to make, and never changes. */
const CATALOGUE = catalogueFor('eu-west-3');

class ManualInstances implements InstanceSource {
  readonly #instances = new Map<string, SimulatedInstance>();
  readonly #listeners = new Set<(instance: SimulatedInstance) => void>();

  instances(): readonly SimulatedInstance[] {
    return [...this.#instances.values()];
  }

  onInstance(listener: (instance: SimulatedInstance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** None reboots. */
  onReboot(): () => void {
    return () => undefined;
  }

  put(instance: SimulatedInstance): void {
    this.#instances.set(instance.id, instance);
    for (const listener of this.#listeners) listener(instance);
  }

  end(id: string): void {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw new Error(`no instance ${id}`);
    this.put({ ...instance, state: 'shutting-down' });
    this.put({ ...instance, state: 'terminated' });
  }
}

/** NodeConfig userData with these labels and taints. */
export function nodeConfig(labels: Readonly<Record<string, string>>, taints: readonly string[] = []): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [
    'apiVersion: node.eks.aws/v1alpha1',
    'kind: NodeConfig',
    'spec:',
    '  kubelet:',
    '    flags:',
    `      - "--node-labels=${pairs.join(',')}"`,
    `      - "--register-with-taints=${taints.join(',')}"`,
  ].join('\n');
}

export class SimulatedCluster {
  readonly clock = new VirtualClock();
  readonly instances = new ManualInstances();
  readonly api: SimulatedApi;
  readonly world: World;
  #count = 0;

  constructor({ seed = 1, ...options }: SimulatedClusterOptions = {}) {
    const random = seededRandom(seed);
    this.api = new SimulatedApi({ clock: this.clock, random });
    this.world = new World({
      clock: this.clock,
      random,
      api: this.api,
      cloud: this.instances,
      catalogue: CATALOGUE,
      ...options,
    });
    this.world.start();
  }

  /** An instance that runs from now on, m7i.xlarge in eu-west-3a unless told otherwise; answers the name of its node. */
  addInstance(instance: Partial<SimulatedInstance> = {}): string {
    const index = ++this.#count;
    const privateIP = `10.0.${String(index >> 8)}.${String(index & 255)}`;
    const full: SimulatedInstance = {
      id: `i-${index.toString(16).padStart(17, '0')}`,
      instanceType: 'm7i.xlarge',
      zone: 'eu-west-3a',
      capacityType: 'on-demand',
      imageID: 'ami-1',
      state: 'running',
      launchedAt: this.clock.now(),
      privateDnsName: `ip-${privateIP.replaceAll('.', '-')}.eu-west-3.compute.internal`,
      privateIP,
      userData: nodeConfig({}),
      efaInterfaces: 0,
      tags: new Map(),
      boots: 0,
      ...instance,
    };
    this.instances.put(full);
    return full.privateDnsName;
  }

  /** Instances whose nodes are Ready. */
  async addNodes(...instances: readonly Partial<SimulatedInstance>[]): Promise<readonly string[]> {
    const names = instances.map((instance) => this.addInstance(instance));
    await this.until('nodes are Ready', () => names.every((name) => this.isNodeReady(name)), 90);
    return names;
  }

  isNodeReady(name: string): boolean {
    const node = this.api.get('nodes', { name });
    const taints = (node?.['spec'] as { readonly taints?: readonly { readonly key: string }[] } | undefined)
      ?.taints;
    return (
      conditionOf(node, 'Ready')?.['status'] === 'True' &&
      !(taints ?? []).some(({ key }) => key.endsWith('/not-ready'))
    );
  }

  create(resource: string, object: NewObject): Promise<KubeObject> {
    return this.api.create(resource, object);
  }

  /** Lets time pass until it holds. @throws Error saying what does not, with the end of the trace. */
  async until(what: string, holds: () => boolean, seconds: number): Promise<void> {
    if (await this.clock.runUntil(holds, { limitMillis: seconds * 1000 })) return;
    const lines = this.world.trace.lines.slice(-30).join('\n');
    throw new Error(`not within ${String(seconds)} s: ${what}\n${lines}`);
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  pods(app?: string): readonly SeenPod[] {
    const pods = this.api.list('pods') as unknown as readonly SeenPod[];
    return app === undefined ? pods : pods.filter(({ metadata }) => metadata.labels?.['app'] === app);
  }

  pod(name: string, namespace = 'default'): SeenPod | undefined {
    return this.api.get('pods', { namespace, name }) as unknown as SeenPod | undefined;
  }
}

export interface SeenPod {
  readonly metadata: KubeObject['metadata'];
  readonly spec: { readonly nodeName?: string; readonly [field: string]: unknown };
  readonly status: {
    readonly phase?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly Readonly<Record<string, string>>[];
    readonly [field: string]: unknown;
  };
}

export function conditionOf(
  object: Readonly<Record<string, unknown>> | undefined,
  type: string,
): Readonly<Record<string, string>> | undefined {
  const status = object?.['status'] as SeenPod['status'] | undefined;
  return status?.conditions?.find((condition) => condition['type'] === type);
}

export function isPodReady(pod: SeenPod): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined && conditionOf({ ...pod }, 'Ready')?.['status'] === 'True'
  );
}

/** What a pod or a pod template holds: one container with these requests. */
export function podSpec(
  requests: Readonly<Record<string, string>> = { cpu: '500m', memory: '512Mi' },
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { containers: [{ name: 'main', image: 'example.berth.sh/app', resources: { requests } }], ...more };
}

export function deployment(
  name: string,
  replicas: number,
  spec: Readonly<Record<string, unknown>> = podSpec(),
): NewObject {
  const labels = { app: name };
  return {
    metadata: { namespace: 'default', name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
