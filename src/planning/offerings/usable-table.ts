/** Usable columns by content: demands of different plans mostly allow the same of the same launchables. */
import type { Launchables } from '../model/launch/launchables.js';
import { launchTables, type LaunchTables } from './launch-tables.js';

/** What a demand leaves of a template, in the domains of the column chosen. Equal answers are one object. */
export interface UsableColumns {
  readonly template: number;
  /** Column → 1 where the demand allows it; to be read for columns of the template only. */
  readonly allowed: Uint8Array;
  /** Rows with an allowed column, by the price of the cheapest; not those that DaemonSets alone overfill. */
  readonly rows: Int32Array;
  /** The cheapest allowed column of each of these rows. */
  readonly columns: Int32Array;
  /** Room of each of these rows: rows × R. */
  readonly room: Float64Array;
}

/** Bytes after which all is forgotten, between two plans. */
const MOST_BYTES = 2 ** 24;

const TABLES = new WeakMap<Launchables, UsableTable>();

/** One for as long as the launchables last; to be asked for once per plan. */
export function usableTable(launchables: Launchables): UsableTable {
  const known = TABLES.get(launchables) ?? new UsableTable(launchables);
  TABLES.set(launchables, known);
  known.trim();
  return known;
}

export class UsableTable {
  readonly #launchables: Launchables;
  readonly #tables: LaunchTables;
  /** Hash → all that have it. */
  readonly #known = new Map<number, UsableColumns[]>();
  #bytes = 0;

  constructor(launchables: Launchables) {
    this.#launchables = launchables;
    this.#tables = launchTables(launchables);
  }

  /** Makes room where too much is remembered; to be called between plans. */
  trim(): void {
    if (this.#bytes <= MOST_BYTES) return;
    this.#known.clear();
    this.#bytes = 0;
  }

  /** What is left of a template where these columns of it are allowed. */
  of(template: number, allowed: Uint8Array): UsableColumns {
    const byPrice = this.#tables.byPrice(template);
    const hash = hashOf(template, byPrice, allowed);
    const alike = this.#known.get(hash) ?? [];
    this.#known.set(hash, alike);
    const known = alike.find(
      (other) => other.template === template && areAlike(byPrice, other.allowed, allowed),
    );
    if (known !== undefined) return known;
    const made = { template, allowed, ...this.#rowsByPrice(byPrice, allowed) };
    alike.push(made);
    this.#bytes += allowed.byteLength + made.room.byteLength;
    return made;
  }

  #rowsByPrice(byPrice: Int32Array, allowed: Uint8Array): Pick<UsableColumns, 'rows' | 'columns' | 'room'> {
    const { columnRow, rowType, net } = this.#launchables;
    const width = net.length / Math.max(1, rowType.length);
    const seen = new Uint8Array(rowType.length);
    const rows: number[] = [];
    const columns: number[] = [];
    for (const column of byPrice) {
      const row = columnRow[column] ?? 0;
      if (allowed[column] !== 1 || seen[row] === 1 || this.#tables.isUsable[row] !== 1) continue;
      seen[row] = 1;
      rows.push(row);
      columns.push(column);
    }
    const room = new Float64Array(rows.length * width);
    rows.forEach((row, index) => {
      room.set(net.subarray(row * width, (row + 1) * width), index * width);
    });
    return { rows: Int32Array.from(rows), columns: Int32Array.from(columns), room };
  }
}

function hashOf(template: number, columns: Int32Array, allowed: Uint8Array): number {
  let hash = template;
  for (const column of columns) hash = (Math.imul(hash, 31) + (allowed[column] ?? 0)) | 0;
  return hash;
}

function areAlike(columns: Int32Array, left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true;
  for (const column of columns) if (left[column] !== right[column]) return false;
  return true;
}
