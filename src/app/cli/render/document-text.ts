/** Values as JSON or YAML text. */
import { stringify } from 'yaml';

/** Indented JSON with a newline at the end; members in the order they were put in. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** One YAML document; no aliases and no folding, so that each line stands for itself. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Several YAML documents, with `---` between them. */
export function yamlStream(values: readonly unknown[]): string {
  return values.map(yamlText).join('---\n');
}
