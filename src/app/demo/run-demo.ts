/** The demo from its start to its summary: a world, Berth beside it, and what happens between them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeFeed } from '../../adapters/kube/feed/index.js';
import { KubeClient, KubeconfigSource } from '../../adapters/kube/transport/index.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Plan } from '../../planning/plan.js';
import { ScaledClock } from '../../runtime/scaled-clock.js';
import { seededRandom } from '../../runtime/seeded-random.js';
import { Cluster } from '../../state/cluster.js';
import type { Style } from '../cli/render/style.js';
import { Account } from './account.js';
import { BerthProcess } from './berth-process.js';
import { berthArguments } from './berth-arguments.js';
import { demoAddresses, type DemoAddresses } from './demo-addresses.js';
import { CLUSTER_NAME } from './embedded-region.js';
import { startEmbeddedWorld, type EmbeddedWorld } from './embedded-world.js';
import { kubeconfigText } from './kubeconfig-text.js';
import { KubeObjects, type KubeManifest } from './kube-objects.js';
import type { Stage, StageContext } from './stage.js';
import { endState } from './stages/end-state.js';
import { INTERRUPT_SPOT } from './stages/interrupt-spot.js';
import { placeExamples, type ExampleFolder } from './stages/place-examples.js';
import { ROLL_OUT_IMAGE } from './stages/roll-out-image.js';
import { SCALE_DOWN } from './stages/scale-down.js';
import { missedFindings, summaryLines, type StageResult } from './summary.js';

export interface DemoOptions {
  /** How many times as fast as the clock on the wall the world's time runs. */
  readonly speed: number;
  readonly seed: number;
  /** Where the kubeconfig and Berth's log go. */
  readonly directory: string;
  /** `dist/berth.js`. */
  readonly program: string;
  readonly own: readonly KubeManifest[];
  readonly examples: readonly ExampleFolder[];
  /** What `berth plan` says of the examples. */
  readonly plan: Plan;
  readonly wall: Clock;
  readonly logger: Logger;
  readonly style: Style;
  readonly version: string;
  readonly write: (line: string) => void;
}

/** The world began so long ago by the wall's clock, so that its timestamps are not in kubectl's future for about an hour. */
const HEAD_START_MILLIS = 12 * 3600 * 1000;
const LOOK_MILLIS = 100;
const WATCHED: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'NodeClaim',
  'Reservation',
  'Decision',
  'PolicyConfigMap',
  'PolicyStatus',
  'Lease',
];

export class Demo {
  readonly #options: DemoOptions;
  readonly #clock: Clock;
  readonly #epoch: number;
  readonly #life = new AbortController();
  readonly #closers: (() => Promise<void> | void)[] = [];

  constructor(options: DemoOptions) {
    const { wall, speed } = options;
    this.#options = options;
    // The moment at which the world's time and the wall's are the same.
    this.#epoch = Math.round(wall.now() + HEAD_START_MILLIS / Math.max(speed - 1, 1));
    this.#clock = new ScaledClock({ clock: wall, speed, epochMillis: this.#epoch });
  }

