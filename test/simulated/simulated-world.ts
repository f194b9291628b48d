/** The simulated backend of scenarios: a whole world and Berth in this process, on virtual time and a seed. */
import { JSON_PATCH, KubeClient } from '../../src/adapters/kube/transport/index.js';
import { staticConnection } from '../support/static-connection.js';
import { KubeObjects } from '../../world/demo/manifests/kube-objects.js';
import { ownManifests } from '../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../src/app/process-io.js';
import { verdictAnnotations } from '../../src/domain/records/proposal.js';
import { seededRandom } from '../../world/seeded-random.js';
import { AwsSimulator } from '../../world/aws/aws-simulator.js';
import { withCondition } from '../../world/cluster/conditions.js';
import type { Node } from '../../world/cluster/objects.js';
import type { AwsSimulatorOptions } from '../../world/aws/aws-simulator-options.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { SimulatedApi } from '../../world/kubernetes/simulated-api.js';
import type { KubeObject } from '../../world/kubernetes/objects/kube-object.js';
import { World as Actors, type WorldOptions } from '../../world/world.js';
import { resizePatch } from '../scenario/objects.js';
import {
  seenClaim,
  seenDecision,
  seenEvent,
  seenNode,
  seenPod,
  seenPolicy,
  seenRequest,
} from '../scenario/seen.js';
import type {
  Manifest,
  NodeConditionChange,
  ObjectName,
  SeenClaim,
  SeenDecision,
  SeenEvent,
  SeenInstance,
  SeenNode,
  SeenPlan,
  SeenPod,
  SeenPolicy,
  SeenRequest,
  World,
} from '../scenario/world.js';
import { recordingLogger, type RecordingLogger } from '../support/recording-logger.js';
import { InProcessBerth, type InProcessBerthOptions } from './in-process-berth.js';
import type { Catalogue } from '../../src/clouds/aws/catalogue/index.js';
import type { WireHandler } from '../../world/wire/wire.js';
import { REGION, smallRegion } from './small-region.js';
import { wireSend } from './wire-send.js';

/** Parsed once: every world applies them. */
const OWN_MANIFESTS = ownManifests('manifests', NODE_FILES) as readonly Manifest[];
const LOOK_MILLIS = 500;
/** Scenarios are patient in the time of a world whose instances boot in a second or two; here they take most of a minute. */
const PATIENCE = 10;

export interface SimulatedWorldOptions {
  readonly seed?: number;
  /** Milliseconds since 1970; the start of 2026, a Thursday, unless given. */
  readonly start?: number;
  readonly aws?: Partial<AwsSimulatorOptions>;
  readonly actors?: Pick<WorldOptions, 'kubeletPlan'>;
  /** What EC2 sells; the small region unless given. */
  readonly catalogue?: Catalogue;
  /** Around what answers Berth's requests to the API server. */
  readonly around?: (handler: WireHandler) => WireHandler;
  /** Berth's own flags. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly onRequest?: InProcessBerthOptions['onRequest'];
}

export class SimulatedWorld implements World {
  readonly clock: VirtualClock;
  readonly api: SimulatedApi;
  readonly aws: AwsSimulator;
  readonly actors: Actors;
  readonly catalogue: Catalogue;
  /** Of the user of the cluster. */
  readonly client: KubeClient;
  readonly log: RecordingLogger = recordingLogger();
  readonly #options: SimulatedWorldOptions;
  readonly #objects: KubeObjects;
  readonly #plans = new Map<string, string[]>();
  #berth: InProcessBerth | undefined;
  #replicas = 0;

