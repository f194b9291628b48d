/** Patterns with `*` (any text) and `?` (any character), as AWS' filters and policies have them. */

const compiled = new Map<string, RegExp>();
const MAX_COMPILED = 10_000;

export function matchesWildcard(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text;
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    // A run of stars is one star: it would only make the match slow.
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.');
    compiled.set(pattern, (expression = new RegExp(`^${source}$`, 's')));
  }
  return expression.test(text);
}
