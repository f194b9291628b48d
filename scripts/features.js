// The page docs/reference/features.md: each feature of a node's life, with the tests that show it.
import { cellText } from './markdown.js';

/**
 * `tests` has the full names of tests by file; a row without any is absent. `missing` says what is not built.
 * @typedef {{ id: string, feature: string, karpenter: 'same' | 'different' | 'absent', difference?: string, missing?: string,
 *   tests?: Readonly<Record<string, readonly string[]>> }} FeatureRow
 * @typedef {{ title: string, rows: readonly FeatureRow[] }} FeatureSection
 */

/** Where tests run, by the beginning of their path; the first that fits. */
const WORLDS = [
  ['test/scenario/cases/', 'both'],
  ['test/controlplane/', 'control plane'],
  ['test/aws/', 'moto'],
  ['', 'simulated'],
];

/** @param {readonly FeatureSection[]} sections @returns {string} */
export function featuresPage(sections) {
  const rows = sections.flatMap((section) => section.rows);
  const count = (/** @type {string} */ answer) => rows.filter((row) => here(row) === answer).length;
  return [
    '# Features',
    '',
    '<!-- Written by `make generate` from test/karpenter/features.json: do not change it by hand. -->',
    '',
    `What Berth does between a pending pod and the end of its node, beside Karpenter 1.15. Of ${rows.length} rows, ${count('works')}`,
    `work, ${count('partly')} work partly and ${count('absent')} are absent. A test fails when a named test does not exist.`,
    '',
    '- Here: `works`, `partly` (what is missing is said), or `absent`.',
    '- Karpenter: `same`, `different` (the difference is said), or `absent`: Karpenter does not have it.',
    '- Tests: `both` are scenarios that run in the simulated world and on a real control plane; `control plane` runs on a real control',
    '  plane only, `moto` against a simulated AWS of other authors, `simulated` in the process of the test.',
    '',
    ...sections.flatMap(({ title, rows: own }) => [
      `## ${title}`,
      '',
      '| Row | Feature | Here | Karpenter 1.15 | Tests |',
      '| --- | --- | --- | --- | --- |',
      ...own.map(line),
      '',
    ]),
  ].join('\n');
}

/** @param {FeatureRow} row @returns {'works' | 'partly' | 'absent'} */
export function here({ tests, missing }) {
  if (tests === undefined) return 'absent';
  return missing === undefined ? 'works' : 'partly';
}

/** @param {FeatureRow} row */
function line(row) {
  const { id, feature, karpenter, difference, missing, tests = {} } = row;
  const named = Object.entries(tests).flatMap(([path, names]) =>
    names.map((name) => `${worldOf(path)}: [${cellText(name)}](../../${path})`),
  );
  const cells = [id, cellText(feature), said(here(row), missing), said(karpenter, difference)];
  return `| ${[...cells, named.join('<br>')].join(' | ')} |`;
}

/** @param {string} word @param {string | undefined} text */
function said(word, text) {
  return text === undefined ? word : `${word}: ${cellText(text)}`;
}

/** @param {string} path */
function worldOf(path) {
  return WORLDS.find(([start = '']) => path.startsWith(start))?.[1] ?? '';
}
