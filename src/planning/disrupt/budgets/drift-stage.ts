/**
 * How far the staged roll-out of drift in a NodePool is. Its state is the nodes themselves: those that are what the pool asks for
 * now, also those launched for pods, are its canaries, and once enough of them have been initialized for long enough the others follow.
 */
import { isTrue, type Condition } from '../../../domain/values/condition.js';
import { canaryNodes, type DriftRollout } from '../../../domain/policies/drift-rollout.js';
import { counted, listed } from '../../../domain/values/text.js';
import type { NodeLife } from '../question/disruption.js';
import type { DriftHold } from '../question/drift-hold.js';

export interface RolloutNode extends Pick<
  NodeLife,
  'name' | 'conditions' | 'initialized' | 'ready' | 'leaving' | 'proposed' | 'createdAt'
> {
  /** It was compared with what the pool asks for now; one that was not is no proof of it, and no drift either. */
  readonly compared: boolean;
}

/** The pod of a node whose containers restarted most often, together. */
export interface Restarts {
  /** `namespace/name`. */
  readonly pod: string;
  readonly count: number;
}

export interface RolloutFacts {
  /** Of the pool. */
  readonly nodes: readonly RolloutNode[];
  /** Replacements of drifted nodes that failed in a row. */
  readonly failures: number;
  /** Asked only where the pool pauses for it. */
  readonly restartsOn: (node: string) => Restarts | undefined;
  /** Why it was paused before; undefined where it was not. */
  readonly paused: string | undefined;
  /** A user wants the rest to follow whatever becomes of the canaries. */
  readonly resumed: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type DriftStage =
  /** No node differs. */
  | { readonly stage: 'RolledOut' }
  /** Nothing is held. */
  | { readonly stage: 'RollingOut' }
  /** `room`: how many drifted nodes may go now. */
  | { readonly stage: 'Canary'; readonly canaries: number; readonly room: number }
  /** `until` in milliseconds since 1970. */
  | { readonly stage: 'Soaking'; readonly canaries: number; readonly until: number }
  | { readonly stage: 'Paused'; readonly why: string };

/** The stage that the pool's roll-out is in. */
export function driftStage(rollout: DriftRollout, facts: RolloutFacts): DriftStage {
  const { nodes, now, resumed } = facts;
  const drifted = nodes.filter(({ conditions }) => isTrue(conditions, 'Drifted'));
  if (drifted.every(({ leaving }) => leaving)) return { stage: 'RolledOut' };
  if (resumed) return { stage: 'RollingOut' };
  const staying = nodes.filter(({ leaving }) => !leaving);
  const fresh = staying.filter(({ conditions }) => !isTrue(conditions, 'Drifted'));
  const why = facts.paused ?? reasonToPause(rollout, facts, { drifted, fresh });
  if (why !== undefined) return { stage: 'Paused', why };
  const canaries = canaryNodes(rollout, staying.length);
  const soaked = fresh.flatMap((node) => soakedAt(node, rollout) ?? []).sort((left, right) => left - right);
  const until = soaked[canaries - 1];
  if (until !== undefined)
    return until <= now ? { stage: 'RollingOut' } : { stage: 'Soaking', canaries, until };
  const going = drifted.filter(({ leaving, proposed }) => leaving || proposed === true).length;
  return { stage: 'Canary', canaries, room: Math.max(0, canaries - fresh.length - going) };
}

/** What of the stage holds drifted nodes back; undefined where nothing does. `target` is how messages name what is rolled out. */
export function holdOf(stage: DriftStage, nodePool: string, target: string): DriftHold | undefined {
  switch (stage.stage) {
    case 'RolledOut':
    case 'RollingOut':
      return undefined;
    case 'Canary': {
      const { canaries, room } = stage;
      return { room, refusal: { code: 'DriftSoaking', nodePool, canaries, until: undefined } };
    }
    case 'Soaking': {
      const { canaries, until } = stage;
      return { room: 0, refusal: { code: 'DriftSoaking', nodePool, canaries, until } };
    }
    case 'Paused':
      return { room: 0, refusal: { code: 'DriftPaused', nodePool, target, why: stage.why } };
  }
}

/** When the node has been what it should be for long enough, in milliseconds since 1970; undefined while it is not known to be. */
function soakedAt(
  { compared, ready, conditions }: RolloutNode,
  { soakSeconds }: DriftRollout,
): number | undefined {
  const initialized = conditions.find(({ type, status }) => type === 'Initialized' && status === 'True');
  if (!compared || !ready || initialized === undefined) return undefined;
  return initialized.lastTransitionTime + soakSeconds * 1000;
}

interface Sorted {
  readonly drifted: readonly RolloutNode[];
  readonly fresh: readonly RolloutNode[];
}

/** Of nodes that are older than the drift, nothing is held against what is rolled out. */
function reasonToPause({ pauseOn }: DriftRollout, facts: RolloutFacts, sorted: Sorted): string | undefined {
  const { failedReplacements = Infinity, notReadyNodes = Infinity, podRestarts } = pauseOn;
  if (facts.failures >= failedReplacements)
    return `${counted(facts.failures, 'replacement')} failed in a row`;
  const since = Math.min(...sorted.drifted.map(({ conditions }) => driftedAt(conditions)));
  const launched = sorted.fresh.filter(({ createdAt }) => createdAt >= since);
  const notReady = launched.filter(({ initialized, ready }) => initialized && !ready);
  if (notReady.length >= notReadyNodes)
    return `${counted(notReady.length, 'new node')} not ready: ${listed(notReady.map(({ name }) => name).sort(), FEW)}`;
  if (podRestarts === undefined) return undefined;
  for (const { name } of launched) {
    const restarts = facts.restartsOn(name);
    if (restarts !== undefined && restarts.count >= podRestarts)
      return `containers of pod ${restarts.pod} on new node ${name} restarted ${String(restarts.count)} times`;
  }
  return undefined;
}

function driftedAt(conditions: readonly Condition[]): number {
  return conditions.find(({ type }) => type === 'Drifted')?.lastTransitionTime ?? -Infinity;
}

/** Nodes named in a message. */
const FEW = 3;