  /** Everything up to the summary. Answers whether all that was expected happened. */
  async run(): Promise<boolean> {
    const { write, style } = this.#options;
    const addresses = await demoAddresses();
    const world = await this.#startWorld(addresses);
    const { cluster, objects } = this.#watch();
    this.#startBerth(addresses, world);
    this.#tellWhere(addresses, world);
    const account = new Account({ cluster, clock: this.#clock, wall: this.#options.wall, write });
    this.#closers.push(() => {
      account.stop();
    });
    const context = this.#context(cluster, objects, world, account);
    await this.#ready(context);
    const results: StageResult[] = [];
    for (const stage of this.#stages()) results.push(await this.#runStage(stage, context, account));
    results.push({ name: 'end', findings: endState(context), millis: 0 });
    account.flush();
    write('');
    for (const line of summaryLines(results, style)) write(line);
    return missedFindings(results).length === 0;
  }

  async close(): Promise<void> {
    this.#life.abort();
    for (const close of this.#closers.reverse()) await close();
  }

  #stages(): readonly Stage[] {
    const { examples, plan } = this.#options;
    return [placeExamples(examples, plan), SCALE_DOWN, ROLL_OUT_IMAGE, INTERRUPT_SPOT];
  }

  async #runStage(stage: Stage, context: StageContext, account: Account): Promise<StageResult> {
    const { write, style } = this.#options;
    account.flush();
    write('');
    write(style.bold(`${stage.name}: ${stage.announcement}`));
    const startedAt = this.#clock.monotonic();
    const findings = await stage.run(context);
    return { name: stage.name, findings, millis: this.#clock.monotonic() - startedAt };
  }

  async #startWorld(addresses: DemoAddresses): Promise<EmbeddedWorld> {
    const { directory, seed, wall } = this.#options;
    mkdirSync(directory, { recursive: true });
    const world = await startEmbeddedWorld({ clock: this.#clock, wall, seed, addresses });
    this.#closers.push(() => world.close());
    writeFileSync(this.#kubeconfig, kubeconfigText(world.kubernetesURL), { mode: 0o600 });
    return world;
  }

  #startBerth(addresses: DemoAddresses, world: EmbeddedWorld): void {
    const { program, directory, wall, speed, write } = this.#options;
    const berth = new BerthProcess({
      program,
      args: berthArguments({
        addresses,
        kubeconfig: this.#kubeconfig,
        awsURL: world.awsURL,
        virtualTime: `${String(speed)}@${String(this.#epoch)}`,
      }),
      logFile: join(directory, 'berth.log'),
      wall,
      ended: (how) => {
        write(`Berth ended (${how}) and is started again; its machines and its plans are still there`);
      },
    });
    berth.start();
    this.#closers.push(() => berth.stop());
  }

  #watch(): { readonly cluster: Cluster; readonly objects: KubeObjects } {
    const { wall, logger, seed, version } = this.#options;
    const connection = new KubeconfigSource({ clock: wall, file: this.#kubeconfig, context: undefined });
    const client = new KubeClient({
      connection,
      clock: wall,
      userAgent: `berth-demo/${version}`,
      qps: 200,
      burst: 400,
    });
    const cluster = new Cluster();
    const feed = kubeFeed({
      client,
      feed: cluster,
      kinds: WATCHED,
      namespace: 'berth-system',
      clock: wall,
      random: seededRandom(seed),
      logger,
    });
    const watching = feed.run(this.#life.signal);
    this.#closers.push(async () => {
      await watching;
      client.close();
    });
    return { cluster, objects: new KubeObjects(client) };
  }

  #context(cluster: Cluster, objects: KubeObjects, world: EmbeddedWorld, account: Account): StageContext {
    return {
      cluster,
      objects,
      levers: world.levers,
      clock: this.#clock,
      say: (verb, text) => {
        account.say(verb, text);
      },
      until: (seconds, look) => this.#until(seconds, look),
      signal: this.#life.signal,
    };
  }

  /** Berth's own manifests are applied, and it leads. */
  async #ready({ cluster, objects, until, say }: StageContext): Promise<void> {
    const { own } = this.#options;
    for (const manifest of own) await objects.apply(manifest, this.#life.signal);
    say(
      'apply',
      'manifests/overlays/self-managed, without its Deployments: Berth runs as a process beside the world',
    );
    const leads = await until(300, () => [...cluster.leases.values()].some(({ holder }) => holder !== ''));
    if (!leads) throw new Error(`Berth did not come up; its log is ${this.#options.directory}/berth.log`);
  }

  async #until(seconds: number, look: () => boolean): Promise<boolean> {
    const end = this.#clock.monotonic() + seconds * 1000;
    while (!look()) {
      if (this.#clock.monotonic() >= end) return false;
      await this.#options.wall.sleep(LOOK_MILLIS, this.#life.signal);
    }
    return true;
  }

  #tellWhere(addresses: DemoAddresses, world: EmbeddedWorld): void {
    const { write, speed, style } = this.#options;
    write(style.bold(`A cluster named ${CLUSTER_NAME}, imagined in this process, and Berth beside it`));
    write(`  page      http://${addresses.dashboard.host}:${String(addresses.dashboard.port)}/`);
    write(
      `  kubectl   kubectl --kubeconfig ${this.#kubeconfig} get nodes    (API at ${world.kubernetesURL})`,
    );
    write(`  log       ${join(this.#options.directory, 'berth.log')}`);
    write(
      `  time      ${String(speed)} times as fast as the clock on the wall; times below are the world's, in minutes and seconds`,
    );
  }

  get #kubeconfig(): string {
    return join(this.#options.directory, 'kubeconfig');
  }
}
