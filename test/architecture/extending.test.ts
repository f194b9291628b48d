/** The recipes of CONTRIBUTING.md: each is followed in a copy of the sources, and the copy is built and run. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { projectRoot } from './project-files.js';

/** Building takes seconds on a busy computer. */
const PATIENCE = 60_000;
const REQUIRE =
  "import { createRequire as planted } from 'node:module'; const require = planted(import.meta.url);";

/** A copy of the sources that counts the files that are written in it. */
class PlantedSources {
  readonly root = mkdtempSync(join(tmpdir(), 'berth-'));
  readonly written = new Set<string>();

  constructor() {
    cpSync(join(projectRoot, 'src'), join(this.root, 'src'), { recursive: true });
    cpSync(join(projectRoot, 'package.json'), join(this.root, 'package.json'));
    symlinkSync(join(projectRoot, 'node_modules'), join(this.root, 'node_modules'));
  }

  write(path: string, text: string): void {
    this.written.add(path);
    writeFileSync(join(this.root, path), text);
  }

  /** Puts a text in front of the only place where another stands. */
  insert(path: string, before: string, text: string): void {
    const parts = readFileSync(join(this.root, path), 'utf8').split(before);
    if (parts.length !== 2) throw new Error(`${path} has ${String(parts.length - 1)} times ${before}`);
    this.write(path, parts.join(`${text}${before}`));
  }

  /** Builds an entry and answers what it prints. */
  run(entry: string, argv: readonly string[]): string {
    const outdir = join(this.root, 'out');
    execFileSync(
      join(projectRoot, 'node_modules/.bin/esbuild'),
      [
        ...[join(this.root, entry), `--outdir=${outdir}`, '--bundle', '--splitting', '--format=esm'],
        ...['--platform=node', '--main-fields=module,main', `--banner:js=${REQUIRE}`],
        ...['--entry-names=program', '--log-level=error'],
      ],
      { cwd: this.root },
    );
    return execFileSync(process.execPath, [join(outdir, 'program.js'), ...argv], { encoding: 'utf8' });
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

describe('an addition', () => {
  let sources: PlantedSources;
  beforeEach(() => {
    sources = new PlantedSources();
  });
  afterEach(() => {
    sources.remove();
  });

  test(
    'of a command takes two files, and help lists it',
    () => {
      sources.write(
        'src/app/cli/commands/greet.ts',
        `import type { Command } from '../../command/command.js';
export const GREET: Command = {
  usage: 'NAME', maxWords: 1, flags: [], details: [],
  run: (args, io) => { io.stdout.write(\`hello \${args.words[0] ?? ''}\\n\`); return 0; },
};
`,
      );
      sources.insert(
        'src/app/cli/commands.ts',
        '\n];\n',
        "\n  { name: 'greet', summary: 'Greet by name', load: async () => (await import('./commands/greet.js')).GREET },",
      );
      expect(sources.run('src/app/main.ts', ['greet', 'ana'])).toBe('hello ana\n');
      expect(sources.run('src/app/main.ts', ['--help'])).toMatch(/^ {2}greet +Greet by name$/m);
      expect(sources.written.size).toBe(2);
    },
    PATIENCE,
  );

  test(
    'of a metric takes one file, besides its use',
    () => {
      sources.insert(
        'src/runtime/metrics/metrics.ts',
        "    planPods: gauge('berth_plan_pods'",
        "    planGreetings: counter('berth_plan_greetings_total', 'Number of greetings.', ['name']),\n",
      );
      expect(sources.written.size).toBe(1);
      sources.write(
        'src/use.ts',
        `import { createMetrics } from './runtime/metrics/metrics.js';
const metrics = createMetrics();
metrics.planGreetings.inc({ name: 'ana' });
console.log(await metrics.registry.metrics());
`,
      );
      expect(sources.run('src/use.ts', [])).toContain('\nberth_plan_greetings_total{name="ana"} 1\n');
    },
    PATIENCE,
  );

  test(
    'of a webhook default takes three files: documents have it, explain shows it, and pods get it',
    () => {
      sources.insert(
        'src/domain/policies/pod-defaults.ts',
        '  readonly nodeSelector: Labels;\n',
        '  /** Name of a PriorityClass. */\n  readonly priorityClassName: string | undefined;\n',
      );
      sources.write(
        'src/apis/pod-defaults/defaults/priority-class-name.ts',
        `import * as z from 'zod';
import { podDefault } from '../pod-default.js';
import { textIn } from '../submitted-pod.js';
export const priorityClassName = podDefault<'priorityClassName'>()({
  schema: z.string().min(1).describe('Name of the PriorityClass of pods that name none.').optional(),
  read: (written) => written,
  stamps: ({ priorityClassName: value }, { spec }) => {
    if (value === undefined || textIn(spec, 'priorityClassName') !== '') return undefined;
    const addition = { kind: 'field', at: ['spec', 'priorityClassName'], value } as const;
    return [{ field: 'priorityClassName', text: \`priorityClassName \${value}\`, addition }];
  },
});
`,
      );
      sources.insert(
        'src/apis/pod-defaults/defaults.ts',
        'import { schedulerName }',
        "import { priorityClassName } from './defaults/priority-class-name.js';\n",
      );
      sources.insert('src/apis/pod-defaults/defaults.ts', '  schedulerName,\n', '  priorityClassName,\n');
      expect(sources.written.size).toBe(3);
      const explained = sources.run('src/app/main.ts', ['explain', 'poddefaults.spec.priorityClassName']);
      expect(explained).toContain('Name of the PriorityClass of pods that name none.');
      sources.write(
        'src/use.ts',
        `import { podDefaultsV1, toPodDefaults } from './apis/pod-defaults/v1.js';
import { byPriority, stampPod } from './planning/placement/stamp-pod.js';
const document = (name: string, spec: object) =>
  toPodDefaults(podDefaultsV1.parse({ apiVersion: 'berth.sh/v1', kind: 'PodDefaults', metadata: { name }, spec }));
const podDefaults = [
  document('low', { priorityClassName: 'batch', schedulerName: 'my-scheduler' }),
  document('high', { priority: 1, priorityClassName: 'web' }),
].sort(byPriority);
const stamped = (spec: object) =>
  stampPod({ pod: { metadata: {}, spec }, namespace: 'shop', namespaceLabels: new Map(), podDefaults,
    schedulerRuns: true, ownNamespace: 'berth' }).patch;
console.log(JSON.stringify([stamped({}), stamped({ priorityClassName: 'own', schedulerName: 'default-scheduler' })]));
`,
      );
      const record = (fields: object) => ({
        op: 'add',
        path: '/metadata/annotations',
        value: { 'berth.sh/stamped': JSON.stringify(fields) },
      });
      const scheduler = { op: 'add', path: '/spec/schedulerName', value: 'my-scheduler' };
      expect(JSON.parse(sources.run('src/use.ts', []))).toEqual([
        [
          { op: 'add', path: '/spec/priorityClassName', value: 'web' },
          scheduler,
          record({ priorityClassName: 'high', schedulerName: 'low' }),
        ],
        [scheduler, record({ schedulerName: 'low' })],
      ]);
    },
    PATIENCE,
  );
});
