/** Layout of tables, bars, colours and numbers. */
import fc from 'fast-check';
import { fillBar, zonesText } from '../../../../src/app/cli/render/plan/claim-table.js';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../../src/app/cli/render/text/glyphs.js';
import { counted } from '../../../../src/domain/values/text.js';
import {
  formatCores,
  formatMemory,
  formatPrice,
  roundPrice,
} from '../../../../src/app/cli/render/text/numbers.js';
import { styleOf, visibleWidth } from '../../../../src/app/cli/render/text/style.js';
import { indent, tableLines } from '../../../../src/app/cli/render/text/table.js';
import { terminalOf } from '../../../../src/app/cli/render/text/terminal.js';

describe('tableLines', () => {
  test('lines columns up by their widest cell and leaves no blanks at line ends', () => {
    const columns = [{ header: 'NAME' }, { header: 'PODS', align: 'right' }, { header: 'X' }] as const;
    expect(
      tableLines(columns, [
        ['a', '1', ''],
        ['longer', '12345', 'y'],
      ]),
    ).toEqual(['NAME     PODS  X', 'a           1', 'longer  12345  y']);
  });

  test('counts colours as no columns', () => {
    const { red } = styleOf(true);
    const [plain] = tableLines([{ header: 'A' }, { header: 'B' }], [['long cell', 'x']]);
    const [coloured] = tableLines([{ header: 'A' }, { header: 'B' }], [[red('long cell'), 'x']]);
    expect(coloured).toBe(plain);
  });

  test('puts every column of a table of left cells at one place', () => {
    const cell = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const columns = [{ header: 'A' }, { header: 'B' }];
        const width = Math.max(...rows.map(([left]) => left.length));
        const lines = tableLines(columns, rows);
        expect(lines.slice(1).map((line) => line.slice(width + 2))).toEqual(rows.map(([, right]) => right));
      }),
    );
  });

  test('is moved to the right as a whole, empty lines apart', () => {
    expect(indent(['a', '', 'b'], 2)).toEqual(['  a', '', '  b']);
  });
});

describe('fillBar', () => {
  test.each([
    [0, 100, '..........   0%'],
    [1, 100, '#.........   1%'],
    [61, 100, '######....  61%'],
    [999, 1000, '#########.  99%'],
    [100, 100, '########## 100%'],
    [140, 100, '########## 100%'],
    [1, 0, '-'],
  ])('shows %d of %d as %s', (used, size, bar) => {
    expect(fillBar(used, size, ASCII_GLYPHS)).toBe(bar);
  });

  test('is always ten cells and a percentage wide', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1 }), (used, size) => {
        expect(visibleWidth(fillBar(used, size, UNICODE_GLYPHS))).toBe(15);
      }),
    );
  });
});

describe('styleOf', () => {
  test('leaves text alone when colours are not wanted', () => {
    expect(styleOf(false).red('text')).toBe('text');
  });

  test('paints without changing the visible width', () => {
    const painted = styleOf(true).bold('text');
    expect(painted).not.toBe('text');
    expect(visibleWidth(painted)).toBe(4);
  });
});

describe('terminalOf', () => {
  const io = (isTTY: boolean, env: Readonly<Record<string, string>>) =>
    terminalOf({ stdout: { isTTY, write: () => undefined }, env });

  const utf8 = 'en_US.UTF-8';

  test.each([
    { what: 'a UTF-8 terminal', isTTY: true, env: { LANG: utf8 }, colours: true, blocks: true },
    { what: 'another encoding', isTTY: true, env: { LANG: 'C' }, colours: true, blocks: false },
    {
      what: 'an overriding LC_ALL',
      isTTY: true,
      env: { LC_ALL: 'C', LANG: utf8 },
      colours: true,
      blocks: false,
    },
    { what: 'a pipe', isTTY: false, env: { LANG: utf8 }, colours: false, blocks: false },
    { what: 'NO_COLOR', isTTY: true, env: { LANG: utf8, NO_COLOR: '1' }, colours: false, blocks: false },
    {
      what: 'an empty NO_COLOR',
      isTTY: true,
      env: { LANG: utf8, NO_COLOR: '' },
      colours: true,
      blocks: true,
    },
    { what: 'TERM=dumb', isTTY: true, env: { LANG: utf8, TERM: 'dumb' }, colours: false, blocks: false },
  ])('knows what to show for $what', ({ isTTY, env, colours, blocks }) => {
    const { style, glyphs } = io(isTTY, env);
    expect(style.red('x') !== 'x').toBe(colours);
    expect(glyphs === UNICODE_GLYPHS).toBe(blocks);
  });
});

describe('numbers', () => {
  test('are as short as they can be read', () => {
    expect(formatPrice(1.23)).toBe('1.2300');
    expect(formatCores(3920)).toBe('3.92');
    expect(formatCores(4000)).toBe('4');
    expect(formatCores(0)).toBe('0');
    expect(formatMemory(512 * 2 ** 20)).toBe('512Mi');
    expect(formatMemory(16 * 2 ** 30)).toBe('16Gi');
    expect(formatMemory(15.6 * 2 ** 30)).toBe('15.6Gi');
    expect(counted(1, 'pod')).toBe('1 pod');
    expect(counted(0, 'pod')).toBe('0 pods');
    expect(counted(2, 'class', 'classes')).toBe('2 classes');
  });

  test('of prices lose the dust of floating point', () => {
    expect(roundPrice(0.1 + 0.2)).toBe(0.3);
    expect(roundPrice(0.12345678)).toBe(0.123457);
  });
});

describe('zonesText', () => {
  test.each([
    [['eu-west-3b', 'eu-west-3a'], 'eu-west-3a,b'],
    [['us-east-1a', 'us-west-2a'], 'us-east-1a,us-west-2a'],
    [['us-east-1a'], 'us-east-1a'],
    [[], '-'],
  ])('shortens %j to %s', (zones, text) => {
    expect(zonesText(zones)).toBe(text);
  });
});
