/**
 * A command carried out, in this order: marked and tainted, so that no pod comes to its nodes any more; validated once every
 * extender has seen that, unless its nodes go whatever the validation finds; what replaces it launched and its pods' room held;
 * and only when that is ready, its claims deleted. What does not come to that end is taken back, except where nodes go whatever
 * happens. Killed anywhere, the marks and the replacements' annotations say what was begun.
 */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import { policyStatusName } from '../../../domain/policies/policy.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { METHODS, methodOf } from '../../../planning/disrupt/methods.js';
import { drift } from '../../../planning/disrupt/methods/drift.js';
import { unhealthy } from '../../../planning/disrupt/methods/unhealthy.js';
import { hasCode } from '../../../ports/port-error.js';
import { targetState } from '../../../state/nodes/node-state.js';
import { inParallel } from '../../../runtime/concurrency/in-parallel.js';
import { countDisrupted, terminationMode } from '../../count-disrupted.js';
import { commandOf, decidedMethod, labelsOf, type Command } from './command.js';
import type { Deliberation } from '../passes/deliberation.js';
import type { DisruptionContext } from '../passes/disruption-context.js';
import { mark, requestReboots, taint, unmark } from './marks.js';
import { discard, replace, stateOf, type HeldRoom } from './replacements.js';
import type { Cooldown } from './cooldown.js';

export interface CommandRunOptions {
  readonly context: DisruptionContext;
  readonly deliberation: Deliberation;
  readonly cooldown: Cooldown;
}

/** A disruption that a process began before it ended: claims that have a mark, and what was made to replace them. */
export interface Begun {
  readonly claims: readonly string[];
  readonly replacements: readonly string[];
  readonly isForced: boolean;
  /** Their instances are about to be taken back. */
  readonly isHurried: boolean;
}

export class CommandRun {
  readonly #context: DisruptionContext;
  readonly #deliberation: Deliberation;
  readonly #cooldown: Cooldown;
  readonly #done: { claims: string[]; rooms: HeldRoom[] } = { claims: [], rooms: [] };

  constructor({ context, deliberation, cooldown }: CommandRunOptions) {
    this.#context = context;
    this.#deliberation = deliberation;
    this.#cooldown = cooldown;
  }

