import fc from 'fast-check';
import { editDistance, nearest } from '../../../src/apis/decode/nearest.js';

const word = fc.string({ maxLength: 12 });

describe('editDistance', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['weight', 'wieght', 1],
    ['weight', 'weigth', 1],
    ['kitten', 'sitting', 3],
    ['In', 'Inn', 1],
  ])('of %j and %j is %i', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
  });

  test('is zero for equal words only, symmetric, and at most the longer word', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        const distance = editDistance(left, right);
        expect(distance === 0).toBe(left === right);
        expect(distance).toBe(editDistance(right, left));
        expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(left.length - right.length));
      }),
    );
  });
});

describe('nearest', () => {
  test.each([
    ['consolidatonPolicy', ['consolidateAfter', 'consolidationPolicy'], 'consolidationPolicy'],
    ['inn', ['NotIn', 'In'], 'In'],
    ['Drift', ['Empty', 'Drifted'], 'Drifted'],
    ['WHENEMPTY', ['WhenEmpty'], 'WhenEmpty'],
    ['template', ['weight', 'limits'], undefined],
    ['x', [], undefined],
  ])('of %j among %j is %j', (given, candidates, expected) => {
    expect(nearest(given, candidates)).toBe(expected);
  });

  test('is one of the candidates but never the word itself, and the same each time', () => {
    fc.assert(
      fc.property(word, fc.array(word), (given, candidates) => {
        const found = nearest(given, candidates);
        expect(nearest(given, candidates)).toBe(found);
        expect([undefined, ...candidates]).toContain(found);
        expect(found === undefined || found !== given).toBe(true);
      }),
    );
  });

  test('finds every candidate with one letter swapped, left out or added', () => {
    const candidate = fc.constantFrom('consolidateAfter', 'requirements', 'startupTaints', 'nodeClassRef');
    fc.assert(
      fc.property(candidate, fc.nat(10), (meant, at) => {
        const dropped = meant.slice(0, at) + meant.slice(at + 1);
        const doubled = meant.slice(0, at + 1) + meant.slice(at);
        const candidates = ['taints', 'limits', meant, 'weight'];
        expect([nearest(dropped, candidates), nearest(doubled, candidates)]).toEqual([meant, meant]);
      }),
    );
  });
});
