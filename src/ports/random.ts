/** Chance, as a port. */

export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** Lower-case hexadecimal characters. */
  hex(length: number): string;
}
