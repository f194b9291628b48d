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
});
