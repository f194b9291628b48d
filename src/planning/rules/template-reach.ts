/** What a claim may still become: it is opened in one column, and may be launched in others of its template. */
import type { Admission } from '../model/constraints/admission.js';
import type { Launchables } from '../model/launch/launchables.js';
import type { NodeConstraint } from '../model/constraints/node-constraint.js';

export class TemplateReach {
  readonly #admission: Admission;
  /** Column → index of its template. */
  readonly #template: Int32Array;
  /** Admitted columns → template → whether some column of it is among them. */
  readonly #known = new Map<Uint8Array, readonly boolean[]>();

  constructor({ columnRow, rowTemplate }: Launchables, admission: Admission) {
    this.#admission = admission;
    this.#template = columnRow.map((row) => rowTemplate[row]?.index ?? 0);
  }

  /** Whether the constraint admits some column of the template that this one is of. */
  admits(constraint: NodeConstraint, column: number): boolean {
    const admitted = this.#admission.columns(constraint);
    const known = this.#known.get(admitted) ?? this.#templatesIn(admitted);
    this.#known.set(admitted, known);
    return known[this.#template[column] ?? -1] ?? false;
  }

  #templatesIn(admitted: Uint8Array): readonly boolean[] {
    const found: boolean[] = [];
    admitted.forEach((byte, column) => {
      if (byte === 1) found[this.#template[column] ?? 0] = true;
    });
    return found;
  }
}
