import { parseLadders, valueAt } from '../../../scripts/catalogue-facts/ladder.js';

const LADDERS = parseLadders('\nc5   2:750 4:1250 16:5000\neni  1:2x4 2:3x10\n');

describe('valueAt', () => {
  test.each([
    ['the value of the highest step that the size reaches', 'c5', 8, '1250'],
    ['the value of the step that the size is on', 'c5', 16, '5000'],
    ['a pair', 'eni', 96, '3x10'],
    ['the one value of a cell that names no ladder', '4750', 96, '4750'],
    ['a step of a ladder written in the cell', '4:1,48:4,64:1', 48, '4'],
    ['0 for a cell that says nothing', '-', 4, '0'],
  ])('is %s', (_what, cell, vcpu, expected) => {
    expect(valueAt(cell, vcpu, LADDERS)).toBe(expected);
  });

  test('is refused below the first step', () => {
    expect(() => valueAt('c5', 1, LADDERS)).toThrow('ladder c5: no value for 1 vCPUs');
  });
});
