import fc from 'fast-check';
import type { DriftRollout, PauseOn } from '../../../src/domain/policies/drift-rollout.js';
import type { Condition } from '../../../src/domain/values/condition.js';
import {
  driftStage,
  holdOf,
  type DriftStage,
  type RolloutFacts,
  type RolloutNode,
} from '../../../src/planning/disrupt/budgets/drift-stage.js';
import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionAnswer, DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import {
  disruptionOptions,
  fleet,
  HOUR,
  NOW,
  typeNamed,
  withClaimCondition,
} from '../../support/builders/disruption-input.js';
import { RUNS } from '../laws/plan-of.js';
import { commandsOf } from './answers.js';

const SOAK_SECONDS = 600;
const SOAK = SOAK_SECONDS * 1000;
const NEVER: PauseOn = { failedReplacements: undefined, notReadyNodes: undefined, podRestarts: undefined };

function rollout(canary: DriftRollout['canary'], pauseOn: Partial<PauseOn> = {}): DriftRollout {
  return { canary, soakSeconds: SOAK_SECONDS, pauseOn: { ...NEVER, ...pauseOn } };
}

function condition(type: string, since: number): Condition {
  return { type, status: 'True', reason: type, message: '', lastTransitionTime: since };
}

function node(name: string, overrides: Partial<RolloutNode> = {}): RolloutNode {
  return {
    ...{ name, initialized: true, ready: true, leaving: false, compared: true, createdAt: NOW - HOUR },
    conditions: [condition('Initialized', NOW - HOUR)],
    ...overrides,
  };
}

function drifted(name: string, overrides: Partial<RolloutNode> = {}): RolloutNode {
  const conditions = [condition('Initialized', NOW - 9 * HOUR), condition('Drifted', NOW - 2 * HOUR)];
  return node(name, { createdAt: NOW - 10 * HOUR, conditions, ...overrides });
}

/** Initialized so many milliseconds ago. */
function fresh(name: string, age: number, overrides: Partial<RolloutNode> = {}): RolloutNode {
  return node(name, { conditions: [condition('Initialized', NOW - age)], ...overrides });
}

function stageOf(
  nodes: readonly RolloutNode[],
  rules = rollout({ count: 1 }),
  facts: Partial<RolloutFacts> = {},
): DriftStage {
  const known = { failures: 0, restartsOn: () => undefined, paused: undefined, resumed: false, now: NOW };
  return driftStage(rules, { nodes, ...known, ...facts });
}

