/** Cells in columns. */

/** The first two columns and the last are words. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...lines.map((line) => line.length));
  const widths = Array.from({ length: width }, (_, at) =>
    Math.max(...lines.map((line) => line[at]?.length ?? 0)),
  );
  const pad = (text: string, at: number): string => {
    if (at === width - 1) return text;
    return at < 2 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
  };
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}
