/** Zone names for a narrow column. */

/** Zones of one region share its name: `eu-west-3a,b,c`; others stand in full. */
export function zonesText(zones: readonly string[]): string {
  const [first, ...rest] = [...zones].sort();
  if (first === undefined) return '-';
  const region = first.slice(0, -1);
  return [first, ...rest.map((zone) => (zone.slice(0, -1) === region ? zone.slice(-1) : zone))].join(',');
}
