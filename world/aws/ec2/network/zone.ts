/** Availability Zones of a region. */

export interface Zone {
  /** `eu-west-3a`. */
  readonly name: string;
  /** `euw3-az1`: the same place in every account. */
  readonly id: string;
}

const DIRECTIONS: Readonly<Record<string, string>> = {
  northeast: 'ne',
  northwest: 'nw',
  southeast: 'se',
  southwest: 'sw',
};

/** Numbered in the order given. */
export function zonesOf(region: string, names: readonly string[]): readonly Zone[] {
  const [area = '', ...rest] = region.split('-');
  const short = area + rest.map((word) => DIRECTIONS[word] ?? word.slice(0, 1)).join('');
  return names.map((name, index) => ({ name, id: `${short}-az${String(index + 1)}` }));
}