  private constructor(options: SimulatedWorldOptions) {
    const { seed = 1, start, aws, actors, catalogue = smallRegion() } = options;
    this.#options = options;
    this.clock = new VirtualClock({ start });
    const { clock } = this;
    this.catalogue = catalogue;
    this.api = new SimulatedApi({
      clock,
      random: seededRandom(seed),
      callWebhook: ({ client, review }) => this.berth.ask(client.service?.path ?? '/', review),
    });
    // Prices stand still, as planned: what moves is a scenario's to say.
    const usual = { catalogue, region: REGION, spotPriceMovement: 0 };
    this.aws = new AwsSimulator({ clock, random: seededRandom(seed + 1), ...usual, ...aws });
    this.actors = new Actors({
      clock,
      random: seededRandom(seed + 2),
      api: this.api,
      cloud: this.aws,
      catalogue,
      callExtender: (verb, args) => this.berth.ask(`/scheduler/${verb}`, args),
      ...actors,
    });
    this.client = new KubeClient({
      connection: staticConnection({ server: 'http://127.0.0.1:1' }),
      clock,
      userAgent: 'scenario',
      qps: 1e6,
      burst: 1e6,
      send: wireSend(this.api.handle, clock),
    });
    this.#objects = new KubeObjects(this.client);
    this.#remember();
  }

