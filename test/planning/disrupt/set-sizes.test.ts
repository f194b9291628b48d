import { setSizes } from '../../../src/planning/disrupt/consolidation.js';

describe('setSizes', () => {
  test('has every small size, and larger ones ever further apart', () => {
    expect(setSizes(100)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64, 96]);
  });

  test('only gains sizes where more nodes may go, so that a larger budget never saves less', () => {
    for (let most = 0; most < 300; most++)
      expect(setSizes(most + 1).slice(0, setSizes(most).length)).toEqual(setSizes(most));
  });
});