  /**
   * From the start. What goes wrong is taken back, or left to the next look, which finds the marks. To be called in the turn in which
   * the planner was asked; `onMarked` is called when the turn may end.
   */
  async run(command: Command, signal: AbortSignal, onMarked: () => void): Promise<void> {
    const marked = await this.#mark(command, signal);
    onMarked();
    if (marked.length === 0) return;
    await this.#orTakeBack(command, marked, signal, async () => {
      await this.#taint(marked, false, signal);
      await this.#context.clock.sleep(this.#context.settings.settleMillis, signal);
      const placed = await this.#place(command, marked, signal);
      if (placed !== undefined) await this.#finish(placed, signal);
    });
  }

  /**
   * From the start, for nodes that go whatever happens: to be called in the turn in which the planner was asked, so that the
   * room that it found is still there. `onHeld` is called when that room is held, and the turn may end.
   */
  async force(command: Command, signal: AbortSignal, onHeld: () => void): Promise<void> {
    const marked = await this.#mark(command, signal);
    if (marked.length === 0) return;
    await this.#taint(marked, true, signal);
    await this.#replace(command, signal);
    onHeld();
    await this.#finish(command, signal);
  }

  /** For nodes that do not go: all that is to be done here is to write it down. */
  async reboot(command: Command, signal: AbortSignal): Promise<void> {
    const requested = await requestReboots(this.#context, command, signal);
    if (requested.length > 0) this.#count(command, requested);
  }

  /** For claims that have the mark already and are removed in any case: as though they had just been marked. */
  async again({ claims }: Begun, signal: AbortSignal): Promise<void> {
    const { mutex, cluster } = this.#context;
    await this.#taint(claims, true, signal);
    const commands = await mutex.runExclusive(signal, async () => {
      const deliberated = await this.#deliberation.about(new Set(claims), signal);
      const found = deliberated.answer.commands.map((planned) => commandOf(cluster, planned, deliberated));
      for (const command of found) await this.#replace(command, signal);
      return found;
    });
    for (const command of commands) await this.#finish(command, signal);
    // What the planner has nothing to say about goes all the same.
    await this.#remove(claims, signal);
  }

  /** For claims whose replacements are on their way. */
  async resume(begun: Begun, signal: AbortSignal): Promise<void> {
    const { claims, isForced } = begun;
    this.#done.claims.push(...begun.replacements);
    await this.#taint(claims, isForced, signal);
    await this.#removeOnceReady(begun, signal);
  }

  /** For claims whose command cannot be gone on with. */
  async giveUp({ claims, replacements }: Begun, signal: AbortSignal): Promise<void> {
    this.#done.claims.push(...replacements);
    await this.#takeBack(claims, 'the controller restarted before it was carried out', signal);
  }

  async #mark(command: Command, signal: AbortSignal): Promise<readonly string[]> {
    const marked = await mark(this.#context, command, signal);
    if (marked.length > 0) this.#count(command, marked);
    return marked;
  }

  #count(command: Command, marked: readonly string[]): void {
    const { cluster, metrics } = this.#context;
    const labels = labelsOf(command);
    metrics.disruptionDecisions.inc(labels, marked.length);
    const pools = marked.map((name) => cluster.nodeClaims.get(name)?.spec.nodePool ?? '');
    const { terminateFirst } = command.planned;
    for (const nodepool of pools) {
      metrics.disruptionDecisionsByPool.inc({ nodepool, ...labels });
      if (terminateFirst === undefined) continue;
      const { reason } = labels;
      metrics.terminateFirstDecisions.inc({ nodepool, reason, terminate_first_reason: terminateFirst });
    }
    if (labels.consolidation_type === '') return;
    for (const nodepool of new Set(pools))
      if (isBalanced(cluster, nodepool))
        metrics.consolidationMoves.inc({ decision: 'approved', nodepool, policy: 'Balanced' });
  }

  /** Nodes that go whatever happens do not wait for a taint that cannot be written: termination writes it again. */
  async #taint(claims: readonly string[], isForced: boolean, signal: AbortSignal): Promise<void> {
    try {
      await taint(this.#context, claims, signal);
    } catch (error) {
      if (signal.aborted || !isForced) throw error;
      this.#context.logger.warn('Failed to taint nodes', { nodeClaims: claims, error });
    }
  }

  /** The replacements are deleted first: while they exist, the marks show which claims they replace. */
  async #takeBack(names: readonly string[], why: string, signal: AbortSignal): Promise<void> {
    for (const name of names) this.#cooldown.start(name);
    await discard(this.#context, this.#done, why, signal);
    await unmark(this.#context, names, why, signal);
  }

  async #orTakeBack(
    command: Command,
    marked: readonly string[],
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) throw error;
      this.#context.logger.warn('Failed to disrupt nodes', {
        reason: command.reason,
        nodeClaims: marked,
        error,
      });
      this.#context.metrics.disruptionQueueFailures.inc(labelsOf(command));
      const why = hasCode(error, 'NotFound')
        ? 'the reserved room for its pods was lost'
        : 'it could not be carried out';
      await this.#takeBack(marked, why, signal);
    }
  }

  /**
   * Looks again, now that no pods are sent to the nodes any more, and holds room for what is to move: in one turn, so that
   * the room is still there. Answers what of the command still holds.
   */
  async #place(
    command: Command,
    marked: readonly string[],
    signal: AbortSignal,
  ): Promise<Command | undefined> {
    await this.#context.safeguards.whenNotPaused(signal);
    return this.#context.mutex.runExclusive(signal, async () => {
      const there = marked.filter((name) => this.#isWaiting(name));
      const valid = await this.#validated(command, there, signal);
      if (valid !== undefined) await this.#replace(valid, signal);
      return valid;
    });
  }

  /** The command as it is decided now; claims that are no part of it any more are taken back. */
  async #validated(
    command: Command,
    there: readonly string[],
    signal: AbortSignal,
  ): Promise<Command | undefined> {
    const { cluster } = this.#context;
    const deliberated = await this.#deliberation.about(new Set(there), signal);
    const planned = deliberated.answer.commands.find(({ reason }) => reason === command.reason);
    const found = planned && commandOf(cluster, planned, deliberated);
    const valid = found !== undefined && (command.allows?.(found) ?? true) ? found : undefined;
    const kept = new Set(valid?.claims);
    const dropped = there.filter((name) => !kept.has(name));
    if (dropped.length > 0) await this.#drop(command, dropped, signal);
    return valid;
  }

  async #drop(command: Command, dropped: readonly string[], signal: AbortSignal): Promise<void> {
    const { reason, consolidation_type } = labelsOf(command);
    this.#context.metrics.disruptionFailedValidations.inc({ reason, consolidation_type }, dropped.length);
    const why =
      'validation failed: its pods, their PodDisruptionBudgets or the disruption budgets have changed';
    for (const name of dropped) this.#cooldown.start(name);
    await unmark(this.#context, dropped, why, signal);
  }

  /** Nodes that go anyhow do not wait for a better moment: what could not be held for their pods is planned as any other. */
  async #replace(command: Command, signal: AbortSignal): Promise<void> {
    const { claims, isForced, reason } = command;
    try {
      await replace(this.#context, command, this.#done, signal);
    } catch (error) {
      if (signal.aborted || !isForced) throw error;
      this.#context.logger.warn('Failed to replace nodes', { reason, nodeClaims: claims, error });
    }
  }

  async #finish(command: Command, signal: AbortSignal): Promise<void> {
    const { claims, isForced, reason } = command;
    const isHurried = methodOf(reason)?.isUrgent === true;
    if (!(await this.#removeOnceReady({ claims, isForced, isHurried }, signal)))
      this.#context.metrics.disruptionQueueFailures.inc(labelsOf(command));
  }

  /** Deletes the claims once their pods have a place, or takes the command back; answers whether they are deleted. */
  async #removeOnceReady(
    { claims, isForced, isHurried }: Omit<Begun, 'replacements'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const state = await this.#awaitReady({ claims, isForced, isHurried }, signal);
    if (state !== 'room lost') this.#noteDrift(claims, state === 'ready');
    if (state === 'ready' || isForced) {
      await this.#remove(claims, signal);
      return true;
    }
    await this.#takeBack(claims, NOT_READY[state], signal);
    return false;
  }

  /** What became of replacements of drifted nodes: their pools wait after one that failed. */
  #noteDrift(names: readonly string[], isReady: boolean): void {
    const { cluster, driftRollouts } = this.#context;
    if (driftRollouts === undefined || this.#done.claims.length === 0) return;
    const claims = names.flatMap((name) => cluster.nodeClaims.get(name) ?? []);
    const drifted = claims.filter((claim) => decidedMethod(claim)?.reason === drift.reason);
    for (const nodePool of new Set(drifted.map(({ spec }) => spec.nodePool)))
      if (isReady) driftRollouts.backOff.forget(nodePool);
      else driftRollouts.backOff.failed(nodePool);
  }

  /**
   * How it ends with the replacements. A node that is about to be taken does not wait for long; one that can stay does when another
   * that was to take some of its pods goes, or takes none any more: they would go to any node then, even one that will have to go
   * as well.
   */
  async #awaitReady(
    { claims: names, isForced, isHurried }: Omit<Begun, 'replacements'>,
    signal: AbortSignal,
  ): Promise<'ready' | keyof typeof NOT_READY> {
    const { cluster, clock, settings } = this.#context;
    const since = Math.min(
      ...names.map((name) => cluster.nodeClaims.get(name)?.status.disruption?.decidedAt ?? clock.now()),
    );
    const end = since + (isHurried ? settings.hurryMillis : settings.readyMillis);
    for (;;) {
      const state = stateOf(cluster, this.#done.claims);
      if (state === 'lost') return 'failed';
      const warned = Math.min(...names.map((name) => urgentSince(cluster.nodeClaims.get(name))));
      if (!isForced && warned === Infinity && this.#hasLostRoom()) return 'room lost';
      if (state === 'ready') return 'ready';
      if (clock.now() >= warned + settings.hurryMillis) return 'ready';
      if (clock.now() >= end) return isHurried ? 'ready' : 'failed';
      await clock.sleep(LOOK_MILLIS, signal);
    }
  }

  #hasLostRoom(): boolean {
    const { cluster } = this.#context;
    return this.#done.rooms.some(({ target }) => targetState(cluster, target).isLost);
  }

  /** From here on termination continues by itself: taint, eviction, end of the instance. */
  async #remove(names: readonly string[], signal: AbortSignal): Promise<void> {
    const { cluster, writer, logger, safeguards } = this.#context;
    await safeguards.whenNotPaused(signal);
    const claims = names.flatMap((name) =>
      this.#isWaiting(name) ? (cluster.nodeClaims.get(name) ?? []) : [],
    );
    await inParallel(
      claims,
      async (claim) => {
        if (!(await writer.deleteClaim(claim, signal))) return;
        const reason = decidedMethod(claim)?.reason ?? 'Deleted';
        countDisrupted(this.#context, claim, reason);
        if (reason === unhealthy.reason) this.#countUnhealthy(claim);
        logger.info('Disrupted node', { nodeClaim: claim.name, reason, replacements: this.#done.claims });
      },
      { signal },
    );
  }

  #countUnhealthy(claim: NodeClaim): void {
    const { spec, status } = claim;
    const condition = status.conditions.find(({ type }) => type === 'Unhealthy')?.reason ?? '';
    this.#context.metrics.unhealthyDisrupted.inc({
      condition,
      nodepool: spec.nodePool,
      capacity_type: status.capacityType ?? '',
      image_id: status.imageID ?? '',
      termination_mode: terminationMode(claim),
    });
  }

  #isWaiting(name: string): boolean {
    const claim = this.#context.cluster.nodeClaims.get(name);
    return claim !== undefined && claim.deletionTimestamp === undefined && decidedMethod(claim) !== undefined;
  }
}

function isBalanced({ policyStatuses }: Cluster, nodePool: string): boolean {
  const value = policyStatuses.get(policyStatusName('NodePool', nodePool))?.lastAccepted?.value;
  return value?.kind === 'NodePool' && value.nodePool.disruption.consolidationPolicy === 'Balanced';
}

/** Why claims stay whose replacements were waited for. */
const NOT_READY = {
  failed: 'its replacement did not become ready in time',
  'room lost': 'a node that was to take some of its pods goes itself, is cordoned or unreachable',
} as const;

/** Between two looks at replacements. */
const LOOK_MILLIS = 1000;

/** When the first method that cannot wait found the claim due, in milliseconds since 1970; Infinity when none did. */
function urgentSince(claim: NodeClaim | undefined): number {
  const urgent = METHODS.flatMap(({ isUrgent, condition }) => (isUrgent ? (condition?.type ?? []) : []));
  const begun = claim?.status.conditions.filter(
    ({ type, status }) => status === 'True' && urgent.includes(type),
  );
  return Math.min(...(begun ?? []).map(({ lastTransitionTime }) => lastTransitionTime));
}
