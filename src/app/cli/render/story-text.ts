/** A story for people in a terminal. */
import { formatSeconds } from '../../../apis/kubernetes/object/time.js';
import type { Story, StoryRef } from '../../../state/story/story.js';
import { indent, tableLines } from './text/table.js';
import type { Terminal } from './text/terminal.js';
import type { Style } from './text/style.js';
import { wrap } from './text/wrap.js';

const WIDTH = 100;
const MOST_REFS = 20;

/** Headline, facts, why, what was considered, what would have to change, and what happened. */
export function storyText(story: Story, { style }: Terminal): string {
  const { subject, headline, facts, why, considered, changes, steps, related } = story;
  const changed = story.tone === 'bad' ? 'WHAT WOULD HAVE TO CHANGE' : 'WHAT WOULD CHANGE IT';
  const sections = [
    [style.bold(`${subject.kind} ${nameOf(subject)}`), painted(story, style)(headline)],
    columns(facts.map(({ label, value }) => [label, value])),
    titled(
      'WHY',
      why.flatMap((text) => wrap(text, WIDTH)),
      style,
    ),
    titled(
      'CONSIDERED',
      columns(considered.map(({ name, verdict, chosen }) => [chosen ? '*' : ' ', name, verdict])),
      style,
    ),
    titled(
      changed,
      changes.flatMap((text) => wrap(text, WIDTH)),
      style,
    ),
    titled(
      'WHAT HAPPENED',
      steps.flatMap((step) => stepLines(step, style)),
      style,
    ),
    ...related.map(({ label, refs }) => titled(label.toUpperCase(), refLines(refs), style)),
  ];
  const told = sections.filter((section) => section.length > 0).map((section) => section.join('\n'));
  return `${told.join('\n\n')}\n`;
}

function nameOf({ namespace, name }: StoryRef): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function painted({ tone }: Story, style: Style): (text: string) => string {
  switch (tone) {
    case 'good':
      return style.green;
    case 'bad':
      return style.red;
    case 'waiting':
    case 'leaving':
      return style.yellow;
    case 'neutral':
      return (text) => text;
  }
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const headers = Array.from({ length: width }, () => ({ header: '' }));
  return rows.length === 0 ? [] : tableLines(headers, rows).slice(1);
}

function titled(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : [style.bold(title), ...indent(lines, 2)];
}

function stepLines({ time, title, text, outcome }: Story['steps'][number], style: Style): readonly string[] {
  const at = formatSeconds(time).replace('T', ' ');
  return [
    `${style.dim(at)}  ${title}`,
    ...indent(wrap(text, WIDTH - 4), 4),
    ...(outcome === '' ? [] : indent(wrap(`-> ${outcome}`, WIDTH - 4), 4)),
  ];
}

function refLines(refs: readonly StoryRef[]): readonly string[] {
  const more = refs.length - MOST_REFS;
  const named = refs.slice(0, MOST_REFS).map((ref) => `${ref.kind} ${nameOf(ref)}`);
  return more > 0 ? [...named, `and ${String(more)} more`] : named;
}
