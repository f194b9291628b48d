/**
 * A whole cluster with Berth in it: a real control plane with the manifests applied, instances of a simulated cloud under
 * kubelet stand-ins, and Berth's processes, of which the cloud knows nothing and which may be killed.
 */
import type { Clock } from '../../../src/ports/clock.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import type { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import { startControlPlane, type ControlPlane, type ControlPlaneOptions } from '../fixture/control-plane.js';
import { freePorts } from '../fixture/process/free-port.js';
import { StandInKubelet, type StandInKubeletOptions } from '../kubelet/stand-in-kubelet.js';
import type { HelmValues } from '../../chart/helm.js';
import { AwsBackend, CLUSTER_NAME, type NodeChange } from './aws-backend.js';
import { BerthProcess, type BerthProcessOptions } from './berth-process.js';
import { installChart, prepareForChart, shippedCommand } from './chart.js';
import { applyManifests, type ShippedOverlay } from './overlay.js';
import { PlanLedger } from './plan-ledger.js';
import {
  EXTENDER_ENTRY,
  schedulerConfiguration,
  shippedConfiguration,
  storedCertificates,
  type CertificateFiles,
} from './scheduler.js';
import type { SeenPlan } from '../../scenario/world.js';

export const NAMESPACE = 'berth-system';
const REGION = 'eu-west-3';

/**
 * L2: kube-scheduler asks the extender, and planned pods are nominated. L0: nominated only. none: neither, as with an
 * autoscaler that only launches.
 */
export type IntegrationLevel = 'L2' | 'L0' | 'none';

export interface BerthClusterOptions {
  /** L2 unless given. */
  readonly level?: IntegrationLevel;
  /** Of manifests/overlays; self-managed unless given. */
  readonly overlay?: ShippedOverlay;
  /** Installed instead of an overlay: the chart with these values, whose flags and variables Berth then runs with. */
  readonly chart?: HelmValues;
  /** File of a package that is installed in the place of charts/berth. */
  readonly chartPackage?: string;
  readonly controlPlane?: Omit<ControlPlaneOptions, 'schedulerConfiguration'>;
  /** From the launch until an instance runs; 500 to 1,000. */
  readonly bootMillis?: number;
  readonly podBehaviour?: StandInKubeletOptions['podBehaviour'];
  readonly nodeChange?: NodeChange;
  /** How far Berth's clock and AWS' are ahead of Kubernetes'; negative, since Kubernetes must not seem to be of long ago. */
  readonly clockAheadMillis?: number;
  /** Further flags of the controller. */
  readonly flags?: readonly string[];
}

export class BerthCluster {
  readonly cluster: ControlPlane;
  readonly instances: AwsBackend;
  /** Berth's. */
  readonly clock: Clock;
  readonly kubelet: StandInKubelet;
  readonly options: BerthClusterOptions;
  readonly #end: (() => Promise<void> | void)[] = [];
  readonly #webhookPort: number;
  readonly #extenderPort: number;
  #ledger: PlanLedger | undefined;
  #berth: BerthProcess | undefined;
  #started = 0;

  private constructor(
    cluster: ControlPlane,
    options: BerthClusterOptions,
    ports: { readonly webhook: number; readonly extender: number },
  ) {
    this.cluster = cluster;
    this.options = options;
    this.#webhookPort = ports.webhook;
    this.#extenderPort = ports.extender;
    const { clockAheadMillis = 0, podBehaviour } = options;
    this.clock = { ...systemClock, now: () => systemClock.now() + clockAheadMillis };
    this.instances = backendOf(options, cluster, this.clock);
    this.kubelet = new StandInKubelet({
      api: cluster.api,
      kubeletVersion: cluster.version,
      ...(podBehaviour && { podBehaviour }),
    });
  }

  /** Resolves when Berth leads, serves, and is asked by the API server and, at L2, by kube-scheduler. */
  static async start(options: BerthClusterOptions = {}): Promise<BerthCluster> {
    const [webhook = 0, extender = 0] = await freePorts(2);
    const cluster = await startControlPlane(options.controlPlane);
    const started = new BerthCluster(cluster, options, { webhook, extender });
    try {
      await started.#begin();
      return started;
    } catch (error) {
      // All of it: whatever still served or watched would keep the test run from ending.
      await started.stop().catch(() => undefined);
      throw error;
    }
  }

  get aws(): AwsSimulator {
    return this.instances.aws;
  }