describe('the stage of a roll-out', () => {
  const old = [drifted('a'), drifted('b'), drifted('c')];

  test.each<[string, readonly RolloutNode[], DriftRollout['canary'], DriftStage]>([
    ['no node has drifted', [node('a')], { count: 1 }, { stage: 'RolledOut' }],
    [
      'the last is leaving',
      [node('a'), drifted('b', { leaving: true })],
      { count: 1 },
      { stage: 'RolledOut' },
    ],
    ['all have drifted', old, { count: 2 }, { stage: 'Canary', canaries: 2, room: 2 }],
    ['a share of them is asked for', old, { percent: 34 }, { stage: 'Canary', canaries: 2, room: 2 }],
    ['a small share is one', old, { percent: 1 }, { stage: 'Canary', canaries: 1, room: 1 }],
    [
      'a node is leaving',
      [...old, drifted('d', { leaving: true })],
      { count: 1 },
      { stage: 'Canary', canaries: 1, room: 0 },
    ],
    [
      'the disruption of a node waits for approval',
      [...old, drifted('d', { proposed: true })],
      { count: 1 },
      { stage: 'Canary', canaries: 1, room: 0 },
    ],
    [
      'a new node is not initialized',
      [...old, node('n', { initialized: false, conditions: [] })],
      { count: 1 },
      { stage: 'Canary', canaries: 1, room: 0 },
    ],
    [
      'a new node is not ready any more',
      [...old, fresh('n', SOAK, { ready: false })],
      { count: 1 },
      { stage: 'Canary', canaries: 1, room: 0 },
    ],
    [
      'a node was not compared with what is asked for now',
      [...old, fresh('n', HOUR, { compared: false })],
      { count: 2 },
      { stage: 'Canary', canaries: 2, room: 1 },
    ],
    [
      'a new node soaks',
      [...old, fresh('n', SOAK - 1000)],
      { count: 1 },
      { stage: 'Soaking', canaries: 1, until: NOW + 1000 },
    ],
    [
      'the second of two soaks',
      [...old, fresh('m', SOAK), fresh('n', SOAK - 1000), fresh('o', 0)],
      { count: 2 },
      { stage: 'Soaking', canaries: 2, until: NOW + 1000 },
    ],
    ['a new node has soaked', [...old, fresh('n', SOAK)], { count: 1 }, { stage: 'RollingOut' }],
  ])('when %s', (_when, nodes, canary, stage) => {
    expect(stageOf(nodes, rollout(canary))).toEqual(stage);
  });

  test.each<[string, PauseOn, Partial<RolloutFacts>, string]>([
    [
      'replacements failed in a row',
      { ...NEVER, failedReplacements: 2 },
      { failures: 2 },
      '2 replacements failed in a row',
    ],
    [
      'new nodes are not ready',
      { ...NEVER, notReadyNodes: 1 },
      { nodes: [...old, fresh('n', SOAK), fresh('bad', SOAK, { ready: false })] },
      '1 new node not ready: bad',
    ],
    [
      'a pod on a new node restarts',
      { ...NEVER, podRestarts: 5 },
      {
        nodes: [...old, fresh('n', SOAK)],
        restartsOn: (name) => ({ pod: 'default/web', count: name === 'n' ? 5 : 99 }),
      },
      'containers of pod default/web on new node n restarted 5 times',
    ],
    ['it was paused before, whatever there is now', NEVER, { paused: 'before' }, 'before'],
  ])('is Paused when %s, unless it is resumed', (_when, pauseOn, facts, why) => {
    const rules = rollout({ count: 1 }, pauseOn);
    expect(stageOf(old, rules, facts)).toEqual({ stage: 'Paused', why });
    expect(stageOf(old, rules, { ...facts, resumed: true })).toEqual({ stage: 'RollingOut' });
  });

  test.each<[string, PauseOn, Partial<RolloutFacts>]>([
    ['fewer replacements failed', { ...NEVER, failedReplacements: 2 }, { failures: 1 }],
    [
      'nodes that are older than the drift are not ready',
      { ...NEVER, notReadyNodes: 1 },
      { nodes: [...old, fresh('n', SOAK), node('older', { createdAt: NOW - 3 * HOUR, ready: false })] },
    ],
    [
      'new nodes are not initialized yet',
      { ...NEVER, notReadyNodes: 1 },
      { nodes: [...old, node('n', { initialized: false, ready: false, conditions: [] })] },
    ],
    [
      'pods of drifted nodes restart',
      { ...NEVER, podRestarts: 1 },
      { restartsOn: () => ({ pod: 'default/web', count: 9 }) },
    ],
  ])('is not Paused when %s', (_when, pauseOn, facts) => {
    expect(stageOf(old, rollout({ count: 1 }, pauseOn), facts)).not.toMatchObject({ stage: 'Paused' });
  });
});

describe('nodes of a pool that rolls drift out in stages', () => {
  const SMALL = { requests: { cpu: '500m' } };
  const three = (overrides: Partial<DisruptionInput>): DisruptionInput => {
    const nodes = ['a', 'b', 'c'].map((name, index) => ({
      ...{ name, type: typeNamed('m6i.large'), pods: [SMALL] },
      managed: withClaimCondition('Drifted', NOW - HOUR + index),
    }));
    return fleet(nodes, { terms: { consolidateAfterSeconds: undefined }, ...overrides });
  };
  const answerTo = (overrides: Partial<DisruptionInput>): DisruptionAnswer =>
    disrupt(three(overrides), disruptionOptions());

  test.each<[number, readonly string[]]>([
    [0, []],
    [1, ['Drifted a']],
    [2, ['Drifted a', 'Drifted b']],
  ])('go as far as there is room for %i, and the others are told why they wait', (room, going) => {
    const hold = holdOf({ stage: 'Canary', canaries: 2, room }, 'default', 'target');
    const answer = answerTo({ driftHolds: new Map(hold && [['default', hold]]) });
    expect(commandsOf(answer)).toEqual(going);
    const waiting = answer.refusals.filter(({ refusal }) => refusal.code === 'DriftSoaking');
    expect(waiting.map(({ node: name }) => name)).toEqual(['a', 'b', 'c'].slice(room));
  });

  test('are not held by what holds another pool', () => {
    const hold = holdOf({ stage: 'Paused', why: '' }, 'other', 'target');
    expect(commandsOf(answerTo({ driftHolds: new Map(hold && [['other', hold]]) }))).toHaveLength(3);
  });

  test('go for other reasons all the same', () => {
    const hold = holdOf({ stage: 'Paused', why: '' }, 'default', 'target');
    const input = three({ driftHolds: new Map(hold && [['default', hold]]) });
    const nodes = input.nodes.map((each) => (each.name === 'b' ? { ...each, expiresAt: NOW - 1000 } : each));
    expect(commandsOf(disrupt({ ...input, nodes }, disruptionOptions()))).toEqual(['Expired b']);
  });
});

