/** Warnings as the API server passes them on: it cuts each after 256 characters, and all of them after 4,096. */

const MOST_CHARACTERS = 256;
const MOST_TOGETHER = 4000;
const MOST_WARNINGS = 20;

/** The first ones in full; how many were left out is the last one. Control characters, line ends too, become spaces. */
export function boundedWarnings(warnings: readonly string[]): readonly string[] {
  const told: string[] = [];
  let left = MOST_TOGETHER;
  for (const warning of new Set(warnings.map(cut))) {
    const length = Array.from(warning).length;
    if (told.length === MOST_WARNINGS || length > left) break;
    left -= length;
    told.push(warning);
  }
  const more = new Set(warnings.map(cut)).size - told.length;
  return more === 0 ? told : [...told, `and ${String(more)} more; berth validate lists all of them`];
}

function cut(text: string): string {
  const characters = Array.from(text.replace(/\p{Cc}+/gu, ' '));
  if (characters.length <= MOST_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