  /** The controller that runs now. */
  get berth(): BerthProcess {
    if (this.#berth === undefined) throw new Error('Berth does not run');
    return this.#berth;
  }

  /** Where each pod was planned until now, by its uid. */
  plans(): Promise<ReadonlyMap<string, SeenPlan>> {
    return this.#ledger?.plans() ?? Promise.resolve(new Map());
  }

  /** The node of a plan's target, also when its claim is gone. */
  nodeOf(target: string): string | undefined {
    return this.#ledger?.nodeOf(target);
  }

  /** How many pods' filter calls kube-scheduler went on without: it waits 500 ms for an answer (docs/limits.md). */
  callsIgnored(): number {
    return this.cluster.schedulers.reduce((sum, scheduler) => sum + scheduler.callsIgnored(), 0);
  }

  /** Where kube-scheduler asks. */
  get extenderUrl(): string {
    return `https://127.0.0.1:${String(this.#extenderPort)}`;
  }

  /** Where the API server asks. */
  get webhookUrl(): string {
    return `https://127.0.0.1:${String(this.#webhookPort)}`;
  }

  /** The chart's values here: the simulated cloud's, the test's own, and these. */
  chartValues(values: Readonly<Record<string, string>> = {}): HelmValues {
    const { set, values: own } = this.options.chart ?? {};
    return {
      ...(set !== undefined && { set }),
      values: {
        'settings.clusterName': CLUSTER_NAME,
        'settings.interruptionQueue': CLUSTER_NAME,
        'settings.region': REGION,
        'controller.extraArgs[0]': `--aws-endpoint=${this.instances.url}`,
        'controller.extraArgs[1]': '--local-certificates=yes',
        'webhook.url': this.webhookUrl,
        ...own,
        ...values,
      },
    };
  }

  /** What Berth made for its servers and for kube-scheduler. */
  certificates(): Promise<CertificateFiles> {
    return storedCertificates(this.cluster, NAMESPACE);
  }

  /** Starts the controller, again if it was killed, and waits until it is ready. */
  async startBerth(): Promise<BerthProcess> {
    this.#berth = await this.#process(`berth-${String(++this.#started)}`, {
      webhookPort: this.#webhookPort,
      extenderPort: this.#extenderPort,
    });
    await this.#berth.ready();
    return this.#berth;
  }

  /** Another replica, on ports of its own. */
  startReplica(name: string): Promise<BerthProcess> {
    return this.#process(name, {});
  }

  /** A process with some of the roles only, under an account of its own. */
  async startRoles(name: string, roles: string): Promise<BerthProcess> {
    const account = { namespace: NAMESPACE, name: `berth-${roles}` };
    return BerthProcess.start({
      name,
      command: 'controller',
      kubeconfig: await this.cluster.serviceAccountKubeconfig(account),
      cluster: this.cluster,
      flags: ['--roles', roles],
    });
  }

  /** `berth extender`, as the sidecar is, under the account of this name. */
  async startExtender(name: string, accountName = 'berth-extender'): Promise<BerthProcess> {
    const account = { namespace: NAMESPACE, name: accountName };
    const process = await BerthProcess.start({
      name,
      command: 'extender',
      kubeconfig: await this.cluster.serviceAccountKubeconfig(account),
      cluster: this.cluster,
    });
    await process.ready();
    return process;
  }

  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of [...this.#end, () => this.kubelet.stop(), () => this.cluster.stop()]) {
      await Promise.resolve(end()).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'The cluster did not end cleanly');
  }

  async #begin(): Promise<void> {
    this.#end.push(await this.instances.serve(this.kubelet));
    const { level, overlay = 'self-managed', chart } = this.options;
    if (chart === undefined) await applyManifests(this.cluster, overlay, { webhooks: this.webhookUrl });
    else {
      await prepareForChart(this.cluster, this.kubelet);
      await installChart(this.cluster, this.chartValues(), this.options.chartPackage);
    }
    this.#ledger = new PlanLedger(this.cluster);
    const ledger = this.#ledger;
    this.#end.push(() => ledger.stop());
    await this.startBerth();
    if (level === 'L0' || level === 'none') return;
    const shipped =
      chart && (await shippedConfiguration(this.cluster, { namespace: NAMESPACE, name: EXTENDER_ENTRY }));
    const certificates = await this.certificates();
    await this.cluster.restartScheduler(schedulerConfiguration(this.extenderUrl, certificates, shipped));
  }

  async #process(
    name: string,
    ports: Pick<BerthProcessOptions, 'webhookPort' | 'extenderPort'>,
  ): Promise<BerthProcess> {
    const account = { namespace: NAMESPACE, name: 'berth-controller' };
    const { chart, clockAheadMillis } = this.options;
    const command = chart ? await shippedCommand(this.cluster) : { flags: this.#ownFlags(), env: {} };
    return BerthProcess.start({
      name,
      command: 'controller',
      kubeconfig: await this.cluster.serviceAccountKubeconfig(account),
      cluster: this.cluster,
      clockAheadMillis,
      ...ports,
      ...command,
    });
  }

  #ownFlags(): readonly string[] {
    return [
      ...['--region', REGION, ...this.instances.flags],
      ...['--local-certificates', 'yes', '--nominate', this.options.level === 'none' ? 'no' : 'yes'],
      ...(this.options.flags ?? []),
    ];
  }
}

function backendOf(
  { bootMillis, nodeChange }: BerthClusterOptions,
  { version }: ControlPlane,
  clock: Clock,
): AwsBackend {
  const kubernetesVersion = /\d+\.\d+/.exec(version)?.[0] ?? '';
  return new AwsBackend({ region: REGION, clock, kubernetesVersion, bootMillis, nodeChange });
}
