/** The demo from its start to its summary: a world, Berth beside it, and what happens between them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeFeed } from '../../src/adapters/kube/feed/kube-feed.js';
import { KubeClient, KubeconfigSource } from '../../src/adapters/kube/transport/index.js';
import type { ObservedKind } from '../../src/ports/cluster-feed.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Logger } from '../../src/ports/logger.js';
import type { Plan } from '../../src/planning/plan.js';
import { seededRandom } from '../seeded-random.js';
import { WorldTime } from '../clock/world-time.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import type { Style } from '../../src/app/cli/render/text/style.js';
import { Account } from './account/account.js';
import { BerthProcess } from './berth-process.js';
import { berthArguments } from './berth-arguments.js';
import { demoAddresses, type DemoAddresses } from './embedded/demo-addresses.js';
import { CLUSTER_NAME } from './embedded/embedded-region.js';
import { startEmbeddedWorld, type EmbeddedWorld } from './embedded/embedded-world.js';
import { FailureLog } from './account/failure-log.js';
import { kubeconfigText } from './embedded/kubeconfig-text.js';
import { KubeObjects, type KubeManifest } from './manifests/kube-objects.js';
import type { Stage, StageContext } from './stages/stage.js';
import { endState } from './stages/end-state.js';
import { INTERRUPT_SPOT } from './stages/interrupt-spot.js';
import { placeExamples, type ExampleFolder } from './stages/place-examples.js';
import { ROLL_OUT_IMAGE } from './stages/roll-out-image.js';
import { SCALE_DOWN } from './stages/scale-down.js';
import { missedFindings, paceLine, summaryLines, type StageResult } from './account/summary.js';

export interface DemoOptions {
  /** How many times as fast as the host's clock the world's time runs at most. */
  readonly speed: number;
  /** Whether it stays so fast after the summary; else it catches up with the host's clock and goes with it. */
  readonly staysFast: boolean;
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

/**
 * How long ago the world began, so that its time, which never gets ahead of the host's, is fast in all stages: together
 * they end within that time even if every one of them times out.
 */
