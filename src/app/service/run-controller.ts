/** The process `berth controller`: what its roles need is started in order, and ended in the reverse one. */
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  HeldPlanner,
  plannerMemoryMiB,
  type ProcessMemory,
  QuarantiningPlanner,
  WorkerPlanner,
} from '../../adapters/planner/index.js';
import { kubeWriter } from '../../adapters/kube/writer/kube-writer.js';
import { CertificatesController } from '../../controllers/certificates/certificates-controller.js';
import { LEADER_LEASE } from '../../domain/records/lease.js';
import { hasCode } from '../../ports/port-error.js';
import { LeaderElection } from '../../runtime/leadership/leader-election.js';
import { leaseTiming } from '../../runtime/leadership/lease-claim.js';
import { certificateProbe, syncProbe } from '../../servers/health/probe.js';
import { keepCertificates } from '../../servers/tls/keep-certificates.js';
import { isLoopback } from './options/address.js';
import { createBase, openOutside, sharedSignal, type Base } from './base.js';
import { permits } from './permits.js';
import { plannedCluster, runLoops, type LoopsOptions } from './loops.js';
import { completeCloudOptions, makeCloud } from './make-cloud.js';
import type { ServiceOptions } from './options/service-options.js';
import { Servers, type Certificates } from './servers.js';
import { watchedKinds } from './watched-kinds.js';

export interface ServiceContext {
  readonly version: string;
  /** Aborted when the process is to end. */
  readonly signal: AbortSignal;
  /** The program's own module, for its threads. */
  readonly entry: URL;
}

/** Resolves when everything has ended after the signal; rejects when something broke that the process cannot go on without. */
export async function runController(given: ServiceOptions, context: ServiceContext): Promise<void> {
  const options = given.roles.includes('loops') ? await completeCloudOptions(given) : given;
  const signal = sharedSignal(context.signal);
  const { version, entry } = context;
  const outside = await openOutside(options);
  const base = createBase({ options, version, kinds: watchedKinds(options), outside, entry });
  // The first policy is in force without waiting for its thread to load the program.
  if (base.kinds.includes('PolicyConfigMap')) base.policyReaders.watched?.start();
  const servers = new Servers(base);
  // Servers answer from what is watched until the last of them has ended.
  const watching = new AbortController();
  const watched = base.feed.run(sharedSignal(watching.signal));
  base.logger.info('starting', {
    version,
    roles: options.roles,
    identity: options.identity,
  });
  try {
    const { logThreshold } = outside;
    const { adminAddress } = options;
    if (adminAddress !== undefined && logThreshold !== undefined)
      await servers.serveAdmin(adminAddress, logThreshold);
    await runRoles(base, servers, { ...context, signal });
  } finally {
    await servers.close();
    watching.abort();
    await watched;
    await base.policyReaders.close();
    base.client.close();
    base.logger.info('ended');
  }
}

async function runRoles(base: Base, servers: Servers, { signal, entry }: ServiceContext): Promise<void> {
  const { options, clock, wall, random, logger, metrics, client } = base;
  const { namespace, identity, roles } = options;
  const writer = kubeWriter({ client, namespace, reportingInstance: identity });
  const election = new LeaderElection({
    store: writer,
    name: LEADER_LEASE,
    identity,
    clock,
    random,
    logger,
    metrics,
    timing: leaseTiming(options.leaseDurationMillis),
  });
  const material = new Material(servers);
  await servers.serveHealth(probes(base, material));
  if (roles.includes('metrics')) await servers.serveMetrics();
  if (roles.includes('dashboard')) await servePage(base, servers, signal);
  const working = [collectOnceSynced(base, signal)];
  const isLeader = (): boolean => election.isLeader();
  const permitted = permits(base, isLeader);
  const kube = kubeWriter({ client, namespace, reportingInstance: identity, permit: permitted.kube });
  if (needsCertificates(options)) {
    const certificates = new CertificatesController({
      ...{ store: writer, events: writer, clock: wall, random, logger, metrics, namespace },
      local: options.localCertificates,
      isLeader,
      keep: keepCertificates,
      onMaterial: material.take,
    });
    working.push(certificates.run(signal));
  }
  const cloudSource = roles.includes('loops')
    ? await makeCloud(base, { nodeWriter: kube, permit: permitted.cloud, refuse: base.guard.cloud })
    : undefined;
  if (cloudSource !== undefined)
    working.push(election.run(signal, (own) => lead(base, { kube, cloudSource, entry, isLeader }, own)));
  working.push(serveRoles(base, servers, material, signal));
  try {
    await Promise.all([...working, ended(signal)]);
  } finally {
    cloudSource?.close();
  }
}