  /** With Berth's manifests applied and Berth leading. */
  static async start(options: SimulatedWorldOptions = {}): Promise<SimulatedWorld> {
    const world = new SimulatedWorld(options);
    world.actors.start();
    await world.apply(OWN_MANIFESTS);
    world.startBerth();
    await world.until('Berth leads', () => Promise.resolve(world.#isLed()), 6);
    return world;
  }

  get cloud(): AwsSimulator {
    return this.aws;
  }

  /** The replica that runs. */
  get berth(): InProcessBerth {
    if (this.#berth === undefined) throw new Error('connection refused: Berth does not run');
    return this.#berth;
  }

  /** Another replica; with other flags than those of the world, where they are given. */
  startBerth(flags = this.#options.flags): void {
    const { clock, api, aws, log } = this;
    const { seed = 1, onRequest, around = (handler) => handler } = this.#options;
    this.#replicas++;
    this.#berth = new InProcessBerth({
      ...{ clock, aws, logger: log.logger },
      api: { handle: around(api.handle) },
      random: seededRandom(seed + 100 + this.#replicas),
      identity: `berth-${String(this.#replicas)}`,
      ...(flags && { flags }),
      ...(onRequest && { onRequest }),
    });
  }

  /** As SIGTERM does; nobody answers then until another is started. */
  async stopBerth(): Promise<void> {
    const berth = this.berth;
    this.#berth = undefined;
    await this.clock.runUntil(trueAfter(berth.stop()), { limitMillis: 60_000 });
  }

  /** Everything ends; the world's trace and objects can still be looked at. */
  async close(): Promise<void> {
    if (this.#berth !== undefined) await this.stopBerth();
    this.actors.stop();
    this.aws.close();
  }

  async apply(manifests: readonly Manifest[]): Promise<void> {
    const signal = new AbortController().signal;
    for (const manifest of manifests) await this.#objects.apply(manifest, signal);
  }

  async remove({ kind, namespace = 'default', name }: ObjectName): Promise<void> {
    const { resource, isNamespaced } = RESOURCES[kind] ?? unknownKind(kind);
    await this.api.delete(resource, isNamespaced ? { namespace, name } : { name });
  }

  async scale({ kind, namespace = 'default', name }: ObjectName, replicas: number): Promise<void> {
    const apiVersion = kind === 'PolicyStatus' ? 'berth.sh/v1' : 'apps/v1';
    await this.#objects.scale({ apiVersion, kind, metadata: { namespace, name } }, replicas);
  }

  async setNodeCondition(name: string, condition: NodeConditionChange): Promise<void> {
    const change = (node: KubeObject): KubeObject => {
      const { status = {} } = node as Node;
      const conditions = withCondition(status.conditions, condition, this.now());
      return { ...node, status: { ...status, conditions } };
    };
    await this.api.change('nodes', { name }, change, { subresource: 'status' });
  }

  async resize(
    { namespace, name }: Pick<SeenPod, 'namespace' | 'name'>,
    requests: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.client.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${name}/resize`,
      body: resizePatch(requests),
      contentType: JSON_PATCH,
    });
  }

  pods(): Promise<readonly SeenPod[]> {
    return this.#list('pods', seenPod);
  }

  nodes(): Promise<readonly SeenNode[]> {
    return this.#list('nodes', seenNode);
  }

  claims(): Promise<readonly SeenClaim[]> {
    return this.#list('nodeclaims.berth.sh', seenClaim);
  }

  decisions(): Promise<readonly SeenDecision[]> {
    return this.#list('decisions.berth.sh', seenDecision);
  }

  decide(verdict: 'approve' | 'reject', name: string): Promise<void> {
    const said = verdictAnnotations({
      verdict: verdict === 'approve' ? 'approved' : 'rejected',
      by: 'scenario',
      reason: '',
    });
    const metadata = { name, annotations: said };
    return this.apply([{ apiVersion: 'berth.sh/v1', kind: 'Decision', metadata }]);
  }

  policies(): Promise<readonly SeenPolicy[]> {
    return this.#list('policystatuses.berth.sh', seenPolicy);
  }

  events(): Promise<readonly SeenEvent[]> {
    return this.#list('events', seenEvent);
  }

  requests(): Promise<readonly SeenRequest[]> {
    return this.#list('provisioningrequests.autoscaling.x-k8s.io', seenRequest);
  }

  instances(): readonly SeenInstance[] {
    return this.aws.instances();
  }

  plans(): Promise<ReadonlyMap<string, SeenPlan>> {
    return Promise.resolve(new Map([...this.#plans].map(([uid, targets]) => [uid, { targets }])));
  }

  setStock(pool: Parameters<World['setStock']>[0], instances: number): void {
    this.aws.setStock(pool as Parameters<AwsSimulator['setStock']>[0], instances);
  }

  now(): number {
    return this.clock.now();
  }

  async quietFor(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  async until<T>(what: string, look: () => Promise<T | undefined | false>, seconds: number): Promise<T> {
    const end = this.clock.monotonic() + seconds * PATIENCE * 1000;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (this.clock.monotonic() >= end)
        throw new Error(`not within ${String(seconds * PATIENCE)} virtual seconds: ${what}`);
      await this.clock.advance(LOOK_MILLIS);
    }
  }

  #isLed(): boolean {
    const lease = this.api.get('leases.coordination.k8s.io', { namespace: 'berth-system', name: 'berth' });
    return (
      ((lease?.['spec'] as { readonly holderIdentity?: string } | undefined)?.holderIdentity ?? '') !== ''
    );
  }

  #list<Seen>(resource: string, seen: (raw: never) => Seen): Promise<readonly Seen[]> {
    return Promise.resolve(this.api.list(resource).map((object) => seen(object as never)));
  }

  /** Reservations vanish once their pods are bound. */
  #remember(): void {
    let isFollowed = false;
    this.api.watch('customresourcedefinitions.apiextensions.k8s.io', ({ object }) => {
      if (isFollowed || object.metadata.name !== 'reservations.berth.sh') return;
      isFollowed = true;
      this.api.watch('reservations.berth.sh', (event) => {
        if (event.type !== 'DELETED') this.#note(event.object);
      });
    });
  }

  #note({ spec }: KubeObject): void {
    const { target, entries } = spec as {
      readonly target: { readonly kind: string; readonly name: string };
      readonly entries: readonly { readonly podUID?: string }[];
    };
    const name = `${target.kind}/${target.name}`;
    for (const { podUID } of entries) {
      if (podUID === undefined) continue;
      const targets = this.#plans.get(podUID) ?? [];
      if (targets.at(-1) !== name) targets.push(name);
      this.#plans.set(podUID, targets);
    }
  }
}

const RESOURCES: Readonly<Record<string, { readonly resource: string; readonly isNamespaced: boolean }>> = {
  Pod: { resource: 'pods', isNamespaced: true },
  Deployment: { resource: 'deployments.apps', isNamespaced: true },
  StatefulSet: { resource: 'statefulsets.apps', isNamespaced: true },
  ConfigMap: { resource: 'configmaps', isNamespaced: true },
  Node: { resource: 'nodes', isNamespaced: false },
  NodeClaim: { resource: 'nodeclaims.berth.sh', isNamespaced: false },
};

function unknownKind(kind: string): never {
  throw new Error(`scenarios remove no ${kind}: expected one of ${Object.keys(RESOURCES).join(', ')}`);
}

/** A condition that comes true once the promise has settled. */
function trueAfter(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  void promise.finally(() => {
    isSettled = true;
  });
  return () => isSettled;
}