const BEGAN_MILLIS_AGO = 75 * 60_000;
/** For about an hour of a fast world. */
const BEGAN_LONG_AGO = 12 * 3600 * 1000;
const LOOK_MILLIS = 250;
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
  readonly #time: WorldTime;
  readonly #failures: FailureLog;
  readonly #life = new AbortController();
  readonly #closers: (() => Promise<void> | void)[] = [];

  constructor(options: DemoOptions) {
    const { wall, speed, staysFast } = options;
    this.#options = options;
    const start = wall.now() - (staysFast ? BEGAN_LONG_AGO : BEGAN_MILLIS_AGO);
    this.#time = new WorldTime({ wall, start, speed });
    this.#failures = new FailureLog(options.write);
  }

  /** Everything up to the summary. Answers whether all that was expected happened. */
  async run(): Promise<boolean> {
    const { write, style, wall } = this.#options;
    const addresses = await demoAddresses();
    const world = await this.#startWorld(addresses);
    this.#tellWhere(addresses, world);
    const { cluster, objects } = this.#watch();
    const account = new Account({ cluster, clock: this.#time.clock, wall, write });
    this.#closers.push(() => {
      account.stop();
    });
    const context = this.#context(cluster, objects, world, account);
    await this.#ready(context, () => {
      this.#startBerth(addresses, world);
    });
    const results: StageResult[] = [];
    for (const stage of this.#stages()) results.push(await this.#runStage(stage, context, account));
    results.push({ name: 'end', findings: [...endState(context), this.#failures.finding()], millis: 0 });
    account.flush();
    write('');
    for (const line of summaryLines(results, style)) write(line);
    write(paceLine(this.#time.report(), this.#options.speed));
    return missedFindings(results).length === 0;
  }

  /** The world's time as the host's, from now on. Resolves when it is. */
  async catchUp(): Promise<void> {
    const { staysFast, write } = this.#options;
    if (staysFast) return;
    write('Simulated time catches up with real time, so that all tools show the same ages ...');
    await this.#time.catchUp(this.#life.signal);
    if (!this.#life.signal.aborted)
      write('... and follows it from now on (use berth demo --fast to keep it fast).');
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
    const { clock } = this.#time;
    const startedAt = clock.monotonic();
    const findings = await stage.run(context);
    return { name: stage.name, findings, millis: clock.monotonic() - startedAt };
  }

  async #startWorld(addresses: DemoAddresses): Promise<EmbeddedWorld> {
    const { directory, seed } = this.#options;
    mkdirSync(directory, { recursive: true });
    const world = await startEmbeddedWorld({ time: this.#time, seed, addresses });
    this.#closers.push(() => world.close());
    writeFileSync(this.#kubeconfig, kubeconfigText(world.kubernetesURL), { mode: 0o600 });
    return world;
  }

  #startBerth(addresses: DemoAddresses, world: EmbeddedWorld): void {
    const { program, directory, wall } = this.#options;
    const berth = new BerthProcess({
      program,
      args: berthArguments({
        addresses,
        kubeconfig: this.#kubeconfig,
        awsURL: world.awsURL,
      }),
      logFile: join(directory, 'berth.log'),
      clock: this.#time.clock,
      wall,
      started: (ended) => {
        void this.#time.awaitFollower('Berth to start', ended);
      },
      ended: (how) => {
        this.#failures.ended(how);
      },
      logged: (line) => {
        this.#failures.logged(line);
      },
    });
    berth.start();
    this.#closers.push(() => berth.stop());
  }

  #watch(): { readonly cluster: Cluster; readonly objects: KubeObjects } {
    const { logger, seed, version } = this.#options;
    const { clock } = this.#time;
    const connection = new KubeconfigSource({ clock, file: this.#kubeconfig, context: undefined });
    const client = new KubeClient({
      connection,
      clock,
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
      clock,
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
      clock: this.#time.clock,
      atOnce: (work) => this.#time.holds.during({ what: 'the demo', allowanceMillis: 0 }, work),
      say: (verb, text) => {
        account.say(verb, text);
      },
      until: (seconds, look) => this.#until(seconds, look),
      signal: this.#life.signal,
    };
  }

  /** Berth's own manifests are applied, Berth is started, and it leads. */
  async #ready({ cluster, objects, until, say }: StageContext, startBerth: () => void): Promise<void> {
    const { own, directory } = this.#options;
    for (const manifest of own) await objects.apply(manifest, this.#life.signal);
    say('apply', 'manifests/overlays/self-managed, without Deployments: Berth runs as a separate process');
    startBerth();
    say('start', 'Berth');
    const leads = await until(300, () => [...cluster.leases.values()].some(({ holder }) => holder !== ''));
    if (!leads) throw new Error(`Berth did not become the leader; its log is ${directory}/berth.log`);
  }

  async #until(seconds: number, look: () => boolean): Promise<boolean> {
    const { clock } = this.#time;
    const end = clock.monotonic() + seconds * 1000;
    while (!look()) {
      if (clock.monotonic() >= end) return false;
      await clock.sleep(LOOK_MILLIS, this.#life.signal);
    }
    return true;
  }

  #tellWhere(addresses: DemoAddresses, world: EmbeddedWorld): void {
    const { write, speed, style } = this.#options;
    const began = new Date(this.#time.start).toISOString().slice(11, 16);
    write(style.bold(`Simulated cluster ${CLUSTER_NAME} in this process, and Berth as a separate process`));
    write(`  dashboard http://${addresses.dashboard.host}:${String(addresses.dashboard.port)}/`);
    write(
      `  kubectl   kubectl --kubeconfig ${this.#kubeconfig} get nodes    (API at ${world.kubernetesURL})`,
    );
    write(`  log       ${join(this.#options.directory, 'berth.log')}`);
    write(
      `  time      simulated; started at ${began} UTC, up to ${String(speed)} times faster than real time; times below are simulated minutes and seconds`,
    );
  }

  get #kubeconfig(): string {
    return join(this.#options.directory, 'kubeconfig');
  }
}
