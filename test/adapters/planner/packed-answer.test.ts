import { packAnswer, unpackAnswer } from '../../../src/adapters/planner/packed-answer.js';
import { solver } from '../../../src/adapters/planner/solve.js';
import { disruptRequest, planRequest } from '../../contract/planner.js';
import { ManualClock } from '../../support/manual-clock.js';
import { text } from './text.js';

const solve = solver(new ManualClock());

describe('a packed answer', () => {
  test.each([0, 1, 700])('has the whole plan of %d pods', async (count) => {
    const answer = solve({ kind: 'plan', request: planRequest(count) });
    const packed = packAnswer(answer);
    expect(text(await unpackAnswer(packed))).toBe(text(answer));
    expect(packed.pieces.filter(({ list }) => list === 'placements')).toHaveLength(Math.ceil(count / 250));
  });

  test('has the whole answer about disruption', async () => {
    const answer = solve({ kind: 'disrupt', request: disruptRequest() });
    expect(text(await unpackAnswer(packAnswer(answer)))).toBe(text(answer));
  });

  test('lets others have a turn while a large one is read', async () => {
    const packed = packAnswer(solve({ kind: 'plan', request: planRequest(1000) }));
    let turns = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await unpackAnswer(packed);
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(packed.pieces.length - 1);
    expect(packed.pieces.length).toBeGreaterThan(4);
  });
});
