/**
 * Reboots the instances of claims for which repair has decided it: the node is tainted and drained, the cloud asked, and the node
 * waited for. What is done is written to the claim before the next step, so that the next leader continues a reboot and asks the
 * cloud for no second one. What fails becomes a replacement. Steps and times are Karpenter's.
 */
import {
  currentReboot,
  REBOOTING_TAINT,
  rebootOperation,
  withRebootChange,
  type ClaimReboot,
} from '../../../domain/nodes/claim-reboot.js';
import { instanceID, type NodeClaim } from '../../../domain/nodes/node-claim.js';
import { INITIALIZED } from '../../../domain/values/labels.js';
import { hasTaint } from '../../../domain/values/taint.js';
import type { Cloud } from '../../../ports/cloud.js';
import type { KubeWriter } from '../../../ports/kube-writer.js';
import type { Logger } from '../../../ports/logger.js';
import { PortError } from '../../../ports/port-error.js';
import { WorkQueue, type Requeue } from '../../../runtime/concurrency/work-queue.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { isLeaving } from '../../../state/nodes/node-state.js';
import type { UnavailableOfferings } from '../../../state/nodes/unavailable-offerings.js';
import { ClusterWriter } from '../../cluster-writer.js';
import { PAUSE_LOOK_MILLIS, type Safeguards } from '../../safeguards/safeguards.js';
import { whileObserving } from '../../while-observing.js';
import { withConditions } from '../claim-conditions.js';
import { DEFAULT_LIFECYCLE_SETTINGS } from '../lifecycle-context.js';
import { Drainer, type DrainContext } from '../termination/drain.js';
import { RebootEnds, type RebootStep } from './reboot-ends.js';

export interface RebootControllerOptions extends Omit<DrainContext, 'writer' | 'settings'> {
  readonly kube: KubeWriter;
  readonly cloud: Pick<Cloud, 'reboot'>;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'shiftedZones'>;
  readonly safeguards: Pick<Safeguards, 'isPaused'>;
  readonly logger: Logger;
}

const CLAIMS_AT_ONCE = 10;
/** Even a node without pods is drained for so long: one may have been bound to it just before it was tainted. */
const LEAST_DRAIN_MILLIS = 5000;
/** So long after it was first asked the cloud must have accepted. */
const ACCEPT_MILLIS = 300_000;
/** Between two tries of that, */
const ASK_MILLIS = 10_000;
/** and where it is not known what came of the first: the instance may be booting, and would boot twice. */
const UNKNOWN_MILLIS = 120_000;
/** So long after that the node must be up again. */
const RECOVERY_MILLIS = 1_200_000;
/** Between two looks at a node that boots, while no change of it is seen. */
const LOOK_MILLIS = 15_000;

export class RebootController {
  readonly #options: RebootControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #drainer: Drainer;
  readonly #ends: RebootEnds;
  readonly #queue: WorkQueue;
  /** Reboots that the cloud accepted while that is not written to the claim yet. */
  readonly #accepted = new Set<string>();
  /** Reboot → when the cloud is asked next, in milliseconds since 1970; none where another process asked before. */
  readonly #nextAsk = new Map<string, number>();

