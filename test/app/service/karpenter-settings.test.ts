/** Every setting of Karpenter works, or is refused with what replaces it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseArguments } from '../../../src/app/command/parse-arguments.js';
import { UsageError } from '../../../src/app/command/usage-error.js';
import {
  KARPENTER_CLOUD_GATES,
  KARPENTER_GATES,
  KARPENTER_SETTINGS,
  withKarpenterSettings,
} from '../../../src/app/service/options/karpenter-settings.js';
import { readServiceOptions, SERVICE_FLAGS } from '../../../src/app/service/options/options.js';
import type { ServiceOptions } from '../../../src/app/service/options/service-options.js';
import { projectRoot } from '../../architecture/project-files.js';

function options(env: Readonly<Record<string, string>>): ServiceOptions {
  return readServiceOptions(parseArguments([], { flags: SERVICE_FLAGS, maxWords: 0 }), env);
}

test("Karpenter's own variables set Berth's options", () => {
  const env = {
    BATCH_MAX_DURATION: '1m30s',
    BATCH_IDLE_DURATION: '500ms',
    METRICS_PORT: '9090',
    HEALTH_PROBE_PORT: '9091',
    ISOLATED_VPC: 'true',
    DISABLE_DRY_RUN: 'true',
    ENABLE_PROFILING: 'true',
    PREFERENCE_POLICY: 'Ignore',
    MIN_VALUES_POLICY: 'BestEffort',
    SCHEDULER_CONFIG:
      'podTopologySpread: {defaultConstraints: [{maxSkew: 3, topologyKey: a/b, whenUnsatisfiable: ScheduleAnyway}]}',
    VM_MEMORY_OVERHEAD_PERCENT: '0.05',
    RESERVED_ENIS: '1',
    FEATURE_GATES: 'NodeRepair=true, SpotToSpotConsolidation=false,PodDeletionCostManagement=false',
    AWS_FEATURE_GATES: 'NodeClassCEL=true,RebootForRepair=false',
  };
  expect(options(env)).toMatchObject({
    batchMaxMillis: 90_000,
    batchIdleMillis: 500,
    metricsAddress: { host: '', port: 9090 },
    healthAddress: { host: '', port: 9091 },
    adminAddress: { host: '127.0.0.1', port: 8082 },
    cloudOptions: {
      isolatedVPC: true,
      checkPermissions: false,
      memoryOverheadPerMillion: 50_000,
      reservedInterfaces: 1,
      kubeletExpressions: true,
    },
    preferencePolicy: 'Ignore',
    minValuesPolicy: 'BestEffort',
    defaultSpread: [{ maxSkew: 3, topologyKey: 'a/b', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 }],
    spotToSpot: false,
    podDeletionCost: false,
  });
});

test("Berth's own variable counts more than that of Karpenter", () => {
  expect(options({ BATCH_MAX_DURATION: '20s', BATCH_MAX_SECONDS: '5' }).batchMaxMillis).toBe(5000);
});

test('a setting with the value of what Berth does in any case is accepted', () => {
  const fixed = KARPENTER_SETTINGS.filter(({ only }) => only !== undefined);
  const env = Object.fromEntries(fixed.map(({ name, only = '' }) => [name, only]));
  expect(() => options(env)).not.toThrow();
  const gates = (rows: typeof KARPENTER_GATES): string =>
    rows.map(({ name, only = 'true' }) => `${name}=${only}`).join(',');
  const all = { FEATURE_GATES: gates(KARPENTER_GATES), AWS_FEATURE_GATES: gates(KARPENTER_CLOUD_GATES) };
  expect(() => options(all)).not.toThrow();
});

test('what has no effect is refused, all at once, with what replaces it', () => {
  const env = {
    LEGACY_NODE_REPAIR: 'true',
    BATCH_MAX_DURATION: 'soon',
    FEATURE_GATES: 'CapacityBuffer=false,NodeRepare=true',
  };
  expect(() => withKarpenterSettings(env)).toThrow(
    new UsageError(
      [
        'BATCH_MAX_DURATION soon: expected a duration such as 10s, 500ms or 1m30s',
        'LEGACY_NODE_REPAIR true has no effect: there is one way of repair: within budgets, by policies for each reason',
        'FEATURE_GATES CapacityBuffer=false has no effect: CapacityBuffers are always read where the cluster has them',
        `FEATURE_GATES NodeRepare: expected one of ${KARPENTER_GATES.map(({ name }) => name).join(', ')}`,
      ].join('\n'),
    ),
  );
});

test.each(KARPENTER_SETTINGS.filter(({ variable, only }) => variable === undefined && only === undefined))(
  '$name is refused whatever its value',
  ({ name, text }) => {
    expect(() => options({ [name]: 'x' })).toThrow(`${name} x has no effect: ${text}`);
  },
);

interface Facts {
  readonly settings: readonly string[];
  readonly gates: readonly string[];
  readonly cloudGates: readonly string[];
}

test('no setting and no gate of Karpenter 1.15 lacks an answer', () => {
  const facts = JSON.parse(readFileSync(join(projectRoot, 'test/karpenter/names.json'), 'utf8')) as Facts;
  const names = (rows: typeof KARPENTER_GATES) => rows.map(({ name }) => name).sort();
  expect(names(KARPENTER_SETTINGS)).toEqual([...facts.settings].sort());
  expect(names(KARPENTER_GATES)).toEqual([...facts.gates].sort());
  expect(names(KARPENTER_CLOUD_GATES)).toEqual([...facts.cloudGates].sort());
});

test('the values of the chart that have no effect are those of the table', () => {
  const template = readFileSync(join(projectRoot, 'charts/berth/templates/_notices.tpl'), 'utf8');
  const [, list = ''] = /define "berth.fixedSettings" -}}\n(.*?){{- end -}}/s.exec(template) ?? [];
  const rows = parse(list) as readonly (readonly [string, unknown, string])[];
  const byPath = new Map([
    ...[...KARPENTER_GATES, ...KARPENTER_CLOUD_GATES].map((row) => [row.name.toLowerCase(), row] as const),
    ...KARPENTER_SETTINGS.map((row) => [row.name.toLowerCase().replaceAll('_', ''), row] as const),
  ]);
  expect(rows.length).toBeGreaterThan(10);
  // Intervals are those of Berth unless they are given.
  for (const [path, value] of rows.filter(([, own]) => own !== '')) {
    const row = byPath.get(path.split('.').at(-1)?.toLowerCase() ?? '');
    expect([path, row?.only ?? '']).toEqual([path, String(value)]);
  }
});
