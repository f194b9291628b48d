/**
 * Reads the tables of family facts: a header, then a line per family.
 *
 * | column | says |
 * |---|---|
 * | family | the name before the dot |
 * | cpu | manufacturer: intel, amd, or aws (Graviton, hence arm64) |
 * | mhz | sustained clock speed (number or ladder) |
 * | sizes | the names after the dot; `a..b` runs through the common sizes |
 * | gib | memory per vCPU, or memory/vCPUs of one size |
 * | usd | on-demand price per vCPU and hour for Linux in us-east-1, or price/vCPUs of one size |
 * | eni | interfaces × addresses (pair or ladder) |
 * | network, ebs | Mbps (number or ladder) |
 * | branch | branch interfaces (number or ladder) |
 * | efa | Elastic Fabric Adapters (number or ladder) |
 * | nvme | GB of local disks (number or ladder) |
 * | notes | xen: not Nitro; plaintext: no encryption between instances; no-enclaves: no Nitro Enclaves; on-demand: not sold on spot |
 *
 * Exceptions are lines of a type's name and what it has instead; `vcpu` and `mib` are vCPUs and MiB, `usd` the whole price.
 */

/** The row of one family; cells that are numbers, pairs or ladders are kept as text until a size is known. */
export interface FamilyFacts {
  readonly family: string;
  readonly cpu: string;
  readonly sizes: string;
  readonly gib: number;
  readonly usd: number;
  readonly notes: readonly string[];
  /** mhz, eni, network, ebs, branch, efa, nvme. */
  readonly cells: ReadonlyMap<string, string>;
}

/** Type name → column → what holds instead. */
export type Exceptions = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Rows of a table as column → cell; the first line names the columns. */
export function parseTable(text: string): readonly ReadonlyMap<string, string>[] {
  const [header = [], ...rows] = lines(text).map((line) => line.split(/ +/));
  return rows.map((cells) => {
    if (cells.length !== header.length)
      throw new RangeError(`row ${cells.join(' ')}: not one cell for each of ${header.join(', ')}`);
    return new Map(header.map((column, index) => [column, cells[index] ?? '']));
  });
}

/** @throws RangeError when a row has not one cell per column, or a number is none. */
export function parseFamilies(text: string): readonly FamilyFacts[] {
  return parseTable(text).map((cells) => {
    const cell = (column: string) => cells.get(column) ?? '';
    return {
      family: cell('family'),
      cpu: cell('cpu'),
      sizes: cell('sizes'),
      gib: ratio(cell('gib')),
      usd: ratio(cell('usd')),
      notes: cell('notes').split(','),
      cells,
    };
  });
}

export function parseExceptions(text: string): Exceptions {
  return new Map(
    lines(text).map((line) => {
      const [name = '', ...pairs] = line.split(/ +/);
      return [name, new Map(pairs.map((pair) => pair.split('=') as [string, string]))];
    }),
  );
}

function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** `0.5` or `64/128`. */
function ratio(text: string): number {
  const [over = NaN, under = 1] = text.split('/').map(Number);
  if (!Number.isFinite(over / under)) throw new RangeError(`${text}: expected a number or a fraction`);
  return over / under;
}
