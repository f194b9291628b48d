/**
 * Takes nodes away that cost more than they earn, or have to go: looks at the cluster again and again, and has what is decided
 * carried out, each command by itself.
 */
import { isTrue } from '../../domain/values/condition.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { isProposal, type ProposedDecision } from '../../domain/records/decision.js';
import { METHODS } from '../../planning/disrupt/methods.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import { PortError } from '../../ports/port-error.js';
import { withDeadline } from '../../runtime/time/deadline.js';
import { INTERRUPTED, Mutex } from '../../runtime/concurrency/mutex.js';
import type { Change } from '../../state/cluster/store.js';
import { isNewsForPlanning } from '../../state/planning/node-news.js';
import { ClaimsInWork } from '../claims-in-work.js';
import { ClusterWriter } from '../cluster-writer.js';
import { Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';
import { commandOf, type Command } from './commands/command.js';
import { isApproved, type DisruptionApprovals } from './commands/disruption-approvals.js';
import { CommandRun } from './commands/command-run.js';
import {
  Deliberation,
  type Deliberated,
  type DeliberationOptions,
  tellRefusals,
} from './passes/deliberation.js';
import { measure } from './passes/disruption-gauges.js';
import { OwnMoves } from './passes/own-moves.js';
import {
  DEFAULT_DISRUPTION_SETTINGS,
  type DisruptionContext,
  type DisruptionSettings,
} from './passes/disruption-context.js';
import { Cooldown } from './commands/cooldown.js';
import { unfinished, type Unfinished } from './commands/unfinished.js';
import { deviceKinds, PLANNED_KINDS } from '../../state/planning/plan-input.js';

export interface DisruptionControllerOptions
  extends
    Omit<DeliberationOptions, 'context' | 'proposed' | 'ownMoves'>,
    Omit<DisruptionContext, 'writer' | 'settings' | 'mutex' | 'safeguards' | 'claimsInWork'> {
  /** Its own, with the default limits, unless they are shared. */
  readonly safeguards?: Safeguards | undefined;
  readonly kube: KubeWriter;
  readonly mutex?: Mutex | undefined;
  readonly claimsInWork?: ClaimsInWork | undefined;
  readonly settings?: Partial<DisruptionSettings> | undefined;
  /** Without it no disruption waits for approval. */
  readonly approvals?: DisruptionApprovals | undefined;
  /** Receives the names of the claims whose nodes should empty out, the first first, after each look. */
  readonly onEmptying?: ((claims: readonly string[]) => void) | undefined;
}

const KINDS: readonly ObservedKind[] = [
  ...PLANNED_KINDS,
  'Workload',
  'PodDisruptionBudget',
  'HorizontalPodAutoscaler',
  'CapacityBuffer',
];
/**
 * While nothing changes, only windows and rests end: those are looked for so often. So are the reasons why nodes stay, and what
 * is measured, while no node can go whatever changes about pods.
 */
const IDLE_MILLIS = 60_000;
/** A look at the cluster that takes longer is given up. */
const LOOK_TIMEOUT_MILLIS = 120_000;
/** A look that gives way to a batch begins again after it; one that did so this often is finished first. */
const MOST_INTERRUPTIONS = 2;
/** A command, from its mark until its claims are deleted, beyond what its replacements may take. */
const COMMAND_MILLIS = 300_000;

export class DisruptionController {
  readonly #context: DisruptionContext;
  readonly #deliberation: Deliberation;
  readonly #cooldown: Cooldown;
  readonly #ownMoves: OwnMoves;
  readonly #onEmptying: DisruptionControllerOptions['onEmptying'];
  readonly #approvals: DisruptionApprovals | undefined;
  readonly #buffers: DisruptionControllerOptions['buffers'];
  /** Names of claims whose command is being carried out. */
  readonly #running = new Map<string, Promise<void>>();
  /** Something cannot wait for the next look. */
  #isUrgent = false;
  #wake: () => void = () => undefined;
  /** Something that decides about nodes has changed since the last look. */
  #hasChanged = true;
  /** When the last look ended that found nothing to do, monotonic; undefined after any other. */
  #idleSince: number | undefined;
  /** When the last look ended, monotonic. */
  #lookedAt = -Infinity;

  constructor({
    kube,
    settings,
    mutex = new Mutex(),
    onEmptying,
    approvals,
    ...options
  }: DisruptionControllerOptions) {
    this.#onEmptying = onEmptying;
    this.#approvals = approvals;
    this.#buffers = options.buffers;
    const { safeguards = new Safeguards(options), claimsInWork = new ClaimsInWork() } = options;
    this.#context = {
      ...options,
      safeguards,
      claimsInWork,
      mutex,
      writer: new ClusterWriter({ kube, cluster: options.cluster }),
      settings: { ...DEFAULT_DISRUPTION_SETTINGS, ...settings },
    };
    this.#ownMoves = new OwnMoves(options.clock);
    this.#deliberation = new Deliberation({
      ...options,
      ownMoves: this.#ownMoves,
      context: this.#context,
      ...(approvals && { proposed: () => approvals.proposed() }),
    });
    this.#cooldown = new Cooldown(options.clock, this.#context.settings);
  }

  /** Until the signal is aborted, and what is being carried out has noticed. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#context;
    const changed = (): void => {
      this.#hasChanged = true;
    };
    const subscribe = (): readonly (() => void)[] => [
      ...this.#ownMoves.follow(cluster),
      cluster.pods.subscribe(changed),
      cluster.nodes.subscribe((change) => {
        if (isNewsForPlanning(change)) changed();
      }),
      cluster.nodeClaims.subscribe(changed),
      cluster.reservations.subscribe(changed),
      cluster.podDisruptionBudgets.subscribe(changed),
      cluster.capacityBuffers.subscribe(changed),
      cluster.policyConfigMaps.subscribe(changed),
      cluster.policyStatuses.subscribe(changed),
      cluster.decisions.subscribe(({ before, after }) => {
        const decision = after ?? before;
        if (this.#approvals !== undefined && decision !== undefined && isProposal(decision)) changed();
      }),
      cluster.nodeClaims.subscribe((change) => {
        if (!isUrgent(change)) return;
        this.#isUrgent = true;
        this.#wake();
      }),
    ];
    const approved: readonly ObservedKind[] = this.#approvals === undefined ? [] : ['Decision'];
    const kinds = [...KINDS, ...deviceKinds(cluster), ...approved];
    return whileObserving({ cluster, kinds, signal, subscribe }, async () => {
      await this.#buffers?.whenKnown(signal);
      while (!signal.aborted) {
        this.#isUrgent = false;
        if (!this.#isIdle()) await this.#look(signal);
        await this.#pause(signal);
      }
      await Promise.all(this.#running.values());
    });
  }

  /** Whether another look would see what the last one saw. */
  #isIdle(): boolean {
    if (this.#hasChanged || this.#idleSince === undefined) return false;
    const { clock, driftRollouts } = this.#context;
    if (driftRollouts !== undefined && driftRollouts.nextAt <= clock.now()) return false;
    return clock.monotonic() - this.#idleSince < IDLE_MILLIS;
  }

  /** One look. Never rejects. */
  async #look(signal: AbortSignal): Promise<void> {
    const { clock, logger, metrics } = this.#context;
    try {
      const deadline = {
        clock,
        millis: LOOK_TIMEOUT_MILLIS,
        signal,
        operation: 'find nodes to disrupt',
      };
      await withDeadline(deadline, (own) => this.#decide(own, signal));
    } catch (error) {
      if (signal.aborted) return;
      metrics.apiErrors.inc({
        operation: 'disrupt',
        code: error instanceof PortError ? error.code : 'Unknown',
      });
      logger.warn('Failed to plan disruption', { error });
    }
  }

  async #decide(looking: AbortSignal, running: AbortSignal): Promise<void> {
    const { cluster, clock, safeguards } = this.#context;
    if (safeguards.isPaused()) return;
    this.#hasChanged = false;
    this.#idleSince = undefined;
    for (const begun of unfinished(cluster, (name) => this.#running.has(name))) this.#carryOn(begun, running);
    const cooling = this.#cooldown.now((name) => cluster.nodeClaims.get(name) !== undefined);
    if (!this.#hasUrgent()) await this.#reviewProposals(cooling, looking, running);
    const resting = new Set([...cooling, ...(this.#approvals?.resting() ?? [])]);
    const hasLooked = clock.monotonic() - this.#lookedAt < IDLE_MILLIS;
    if (hasLooked && !(await this.#deliberation.mayFind(resting, looking))) return;
    let waiting: readonly Command[] = [];
    const deliberated = await this.#inTurn(looking, async (own) => {
      const asked = await this.#deliberation.all(resting, own);
      if (safeguards.isPaused()) return undefined;
      const commands = asked.answer.commands.map((planned) => commandOf(cluster, planned, asked));
      const { ahead, waiting: held } = this.#approvals?.sorted(commands) ?? { ahead: commands, waiting: [] };
      waiting = held;
      await Promise.all(ahead.map((command) => this.#start(command, running)));
      return asked;
    });
    if (deliberated === undefined) return;
    await this.#approvals?.propose(waiting, looking);
    this.#tell(deliberated);
  }

  /** What came of a look. */
  #tell(deliberated: Deliberated): void {
    const { clock, recorder } = this.#context;
    const { answer, picture } = deliberated;
    tellRefusals(recorder, answer.refusals, picture.claimOf);
    measure(this.#context, deliberated);
    this.#onEmptying?.(answer.emptying.flatMap((node) => picture.claimOf(node)?.name ?? []));
    this.#lookedAt = clock.monotonic();
    const { commands, cursor } = answer;
    if (commands.length === 0 && cursor === '' && this.#running.size === 0)
      this.#idleSince = clock.monotonic();
  }

  /** Whether a node cannot wait that nothing is decided about. */
  #hasUrgent(): boolean {
    for (const claim of this.#context.cluster.nodeClaims.values())
      if (isUrgent({ before: undefined, after: claim })) return true;
    return false;
  }

  /** While nothing else is planned; a batch of pods comes first, within bounds and unless a node cannot wait. */
  async #inTurn<T>(looking: AbortSignal, look: (own: AbortSignal) => Promise<T>): Promise<T> {
    const { mutex, logger } = this.#context;
    for (let interruptions = 0; interruptions < MOST_INTERRUPTIONS; interruptions++) {
      if (this.#hasUrgent()) break;
      const looked = await mutex.runInterruptibly(looking, look);
      if (looked !== INTERRUPTED) return looked;
      logger.debug('Disruption gives way to a batch of pods', { interruptions: interruptions + 1 });
    }
    return mutex.runExclusive(looking, () => look(looking));
  }

  /** Carries out what was approved, as far as it still holds, and ends proposals that do not. */
  async #reviewProposals(
    cooling: ReadonlySet<string>,
    looking: AbortSignal,
    running: AbortSignal,
  ): Promise<void> {
    const approvals = this.#approvals;
    if (approvals === undefined) return;
    for (const decision of approvals.due((name) => this.#running.has(name), cooling)) {
      const { nodeClaims } = decision.spec.proposal;
      const staying = approvals.staying(decision);
      if (nodeClaims.some((name) => cooling.has(name)) && isApproved(decision))
        await approvals.supersede(
          decision,
          'it was begun and canceled; the Decisions about its nodes have the reason',
          looking,
        );
      else if (staying.length === 0 && isApproved(decision)) await approvals.done(decision, looking);
      else if (staying.length < nodeClaims.length)
        await approvals.supersede(
          decision,
          `${String(nodeClaims.length - staying.length)} of its nodes are going or gone`,
          looking,
        );
      else await this.#review(approvals, decision, { looking, running });
    }
  }

  async #review(
    approvals: DisruptionApprovals,
    decision: ProposedDecision,
    { looking, running }: { readonly looking: AbortSignal; readonly running: AbortSignal },
  ): Promise<void> {
    const names = new Set(decision.spec.proposal.nodeClaims);
    const judged = await this.#inTurn(looking, async (own) =>
      approvals.judge(decision, await this.#deliberation.about(names, own)),
    );
    if (judged.kind === 'superseded') await approvals.supersede(decision, judged.why, looking);
    if (!isApproved(decision)) return;
    if (judged.kind === 'wait' && approvals.isLate(decision))
      await approvals.supersede(decision, `it could not be done in time: ${judged.why}`, looking);
    if (judged.kind === 'run' && !this.#context.safeguards.isPaused())
      await this.#start(judged.command, running);
  }

  /**
   * Resolves when the turn may end: when the marks are written, so that the next turn gives no room away on nodes that go, and, for
   * nodes that go whatever happens, when room for their pods is held.
   */
  async #start(command: Command, signal: AbortSignal): Promise<void> {
    if (command.claims.length === 0 || command.claims.some((name) => this.#running.has(name))) return;
    await new Promise<void>((resolve) => {
      const running = this.#carryOut(command.claims, signal, (run, own) => {
        if (command.planned.reboots === true) return run.reboot(command, own);
        return command.isForced ? run.force(command, own, resolve) : run.run(command, own, resolve);
      });
      void running.then(resolve);
    });
  }

  #carryOn(begun: Unfinished, signal: AbortSignal): void {
    this.#context.logger.info('Resuming unfinished disruption', {
      nodeClaims: begun.claims,
      replacements: begun.replacements,
      isWhole: begun.isWhole,
    });
    void this.#carryOut(begun.claims, signal, (run, own) => {
      if (begun.isWhole) return run.resume(begun, own);
      return begun.isForced ? run.again(begun, own) : run.giveUp(begun, own);
    });
  }

  /** Never rejects. */
  #carryOut(
    claims: readonly string[],
    signal: AbortSignal,
    work: (run: CommandRun, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { clock, settings, logger } = this.#context;
    const run = new CommandRun({
      context: this.#context,
      deliberation: this.#deliberation,
      cooldown: this.#cooldown,
    });
    const millis = settings.readyMillis + COMMAND_MILLIS;
    const deadline = { clock, millis, signal, operation: 'carry out disruption' };
    const running = withDeadline(deadline, (own) => work(run, own))
      .catch((error: unknown) => {
        if (!signal.aborted) logger.warn('Disruption failed; it will be retried', { claims, error });
      })
      .finally(() => {
        for (const name of claims) this.#running.delete(name);
      });
    for (const name of claims) this.#running.set(name, running);
    return running;
  }

  /** Until it is time, or something cannot wait. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.#context;
    await new Promise<void>((resolve) => {
      const stop = clock.timer(settings.pollMillis, () => {
        done();
      });
      const done = (): void => {
        stop();
        signal.removeEventListener('abort', done);
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake = done;
      if (signal.aborted || this.#isUrgent) done();
      else signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** A method that cannot wait finds it due now, and nothing is decided yet. */
function isUrgent({ before, after }: Omit<Change<NodeClaim>, 'key'>): boolean {
  if (after === undefined || after.status.disruption !== undefined) return false;
  return METHODS.some(
    (method) =>
      method.isUrgent &&
      method.condition !== undefined &&
      isTrue(after.status.conditions, method.condition.type) &&
      !isTrue(before?.status.conditions ?? [], method.condition.type),
  );
}
