// The tables of docs/compatibility.md: every name of Karpenter 1.15, and whether it is the same here, different or absent.

/**
 * @typedef {{ answer: 'different' | 'absent', text: string }} Answer
 * @typedef {{ name: string, text: string, only?: string | undefined, variable?: string | undefined }} Setting
 * @typedef {{
 *   names: { fields: Readonly<Record<string, readonly string[]>>, labels: readonly string[],
 *     annotations: readonly string[], marks: readonly string[], events: readonly string[] },
 *   answers: Readonly<Record<string, Answer>>,
 *   metrics: readonly { name: string, type: string, labels: readonly string[] }[],
 *   absentMetrics: Readonly<Record<string, string>>,
 *   settings: readonly Setting[], gates: readonly Setting[], cloudGates: readonly Setting[],
 * }} Facts
 */

/** Below this line the page is written by `make generate`. */
export const MARK = '<!-- Written by `make generate` from here on: do not change it by hand. -->';

/** @param {Facts} facts @returns {string} */
export function compatibilityTables({ names, answers, metrics, absentMetrics, settings, gates, cloudGates }) {
  const rows = (/** @type {readonly string[]} */ list, prefix = '') =>
    list.map((name) => {
      const { answer, text } = answers[`${prefix}${name}`] ?? { answer: 'same', text: '' };
      return [`\`${name}\``, answer, text];
    });
  const settingRows = (/** @type {readonly Setting[]} */ list, what = '') =>
    list.map((row) => [`\`${what}${row.name}\``, settingAnswer(row), row.text]);
  return [
    MARK,
    '',
    ...section(
      'Settings',
      'Environment variables and feature gates. Berth does not start with a value that is refused.',
      ['Setting', 'Answer', 'What it does here'],
      [
        ...settingRows(settings),
        ...settingRows(gates, 'FEATURE_GATES: '),
        ...settingRows(cloudGates, 'AWS_FEATURE_GATES: '),
      ],
    ),
    ...Object.entries(names.fields).flatMap(([kind, fields]) =>
      section(`Fields of ${kind}`, '', ['Field', 'Answer', 'Difference'], rows(fields, `${kind} `)),
    ),
    ...section('Labels', '', ['Label', 'Answer', 'Difference'], rows(names.labels)),
    ...section('Annotations', '', ['Annotation', 'Answer', 'Difference'], rows(names.annotations)),
    ...section('Taints and finalizers', '', ['Name', 'Answer', 'Difference'], rows(names.marks)),
    ...section('Events', '', ['Reason', 'Answer', 'Difference'], rows(names.events, 'Event ')),
    ...section(
      'Metrics',
      'The same name has the same type, and at least the same labels. Labels of one instance type (`instance_family` and so on) are left out of the metrics of nodes.',
      ['Metric', 'Type', 'Answer', 'Reason'],
      metrics.map(({ name, type }) => {
        const why = absentMetrics[name];
        return [`\`${name}\``, type, why === undefined ? 'same' : 'absent', why ?? ''];
      }),
    ),
  ].join('\n');
}

/** @param {Setting} setting */
function settingAnswer({ variable, only }) {
  if (variable !== undefined) return 'works';
  return only === undefined ? 'refused' : `refused unless \`${only}\``;
}

/** @type {(title: string, intro: string, head: readonly string[], rows: readonly (readonly string[])[]) => string[]} */
function section(title, intro, head, rows) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const before = intro === '' ? [] : [intro, ''];
  return [`## ${title}`, '', ...before, line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}