/** What may happen in a pool while drift is rolled out. */
type Happening =
  'mark' | 'launch' | 'initialize' | 'remove' | 'provision' | 'sicken' | 'heal' | 'pause' | 'wait';

const HAPPENINGS: readonly Happening[] = [
  ...(['mark', 'mark', 'launch', 'initialize', 'remove', 'wait'] as const),
  ...(['provision', 'sicken', 'heal', 'pause'] as const),
];

/** A pool whose drift is rolled out, as controllers and bad luck change it. */
class Pool {
  readonly nodes: RolloutNode[];
  now = NOW;
  marked = 0;
  paused: string | undefined;
  #launched = 0;
  #number = 0;

  constructor(size: number) {
    this.nodes = Array.from({ length: size }, (_, index) => drifted(`old-${String(index)}`));
  }

  stage(rules: DriftRollout): DriftStage {
    return stageOf(this.nodes, rules, { now: this.now, paused: this.paused });
  }

  mark(most: number): void {
    for (let count = 0; count < most; count++)
      if (this.#change((each) => isOld(each) && !each.leaving, { leaving: true })) this.marked++;
  }

  happen(happening: Happening): void {
    if (happening === 'launch' && this.#launched < this.marked) {
      this.#launched++;
      this.#add();
    }
    if (happening === 'provision') this.#add();
    if (happening === 'initialize')
      this.#change(({ initialized }) => !initialized, {
        ...{ initialized: true, ready: true, compared: true },
        conditions: [condition('Initialized', this.now)],
      });
    if (happening === 'remove') {
      const leaving = this.nodes.filter((each) => each.leaving).length;
      const index = this.nodes.findIndex((each) => each.leaving);
      // Its replacement is there first.
      if (index >= 0 && this.#launched > this.marked - leaving) this.nodes.splice(index, 1);
    }
    if (happening === 'sicken') this.#change((each) => each.ready && each.initialized, { ready: false });
    if (happening === 'heal') this.#change((each) => !each.ready && each.initialized, { ready: true });
    if (happening === 'pause') this.paused = 'bad luck';
    if (happening === 'wait') this.now += SOAK / 2;
  }

  #add(): void {
    this.#number++;
    const name = `new-${String(this.#number)}`;
    const unready = { initialized: false, ready: false, compared: false, conditions: [] };
    this.nodes.push(node(name, { ...unready, createdAt: this.now }));
  }

  #change(isMeant: (each: RolloutNode) => boolean, change: Partial<RolloutNode>): boolean {
    const index = this.nodes.findIndex(isMeant);
    const found = this.nodes[index];
    if (found !== undefined) this.nodes[index] = { ...found, ...change };
    return found !== undefined;
  }
}

function isOld({ name }: RolloutNode): boolean {
  return name.startsWith('old');
}

describe('whatever happens meanwhile', () => {
  const arbitraryCase = fc.record({
    size: fc.integer({ min: 1, max: 8 }),
    count: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(fc.constantFrom(...HAPPENINGS), { maxLength: 60 }),
  });

  test('no more nodes than canaries are disrupted before as many have soaked, and none while it is paused', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ size, count, steps }) => {
        const pool = new Pool(size);
        const rules = rollout({ count });
        const faults: string[] = [];
        for (const step of steps) {
          if (step !== 'mark') {
            pool.happen(step);
            continue;
          }
          const before = pool.marked;
          const stage = pool.stage(rules);
          pool.mark(holdOf(stage, 'default', 'target')?.room ?? size);
          const taken = pool.marked - before;
          if (pool.paused !== undefined && taken > 0) faults.push('taken while paused');
          const soaked = pool.nodes.filter(
            ({ name, compared, ready, conditions: [initialized] }) =>
              name.startsWith('new') &&
              compared &&
              ready &&
              (initialized?.lastTransitionTime ?? Infinity) + SOAK <= pool.now,
          );
          if (taken > 0 && soaked.length < count && pool.marked > count) faults.push('taken before the soak');
        }
        expect(faults).toEqual([]);
      }),
      RUNS,
    );
  });
});
