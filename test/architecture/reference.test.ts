/** The generated pages of docs/reference are those that the program of now would give. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  conditionsPage,
  crdsPage,
  eventsPage,
  flagsPage,
  metricsPage,
  policiesPage,
  reasonsPage,
} from '../../scripts/reference-pages.js';
import {
  CLAIM_CONDITIONS,
  COMMANDS,
  createMetrics,
  DECISION_REASONS,
  EVENT_REASONS,
  METHODS,
  nodeRefusals,
  POLICY_CONDITIONS,
  poolReasons,
} from '../../scripts/reference-source.js';
import type { ConditionTable } from '../../src/domain/values/condition.js';
import { projectFiles, projectRoot, readProjectFile } from './project-files.js';

type Metrics = Parameters<typeof metricsPage>[0];
type Definition = Parameters<typeof crdsPage>[0][number];
type Schema = Parameters<typeof policiesPage>[0][number][1];

/** The names of a folder's files with this ending, sorted. */
function namesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith(ending) && name !== 'kustomization.yaml')
    .sort();
}

/** Reasons that are made of the type of another condition. */
const READINESS: ReadonlySet<string> = new Set(['NotLaunched', 'NotRegistered', 'NotInitialized']);

/** Reasons of conditions that are not the condition's own type. */
function reasonsIn(table: ConditionTable): readonly string[] {
  return Object.entries(table).flatMap(([type, { reasons }]) =>
    Object.keys(reasons).filter((reason) => reason !== type && !READINESS.has(reason)),
  );
}

function sourceText(isMeant: (path: string) => boolean): string {
  return projectFiles()
    .filter((path) => path.startsWith('src/') && path.endsWith('.ts') && isMeant(path))
    .map(readProjectFile)
    .join('\n');
}

describe('docs/reference (make generate writes it)', () => {
  test('has every command and flag as the command line gives them', async () => {
    expect(readProjectFile('docs/reference/flags.md')).toBe(await flagsPage(COMMANDS));
  });

  test('has every metric as the registry gives it', () => {
    // prom-client's types leave out the names of labels.
    const metrics = createMetrics().registry.getMetricsAsArray() as unknown as Metrics;
    expect(metrics.length).toBeGreaterThan(50);
    expect(readProjectFile('docs/reference/metrics.md')).toBe(metricsPage(metrics));
  });

  test('has every reason of an event', () => {
    expect(readProjectFile('docs/reference/events.md')).toBe(eventsPage(EVENT_REASONS));
  });

  test('has every condition of NodeClaims and policies with its reasons', () => {
    const page = conditionsPage({ claims: CLAIM_CONDITIONS, policies: POLICY_CONDITIONS, methods: METHODS });
    expect(readProjectFile('docs/reference/conditions.md')).toBe(page);
    const types = METHODS.flatMap(({ condition }) => condition?.type ?? []);
    expect(types.filter((type) => !page.includes(`| \`${type}\` |`))).toEqual([]);
  });

  test('has every reason of a Decision in the words that Berth writes', () => {
    const page = reasonsPage({
      pools: poolReasons(),
      refusals: nodeRefusals(),
      methods: METHODS,
      decisions: DECISION_REASONS,
    });
    expect(readProjectFile('docs/reference/reasons.md')).toBe(page);
    expect(page).toMatch(
      /`UntoleratedTaint` \| taint team=red:NoSchedule is not tolerated \| add a toleration/,
    );
  });

  test('lists no reason that the code never gives', () => {
    const tables =
      /^src\/domain\/(records\/(event|decision)-reasons|nodes\/claim-conditions|policies\/policy-conditions)\.ts$/;
    const code = sourceText((path) => !tables.test(path));
    const isGiven = (reason: string): boolean => code.includes(`'${reason}'`);
    const listed = [
      ...Object.keys(EVENT_REASONS),
      ...Object.keys(DECISION_REASONS),
      ...reasonsIn(CLAIM_CONDITIONS),
      ...reasonsIn(POLICY_CONDITIONS),
    ];
    expect(listed.filter((reason) => !isGiven(reason))).toEqual([]);
  });

  test('has every field of the CustomResourceDefinitions', () => {
    const definitions = namesIn('manifests/crds', '.yaml').map(
      (name) => parse(readProjectFile(`manifests/crds/${name}`)) as Definition,
    );
    expect(definitions).toHaveLength(4);
    expect(readProjectFile('docs/reference/crds.md')).toBe(crdsPage(definitions));
  });

  test('has every field of the schemas of policies', () => {
    const schemas = namesIn('docs/schemas', '.json').map(
      (name) => [name, JSON.parse(readProjectFile(`docs/schemas/${name}`)) as Schema] as const,
    );
    expect(schemas.length).toBeGreaterThan(5);
    expect(readProjectFile('docs/reference/policies.md')).toBe(policiesPage(schemas));
  });
});
