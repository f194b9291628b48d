/** Colours as functions on text, which do nothing where colours are not wanted. */

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

/** Select Graphic Rendition codes (ECMA-48): switch on, switch off. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

// eslint's no-control-regex wants escapes out of literals.
const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'g');

/** Paints when `enabled`, leaves text as it is otherwise. */
export function styleOf(enabled: boolean): Style {
  const paint =
    (name: keyof typeof CODES): Paint =>
    (text) =>
      enabled && text !== ''
        ? `${ESCAPE}[${String(CODES[name][0])}m${text}${ESCAPE}[${String(CODES[name][1])}m`
        : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
  };
}

/** How many columns the text takes: colours take none. */
export function visibleWidth(text: string): number {
  return Array.from(text.replace(SEQUENCE, '')).length;
}
