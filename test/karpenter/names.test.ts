/** docs/compatibility.md answers for every name of Karpenter, and "same" is true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compatibilityTables, MARK } from '../../scripts/compatibility.js';
import { WELL_KNOWN_LABELS, UNSUPPLIED } from '../../src/apis/fields/well-known-labels.js';
import {
  KARPENTER_CLOUD_GATES,
  KARPENTER_GATES,
  KARPENTER_SETTINGS,
} from '../../src/app/service/options/karpenter-settings.js';
import { EVENT_REASONS } from '../../src/domain/records/event-reasons.js';
import { projectFiles, projectRoot, readProjectFile } from '../architecture/project-files.js';

type Facts = Parameters<typeof compatibilityTables>[0];

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(projectRoot, path), 'utf8'));
}

const NAMES = readJson('test/karpenter/names.json') as Facts['names'];
const ANSWERS = readJson('scripts/compatibility/names.json') as Facts['answers'];

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function pathsOf({ properties = {}, items }: Schema, path = ''): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, child]) => {
    const field = path === '' ? name : `${path}.${name}`;
    return [field, ...pathsOf(child, field)];
  });
  return items === undefined ? own : [...own, ...pathsOf(items, `${path}[]`)];
}

/** The fields that documents and NodeClaims have here. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  NodePool: pathsOf(readJson('docs/schemas/nodepool-karpenter.sh-v1.json') as Schema),
  EC2NodeClass: pathsOf(readJson('docs/schemas/ec2nodeclass-karpenter.k8s.aws-v1.json') as Schema),
  NodeOverlay: pathsOf(readJson('docs/schemas/nodeoverlay-karpenter.sh-v1alpha1.json') as Schema),
  NodeClaim: [...readProjectFile('docs/reference/crds.md').matchAll(/^\| `([^`]+)`/gm)].map(
    ([, field = '']) => field,
  ),
};
const SOURCE = projectFiles()
  .filter((path) => /^src\/.*\.ts$/.test(path))
  .map(readProjectFile)
  .join('\n');

/** Names without an answer of their own, which are the same here. */
function same(names: readonly string[], prefix = ''): readonly string[] {
  return names.filter((name) => ANSWERS[`${prefix}${name}`] === undefined);
}

test.each(Object.keys(NAMES.fields))('every field of %s that is the same is a field here', (kind) => {
  const fields = NAMES.fields[kind] ?? [];
  expect(fields.length).toBeGreaterThan(10);
  expect(same(fields, `${kind} `).filter((field) => OURS[kind]?.includes(field) !== true)).toEqual([]);
});

test('every label, annotation, taint and event that is the same has a meaning here', () => {
  const known = (name: string): boolean => WELL_KNOWN_LABELS.includes(name) || SOURCE.includes(`'${name}'`);
  expect(
    same([...NAMES.labels, ...NAMES.annotations, ...NAMES.marks]).filter((name) => !known(name)),
  ).toEqual([]);
  expect(same(NAMES.labels).filter((name) => UNSUPPLIED.has(name))).toEqual([]);
  expect(same(NAMES.events, 'Event ').filter((reason) => !(reason in EVENT_REASONS))).toEqual([]);
});

test('every other answer is about a name of Karpenter, and says what is different', () => {
  const all = new Set([
    ...Object.entries(NAMES.fields).flatMap(([kind, fields]) => fields.map((field) => `${kind} ${field}`)),
    ...[NAMES.labels, NAMES.annotations, NAMES.marks].flat(),
    ...NAMES.events.map((reason) => `Event ${reason}`),
  ]);
  expect(Object.keys(ANSWERS).filter((name) => !all.has(name))).toEqual([]);
  const empty = Object.entries(ANSWERS).filter(
    ([, { answer, text }]) => !['different', 'absent'].includes(answer) || text === '',
  );
  expect(empty).toEqual([]);
});

test('the page has the tables of now, without a row that lacks an answer', () => {
  const page = readProjectFile('docs/compatibility.md');
  const tables = compatibilityTables({
    names: NAMES,
    answers: ANSWERS,
    metrics: readJson('test/karpenter/metrics.json') as Facts['metrics'],
    absentMetrics: readJson('scripts/compatibility/metrics.json') as Facts['absentMetrics'],
    settings: KARPENTER_SETTINGS,
    gates: KARPENTER_GATES,
    cloudGates: KARPENTER_CLOUD_GATES,
  });
  expect(page.slice(page.indexOf(MARK))).toBe(tables);
  const rows = tables.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(350);
  expect(rows.filter((row) => !/\| (?:same|different|absent|works|refused)/.test(row))).toEqual([]);
});
