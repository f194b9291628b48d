/** What the scale bench makes of the journal of a consolidated cluster. */
import { consolidationFigures, type JournalEntry } from '../../bench/scale/measuring/journal.js';

type Claim = Extract<JournalEntry, { claim: string }>;

const START = 1_000_000;
const TEN_PERCENT = new Map([['general', { percent: 10 }]]);

/** A claim of a node that has run for long, `seconds` after the start. */
function claim(name: string, seconds: number, overrides: Partial<Claim> = {}): Claim {
  return {
    ...{ at: START + seconds * 1000, kind: 'claim', claim: name, pool: 'general', node: `node-${name}` },
    ...{ price: 1, replaces: '', launched: true, initialized: true, marked: false, deleted: false },
    ending: false,
    ...overrides,
  };
}

function evicted(from: string, slot: number, seconds: number, evictions = 1): JournalEntry {
  return { at: START + seconds * 1000, kind: 'evicted', node: `node-${from}`, slot, evictions };
}

function bound(slot: number, seconds: number, evictions = 1): JournalEntry {
  return { at: START + seconds * 1000, kind: 'bound', node: 'node-b', slot, evictions };
}

function figuresOf(journal: readonly JournalEntry[], budgets = TEN_PERCENT) {
  return consolidationFigures(journal, START, budgets);
}

const OLD = [claim('a', -9), claim('b', -9), claim('c', -9)];

describe('the journal of a consolidated cluster', () => {
  test('counts pods that were moved again, by the slot that they have in common', () => {
    const journal = [evicted('a', 1, 1), bound(1, 2), evicted('a', 2, 1), bound(2, 4), evicted('b', 1, 9, 2)];
    expect(figuresOf([...OLD, ...journal])).toMatchObject({
      ...{ moves: 3, movedAgain: 1, mostMoves: 2 },
      ...{ unboundSeconds: [1, 3], unbound: 1 },
    });
  });

  test('has a point for each burst of deletions, with the evictions that it takes and the price that is left', () => {
    const journal = [
      claim('a', 10, { marked: true, deleted: true }),
      claim('b', 11, { marked: true, deleted: true }),
      ...[evicted('a', 1, 12), evicted('b', 2, 13)],
      claim('c', 30, { marked: true, deleted: true }),
      evicted('c', 3, 31),
    ];
    expect(figuresOf([...OLD, ...journal]).points).toEqual([
      { seconds: 11, moves: 2, hourly: 1, running: 3 },
      { seconds: 30, moves: 3, hourly: 0, running: 3 },
    ]);
  });

  test('counts a replacement from when all that it replaces are deleted', () => {
    const fresh = { replaces: 'a,b', price: 0.5 };
    const journal = [
      claim('d', 5, { ...fresh, launched: false, initialized: false, price: 0 }),
      claim('d', 8, fresh),
      claim('a', 10, { marked: true, deleted: true }),
      claim('b', 20, { marked: true, deleted: true }),
    ];
    const { points, launched } = figuresOf([...OLD, ...journal]);
    expect(points.map(({ hourly }) => hourly)).toEqual([2, 1.5]);
    expect(launched).toBe(1);
  });

  test('ends with the price of the instances that run', () => {
    const journal = [
      claim('a', 10, { marked: true, deleted: true }),
      claim('a', 20, { kind: 'gone', marked: true, deleted: true }),
    ];
    expect(figuresOf([...OLD, ...journal])).toMatchObject({ hourly: 2, nodesGone: 1 });
  });

  test('notes decisions that exceed a budget, and those that are taken back', () => {
    const mark = (name: string, seconds: number): Claim => claim(name, seconds, { marked: true });
    // A tenth of three nodes is one.
    expect(figuresOf([...OLD, mark('a', 1)])).toMatchObject({ overBudget: 0 });
    expect(figuresOf([...OLD, mark('a', 1), mark('b', 2)])).toMatchObject({ overBudget: 1 });
    const back = [mark('a', 1), claim('a', 2), mark('b', 3)];
    expect(figuresOf([...OLD, ...back])).toMatchObject({ overBudget: 0, takenBack: 1 });
    const two = new Map([['general', { count: 2 }]]);
    expect(consolidationFigures([...OLD, mark('a', 1), mark('b', 2)], START, two).overBudget).toBe(0);
  });

  test('counts a node whose instance is being terminated neither as disrupted nor as there', () => {
    const ending = claim('a', 2, { marked: true, deleted: true, ending: true });
    const again = claim('b', 3, { marked: true });
    expect(figuresOf([...OLD, claim('a', 1, { marked: true }), ending, again])).toMatchObject({
      overBudget: 0,
    });
    expect(figuresOf([...OLD, ending, again, claim('c', 4, { marked: true })])).toMatchObject({
      overBudget: 1,
    });
  });
});
