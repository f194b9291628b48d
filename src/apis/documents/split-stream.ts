/** Cuts a YAML stream into its documents before any of it is parsed, so that a broken one cannot swallow the next. */

export interface Chunk {
  /** Characters before it in the whole text. */
  readonly offset: number;
  readonly text: string;
}

/** Document markers stand at the start of a line; no scalar can contain one there (YAML 1.2.2 §9.1.2). */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
const MARKER_ALONE = /^---[ \t]*(?:#.*)?(?:\r?\n|$)/;
const NOTHING_TO_READ = /^(?:[ \t]*(?:#.*)?(?:\r?\n|$)|%.*(?:\r?\n|$))*$/;

/** The documents of the stream in order; those without content, and lines of directives, are left out. */
export function splitStream(text: string): readonly Chunk[] {
  const cuts: { readonly end: number; readonly next: number }[] = [];
  for (const match of text.matchAll(MARKER)) {
    const isEnd = match[0] === '...';
    cuts.push({ end: match.index, next: isEnd ? match.index + 3 : contentStart(text, match.index) });
  }
  const starts = [0, ...cuts.map((cut) => cut.next)];
  const ends = [...cuts.map((cut) => cut.end), text.length];
  return starts
    .map((start, index) => ({ offset: start, text: text.slice(start, ends[index]) }))
    .filter((chunk) => !isBlank(chunk.text));
}

/** Past a marker that has its line to itself, so that JSON behind it is seen as JSON. */
function contentStart(text: string, marker: number): number {
  const line = text.indexOf('\n', marker);
  const head = text.slice(marker, line < 0 ? text.length : line + 1);
  return MARKER_ALONE.test(head) ? marker + head.length : marker;
}

function isBlank(text: string): boolean {
  return text.length < 4096
    ? NOTHING_TO_READ.test(text)
    : text.split('\n').every((line) => NOTHING_TO_READ.test(line));
}
