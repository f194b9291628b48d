/** A disruption method is one file and one row: what that makes of Berth, bundled with the one and the other planted. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';

const HERE = 'test/controllers/disruption/planted-method';

/** Adds the row to the list of methods; every other file is as it is. */
const plantRow: Plugin = {
  name: 'plant a disruption method',
  setup: (bundle) => {
    bundle.onLoad({ filter: /planning\/disrupt\/methods\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const row = text.replace('  drift,\n', '  drift,\n  retirement,\n');
      if (row === text) throw new Error('the list of methods has no row for drift');
      const file = JSON.stringify(join(process.cwd(), HERE, 'retirement.ts'));
      return { contents: `import { retirement } from ${file};\n${row}`, loader: 'ts' };
    });
  },
};

test('a method of one file and one row keeps its condition, asks budgets, refuses in its own words and replaces nodes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-planted-'));
  try {
    const outfile = join(folder, 'retire.mjs');
    await build({
      entryPoints: [join(HERE, 'retire.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      plugins: [plantRow],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
    const seen = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect(seen).toMatchObject({ retired: 1, unbound: 0, nodes: 1, counted: ['retired 1'] });
    expect(seen['seconds']).toBeLessThan(120);
    expect(seen['refused']).toContain(
      'TooManyPods: Retired: it runs 3 pods, and no retired node may have more than two',
    );
    expect(seen['refused']).toContainEqual(
      expect.stringMatching(/^Budget: Retired: budgets allow 0 of 1 nodes of NodePool general/),
    );
    expect(seen['disrupted']).toContainEqual(
      expect.stringMatching(/^Retired\/Replace: 2 pods have room on other nodes/),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
