/**
 * Ladders: how a fact grows with the vCPUs of a size. `2:750 4:1250 16:5000` is 750 from 2 vCPUs on, 1250 from 4 on and 5000
 * from 16 on; a value is a number, or a pair such as `3x10`. Families share them: a ladder is called after one that has it.
 */

/** vCPUs from which a value holds, and the value; ascending. */
type Steps = readonly (readonly [vcpu: number, value: string])[];

/** Name → steps. */
export type Ladders = ReadonlyMap<string, Steps>;

/** Reads lines of a name and its steps. */
export function parseLadders(text: string): Ladders {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), parseSteps(line, ' ')]));
}

function parseSteps(text: string, separator: string): Steps {
  return text
    .split(separator)
    .filter((step) => step.includes(':'))
    .map((step) => [Number(step.slice(0, step.indexOf(':'))), step.slice(step.indexOf(':') + 1)]);
}

/**
 * What a cell of a family's row says for a size with so many vCPUs. The cell is `-` (nothing: 0), the name of a ladder,
 * a ladder of its own with commas between its steps, or one value for every size.
 * @throws RangeError when the ladder begins above the size.
 */
export function valueAt(cell: string, vcpu: number, ladders: Ladders): string {
  if (cell === '-') return '0';
  const steps = ladders.get(cell) ?? (cell.includes(':') ? parseSteps(cell, ',') : undefined);
  if (!steps) return cell;
  const step = steps.findLast(([from]) => from <= vcpu);
  if (!step) throw new RangeError(`ladder ${cell}: no value for ${String(vcpu)} vCPUs`);
  return step[1];
}