/**
 * Of what the first lists were made of, a good part is garbage that V8 leaves until the heap has grown by another half. The planner's
 * copy of the cluster needs that memory now, and this replica has not answered kube-scheduler from what it knows yet.
 */
async function collectOnceSynced({ cluster, kinds }: Base, signal: AbortSignal): Promise<void> {
  try {
    await cluster.whenSynced(kinds, signal);
  } catch (error) {
    if (!hasCode(error, 'Cancelled')) throw error;
    return;
  }
  collectGarbage();
}

/**
 * Collects all garbage of this thread. Nothing else runs meanwhile, for 0.7 ms for each MiB that is in use: to be called where no
 * client waits yet.
 */
export function collectGarbage(): void {
  // V8's own function, which only contexts get that are made after the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}

/** Pods get their nodes even if the dashboard cannot be served. */
async function servePage({ options, logger }: Base, servers: Servers, signal: AbortSignal): Promise<void> {
  try {
    await servers.serveDashboard(options.dashboardAddress, signal);
  } catch (error) {
    logger.warn('Failed to serve the dashboard', { error });
  }
}

function processMemory(): ProcessMemory {
  const mainHeap = getHeapStatistics().heap_size_limit;
  return { constrained: process.constrainedMemory(), total: totalmem(), mainHeap };
}

/** Each term has a planner of its own: a thread that ends with it. */
async function lead(
  base: Base,
  { entry, ...loops }: Pick<LoopsOptions, 'kube' | 'cloudSource' | 'isLeader'> & { readonly entry: URL },
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger, options } = base;
  const planned = plannedCluster(base);
  const memoryMiB = options.plannerMemoryMiB ?? plannerMemoryMiB(processMemory());
  const deadlineMillis = options.planTimeoutMillis;
  const planner = new QuarantiningPlanner({
    planner: new WorkerPlanner({ entry, cluster: planned, deadlineMillis, memoryMiB, clock, logger }),
    clock,
    logger,
  });
  try {
    const held = new HeldPlanner(planner, base.holdTime);
    await runLoops({ ...loops, base, planned, planner: held }, signal);
  } finally {
    await planner.close();
  }
}

/** Webhooks and extender are served as soon as there are certificates for them. */
async function serveRoles(
  base: Base,
  servers: Servers,
  material: Material,
  signal: AbortSignal,
): Promise<void> {
  const { options } = base;
  const served = ['webhooks', 'extender'].some((role) => options.roles.some((own) => own === role));
  if (!served) return;
  const first = needsCertificates(options) ? await material.first(signal) : undefined;
  if (signal.aborted) return;
  if (options.roles.includes('webhooks') && first !== undefined) await servers.serveWebhooks(first);
  if (options.roles.includes('extender')) await servers.serveExtender(first);
  material.isServed = true;
}

/** Plain HTTP is enough for an extender on loopback, when this process has no webhooks. */
function needsCertificates({ roles, extenderAddress }: ServiceOptions): boolean {
  return roles.includes('webhooks') || (roles.includes('extender') && !isLoopback(extenderAddress));
}

function probes(base: Base, material: Material): Parameters<Servers['serveHealth']>[0] {
  const synced = syncProbe(base.cluster, base.kinds);
  const files = needsCertificates(base.options) ? ['webhook.crt', 'extender.crt'] : [];
  const certificates = certificateProbe({
    files: () => material.current,
    certificates: files,
    clock: base.wall,
  });
  return [synced, certificates];
}

/** The certificates as they are now, for servers that wait for the first and follow later ones. */
class Material {
  current: Certificates | undefined;
  /** From when on changes are passed on. */
  isServed = false;
  readonly #servers: Servers;
  #arrived: () => void = () => undefined;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  readonly take = (certificates: Certificates): void => {
    this.current = certificates;
    this.#arrived();
    if (this.isServed) this.#servers.changeCertificates(certificates);
  };

  /** undefined when the signal is aborted before. */
  async first(signal: AbortSignal): Promise<Certificates | undefined> {
    if (this.current === undefined)
      await Promise.race([new Promise<void>((resolve) => (this.#arrived = resolve)), ended(signal)]);
    return this.current;
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
