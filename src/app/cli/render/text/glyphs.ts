/** The few characters of tables that not every terminal can show, each with a plain stand-in. */

export interface Glyphs {
  readonly full: string;
  readonly empty: string;
  readonly times: string;
  readonly dot: string;
}

export const UNICODE_GLYPHS: Glyphs = { full: '█', empty: '░', times: '×', dot: '·' };
export const ASCII_GLYPHS: Glyphs = { full: '#', empty: '.', times: 'x', dot: '|' };
