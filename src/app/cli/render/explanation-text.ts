/** A field's explanation for people, much as kubectl explain lays it out. */
import type { FieldExplanation, FieldSummary } from '../../../apis/schema/explain-field.js';
import { indent, tableLines } from './text/table.js';
import type { Terminal } from './text/terminal.js';
import { wrap } from './text/wrap.js';

const WIDTH = 100;

/** Path, type and bounds, meaning, and what lies directly below. */
export function explanationText(field: FieldExplanation, { style }: Terminal): string {
  const facts = [
    ['FIELD', `${style.bold(field.path)}  <${field.type}>${field.required ? '  required' : ''}`],
    ['VERSION', field.apiVersion],
    ...limitsOf(field),
  ];
  const meaning = field.description === '' ? [] : ['', ...wrap(field.description, WIDTH)];
  const below = field.children.length === 0 ? [] : ['', style.bold('FIELDS'), ...childLines(field.children)];
  return `${[...tableLines(NO_HEADERS, facts).slice(1), ...meaning, ...below].join('\n')}\n`;
}

const NO_HEADERS = [{ header: '' }, { header: '' }];

function limitsOf(field: FieldSummary | FieldExplanation): readonly (readonly string[])[] {
  return [
    ...(field.default === undefined ? [] : [['DEFAULT', JSON.stringify(field.default)]]),
    ...(field.allowed.length === 0 ? [] : [['ALLOWED', field.allowed.join(', ')]]),
    ...(field.bounds === '' ? [] : [['BOUNDS', field.bounds]]),
  ];
}

function childLines(children: readonly FieldSummary[]): readonly string[] {
  return children.flatMap((child) => {
    const words = [`<${child.type}>`, ...(child.required ? ['required'] : [])];
    const limits = limitsOf(child).map(([name = '', value = '']) => `${name.toLowerCase()}: ${value}`);
    return [
      ...indent([`${child.name}  ${[...words, ...limits].join('  ')}`], 2),
      ...indent(wrap(child.description, WIDTH - 6), 6),
    ];
  });
}
