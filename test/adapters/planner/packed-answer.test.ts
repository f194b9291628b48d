import {
  AnswerPacker,
  AnswerReader,
  type PackedAnswer,
} from '../../../src/adapters/planner/messages/packed-answer.js';
import { asPlan } from '../../../src/adapters/planner/refused.js';
import { solver } from '../../../src/adapters/planner/solve.js';
import { taskOf, type PlannerAnswer, type PlannerTask } from '../../../src/adapters/planner/task.js';
import type { PlanAnswer } from '../../../src/ports/planner.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { addFleet, batchCluster, disruptionQuestion, planQuestion } from '../../contract/planner.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { text } from './text.js';

const solve = solver(new VirtualClock());
const NONE = { pieces: [] };

function packAnswer(answer: PlannerAnswer): PackedAnswer {
  return new AnswerPacker().answer(answer);
}

function unpackAnswer(packed: PackedAnswer): Promise<PlannerAnswer> {
  return new AnswerReader().read(packed);
}

function planTask(pods: number): PlannerTask {
  const cluster = batchCluster(pods);
  return taskOf(cluster, { kind: 'plan', question: planQuestion(cluster, pods) });
}

function disruptionTask(): PlannerTask {
  const cluster = new Cluster();
  addFleet(cluster);
  return taskOf(cluster, { kind: 'disrupt', question: disruptionQuestion() });
}

function planned(pods: number): PlanAnswer {
  return asPlan(solve(planTask(pods)));
}

describe('a packed answer', () => {
  test.each([0, 1, 700, 2500])('has the whole plan of %d pods', async (count) => {
    const answer = solve(planTask(count));
    const packed = packAnswer(answer);
    expect(text(await unpackAnswer(packed))).toBe(text(answer));
    expect(packed.plan?.placements.pieces).toHaveLength(Math.ceil(count / 500));
  });

  test('has pods of claims that are placed nowhere', async () => {
    const answer = planned(30);
    const plan = { ...answer.plan, placements: answer.plan.placements.slice(0, 10) };
    const partly = { ...answer, plan };
    expect(text(await unpackAnswer(packAnswer(partly)))).toBe(text(partly));
  });

  test('has one object for a target, and one for each choice of types, however often they are named', async () => {
    const { plan } = asPlan(await unpackAnswer(packAnswer(planned(900))));
    const { placements, claims } = plan;
    const distinct = (values: readonly unknown[]): number => new Set(values).size;
    expect(claims.length).toBeGreaterThan(30);
    expect(distinct(placements.map(({ target }) => target))).toBe(
      distinct(placements.map(({ target }) => target.name)),
    );
    expect(distinct(claims.map(({ instanceTypes }) => instanceTypes))).toBe(
      distinct(claims.map(({ instanceTypes }) => instanceTypes.join())),
    );
  });

  test('has the whole answer about disruption', async () => {
    const answer = solve(disruptionTask());
    expect(text(await unpackAnswer(packAnswer(answer)))).toBe(text(answer));
  });

  test('lets others have a turn while a large one is read', async () => {
    const packed = packAnswer(solve(planTask(4000)));
    let turns = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await unpackAnswer(packed);
    clearImmediate(next);
    const { placements, claims } = packed.plan ?? { placements: NONE, claims: NONE };
    const pieces = placements.pieces.length + claims.pieces.length;
    expect(pieces).toBeGreaterThan(8);
    expect(turns).toBeGreaterThanOrEqual(pieces - 1);
  });
});

describe('answers of one thread, one after the other', () => {
  test('name no pod again, and what stays as it was is the same object', async () => {
    const [packer, reader] = [new AnswerPacker(), new AnswerReader()];
    const before = asPlan(await reader.read(packer.answer(planned(600)))).plan;
    const packed = packer.answer(planned(600));
    const after = asPlan(await reader.read(packed)).plan;
    const named = packed.plan?.placements.pieces.map(({ pods }) => new TextDecoder().decode(pods));
    expect(named).toEqual(['[]', '[]']);
    expect(packed.plan?.claims.pieces).toEqual([]);
    expect(after.placements).toHaveLength(600);
    expect(after.placements.every((placement, row) => placement === before.placements[row])).toBe(true);
    expect(after.claims.length).toBeGreaterThan(20);
    expect(after.claims.every((claim, row) => claim === before.claims[row])).toBe(true);
  });

  test('send a claim again that costs more now', async () => {
    const [packer, reader] = [new AnswerPacker(), new AnswerReader()];
    const answer = planned(600);
    await reader.read(packer.answer(answer));
    const claims = answer.plan.claims.map((claim, row) =>
      row === 7 ? { ...claim, hourlyPrice: claim.hourlyPrice + 1 } : claim,
    );
    const dearer = { ...answer, plan: { ...answer.plan, claims } };
    const packed = packer.answer(dearer);
    expect([...(packed.plan?.claims.rows ?? [])].filter((row) => row < 0)).toHaveLength(1);
    expect(text(await reader.read(packed))).toBe(text(dearer));
  });

  test.each([
    ['more pods', 600, 900],
    ['fewer pods', 900, 600],
    ['no pod', 600, 0],
    ['pods after none', 0, 600],
  ])('are whole: %s', async (_, first, second) => {
    const [packer, reader] = [new AnswerPacker(), new AnswerReader()];
    for (const count of [first, second, first]) {
      const answer = planned(count);
      expect(text(await reader.read(packer.answer(answer)))).toBe(text(answer));
    }
  });

  test('are whole with disruptions and unread drafts in between', async () => {
    const [packer, reader] = [new AnswerPacker(), new AnswerReader()];
    const disruption = solve(disruptionTask());
    for (const answer of [planned(600), disruption, planned(700), disruption, planned(600)]) {
      packer.draft(planned(50));
      expect(text(await reader.read(packer.answer(answer)))).toBe(text(answer));
    }
  });

  test('pods go elsewhere: what was sent before stays as it was', async () => {
    const [packer, reader] = [new AnswerPacker(), new AnswerReader()];
    const answer = planned(40);
    const target = { kind: 'Node', name: 'elsewhere' } as const;
    const first = await reader.read(packer.answer(answer));
    const moved = answer.plan.placements.map(({ pod }) => ({ pod, target }));
    const second = { ...answer, plan: { ...answer.plan, placements: moved } };
    expect(text(await reader.read(packer.answer(second)))).toBe(text(second));
    expect(text(first)).toBe(text(answer));
  });

  test('a draft can be read by itself, by a reader that has received nothing else', async () => {
    const packer = new AnswerPacker();
    const answer = planned(600);
    packer.answer(answer);
    expect(text(await new AnswerReader().read(packer.draft(answer)))).toBe(text(answer));
  });

  test('one that follows an answer that was not read is refused, not misread', async () => {
    const packer = new AnswerPacker();
    packer.answer(planned(600));
    const reading = new AnswerReader().read(packer.answer(planned(600)));
    await expect(reading).rejects.toThrow('a placement refers to one that is not known');
  });
});
