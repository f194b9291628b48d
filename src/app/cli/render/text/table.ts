/** Lays rows of text out in columns, as kubectl does: upper-case headers, two spaces between, no lines. */
import { visibleWidth } from './style.js';

export interface Column {
  readonly header: string;
  /** Numbers are easier to compare when they end in one column. */
  readonly align?: 'left' | 'right';
}

const GAP = '  ';

/** The table as lines without trailing blanks. Cells may be coloured; a row may be shorter than the columns. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const cells = [columns.map((column) => column.header), ...rows];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => visibleWidth(row[index] ?? ''))));
  return cells.map((row) =>
    columns
      .map((column, index) => pad(row[index] ?? '', widths[index] ?? 0, column.align ?? 'left'))
      .join(GAP)
      .trimEnd(),
  );
}

function pad(cell: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - visibleWidth(cell)));
  return align === 'left' ? cell + blanks : blanks + cell;
}

/** Lines moved to the right by some columns; empty lines stay empty. */
export function indent(lines: readonly string[], columns: number): readonly string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(columns) + line));
}
