/** Counts and prices as people read them, the same in every locale. */

/** `1 pod`, `3 pods`, `1 class`, `2 classes`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${String(count)} ${count === 1 ? noun : plural}`;
}

/** `a, b`, or `a, b and 3 more` of more than may be named. */
export function listed(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${String(names.length - most)} more` : shown;
}

/** USD per hour to a hundredth of a cent: `0.0412 USD/h`. */
export function usdPerHour(usd: number): string {
  return `${usd.toFixed(4)} USD/h`;
}