  constructor(options: RebootControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    const context = { ...options, writer: this.#writer, settings: DEFAULT_LIFECYCLE_SETTINGS };
    this.#drainer = new Drainer(context);
    this.#ends = new RebootEnds(context);
    this.#queue = new WorkQueue({
      ...options,
      name: 'nodeclaim.reboot',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: CLAIMS_AT_ONCE,
      timeoutMillis: 60_000,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: ['NodeClaim', 'Node', 'Pod'], signal, subscribe }, () => {
      for (const claim of cluster.nodeClaims.values()) this.#add(claim);
      return this.#queue.run(signal);
    });
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.nodeClaims.subscribe(({ before, after }) => {
        this.#add(after);
        if (before !== undefined && after === undefined) this.#drainer.forget(before);
      }),
      cluster.nodes.subscribe(({ key }) => {
        this.#add(cluster.claimOfNode(key));
      }),
      cluster.pods.subscribe(({ before, after }) => {
        const nodeName = (after ?? before)?.nodeName;
        if (nodeName !== undefined) this.#add(cluster.claimOfNode(nodeName));
      }),
    ];
  }

  #add(claim: NodeClaim | undefined): void {
    if (claim !== undefined && currentReboot(claim) !== undefined) this.#queue.add(claim.name);
  }

  /** One step of the reboot of the claim of this name. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster, safeguards } = this.#options;
    const claim = cluster.nodeClaims.get(name);
    const node = cluster.nodeOfClaim(name);
    const reboot = claim && currentReboot(claim);
    // One that goes meanwhile, as when its instance is taken back, is not waited for.
    if (claim === undefined || node === undefined || reboot === undefined || isLeaving(claim, node))
      return undefined;
    if (reboot.issuedAt !== undefined) return this.#await({ claim, node, reboot }, signal);
    if (safeguards.isPaused()) return { requeueAfterMillis: PAUSE_LOOK_MILLIS };
    if (reboot.askedAt === undefined) return this.#drain({ claim, node, reboot }, signal);
    return this.#ask({ claim, node, reboot }, { askedAt: reboot.askedAt }, signal);
  }

  /** No pod is deleted: those that are left when the bound is over go down with the instance. */
  async #drain({ claim, node, reboot }: RebootStep, signal: AbortSignal): Promise<Requeue | undefined> {
    const { clock } = this.#options;
    if (!hasTaint(node.taints, REBOOTING_TAINT)) {
      await this.#writer.patchNode(node, { taints: { add: [REBOOTING_TAINT] } }, signal);
      return { requeueAfterMillis: 1 };
    }
    const now = clock.now();
    const end = reboot.requestedAt + drainMillis(claim, reboot);
    if (now < end) {
      const terms = { reason: 'Rebooting', deadline: undefined, taint: REBOOTING_TAINT };
      const progress = await this.#drainer.drain(claim, node, terms, signal);
      const least = Math.min(end, reboot.requestedAt + LEAST_DRAIN_MILLIS) - clock.now();
      if (progress.kind === 'draining')
        return { requeueAfterMillis: Math.max(1, Math.min(progress.requeueAfterMillis, end - now)) };
      if (least > 0) return { requeueAfterMillis: least };
    }
    this.#drainer.forget(claim);
    const asked = { askedAt: clock.now(), bootID: node.bootID };
    this.#nextAsk.set(rebootOperation(claim, { ...reboot, ...asked }), asked.askedAt);
    await this.#writer.updateStatus(claim, { reboots: withRebootChange(claim, asked) }, signal);
    return { requeueAfterMillis: 1 };
  }

  async #ask(
    step: RebootStep,
    { askedAt }: { readonly askedAt: number },
    signal: AbortSignal,
  ): Promise<Requeue> {
    const { cloud, clock } = this.#options;
    const { claim, node, reboot } = step;
    // An answer may have been lost.
    if (node.bootID !== reboot.bootID) return this.#issued(step, signal);
    const operation = rebootOperation(claim, reboot);
    const end = askedAt + ACCEPT_MILLIS;
    const wait = Math.min(this.#nextAsk.get(operation) ?? askedAt + UNKNOWN_MILLIS, end) - clock.now();
    if (wait > 0) return { requeueAfterMillis: wait };
    try {
      this.#checkZone(claim);
      if (!this.#accepted.has(operation))
        await cloud.reboot(instanceID(claim.status.providerID ?? ''), operation, signal);
      this.#accepted.add(operation);
      return await this.#issued(step, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof PortError) || error.code === 'Conflict') throw error;
      return this.#refused(step, { error, operation, end }, signal);
    }
  }

  /** What may pass is asked again until `end`, in milliseconds since 1970. */
  async #refused(
    step: RebootStep,
    {
      error,
      operation,
      end,
    }: { readonly error: PortError; readonly operation: string; readonly end: number },
    signal: AbortSignal,
  ): Promise<Requeue> {
    const { clock, logger } = this.#options;
    const now = clock.now();
    this.#nextAsk.set(operation, now + (error.code === 'TimedOut' ? UNKNOWN_MILLIS : ASK_MILLIS));
    if (FINAL.has(error.code) || now >= end) {
      this.#nextAsk.delete(operation);
      const result = error.code === 'Invalid' ? 'invalid_request' : 'provider_error';
      const why = `the cloud did not reboot the instance: ${error.message}`;
      await this.#ends.failed(step, { result, why }, signal);
    } else
      logger.warn('Failed to reboot an instance; it will be retried', { nodeClaim: step.claim.name, error });
    return { requeueAfterMillis: ASK_MILLIS };
  }

  /** A zone that traffic is moved away from, or may be, is what ails its nodes: rebooting them there does not help. */
  #checkZone({ status: { zone = '' } }: NodeClaim): void {
    const { shiftedZones } = this.#options.unavailableOfferings;
    if (shiftedZones !== undefined && !shiftedZones.has(zone)) return;
    const message =
      shiftedZones === undefined
        ? 'it is not known yet whether there is a zonal shift'
        : `the cluster is shifted away from zone ${zone}`;
    throw new PortError('Unavailable', { operation: 'reboot', message });
  }

  async #issued({ claim, reboot }: RebootStep, signal: AbortSignal): Promise<Requeue> {
    const { clock, logger } = this.#options;
    const now = clock.now();
    const conditions = withConditions(
      claim,
      [
        { type: 'Rebooting', status: 'True', reason: 'RebootIssued' },
        { type: 'Initialized', status: 'Unknown', reason: 'Rebooting', message: 'its instance was rebooted' },
      ],
      now,
    );
    const reboots = withRebootChange(claim, { issuedAt: now });
    await this.#writer.updateStatus(claim, { reboots, conditions }, signal);
    this.#accepted.delete(rebootOperation(claim, reboot));
    this.#nextAsk.delete(rebootOperation(claim, reboot));
    logger.info('Rebooting instance', { nodeClaim: claim.name, instance: claim.status.providerID });
    return { requeueAfterMillis: 1 };
  }

  async #await(step: RebootStep, signal: AbortSignal): Promise<Requeue | undefined> {
    const { clock } = this.#options;
    const { node, reboot } = step;
    if (node.labels.has(INITIALIZED)) {
      await this.#writer.patchNode(node, { labels: { [INITIALIZED]: null } }, signal);
      return { requeueAfterMillis: 1 };
    }
    if (node.ready && node.bootID !== reboot.bootID) {
      await this.#ends.succeeded(step, signal);
      return undefined;
    }
    const left = (reboot.issuedAt ?? 0) + RECOVERY_MILLIS - clock.now();
    if (left > 0) return { requeueAfterMillis: Math.min(LOOK_MILLIS, left) };
    const why = node.bootID === reboot.bootID ? 'its boot ID is the same' : 'it is not Ready';
    const minutes = String(RECOVERY_MILLIS / 60_000);
    const failure = `the node did not come back within ${minutes} minutes of the reboot: ${why}`;
    await this.#ends.failed(step, { result: 'recovery_timeout', why: failure }, signal);
    return undefined;
  }
}

/** What asking again does not change. */
const FINAL: ReadonlySet<string> = new Set(['Forbidden', 'Invalid', 'NotFound']);

/** The shorter bound of the repair policy and the claim; Infinity for none. */
function drainMillis({ spec }: NodeClaim, { terminationGracePeriodSeconds }: ClaimReboot): number {
  const own = spec.terminationGracePeriodSeconds ?? Infinity;
  return Math.min(own, terminationGracePeriodSeconds ?? Infinity) * 1000;
}
