/** A copy of the project's lint set-up around a small tree of files, linted once by the ESLint that `make lint` runs. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from './project-files.js';

/** What ESLint said about one line of a file. */
export interface Finding {
  readonly rule: string | null;
  readonly line: number;
  readonly message: string;
}

interface LintedFile {
  readonly filePath: string;
  readonly messages: readonly {
    readonly ruleId: string | null;
    readonly line: number;
    readonly message: string;
  }[];
}

const setUp = [
  'package.json',
  'tsconfig.json',
  'eslint.config.js',
  'eslint.layers.js',
  'world/tsconfig.json',
  'test/tsconfig.json',
];

/**
 * Writes the files (path below the project's root → text) beside a copy of the lint set-up, and returns the findings per path.
 *
 * @throws Error when ESLint itself fails, rather than finds fault
 */
export async function lintTree(
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, readonly Finding[]>> {
  const tree = await realpath(await mkdtemp(join(tmpdir(), 'berth-lint-')));
  try {
    await Promise.all(['world', 'test'].map((folder) => mkdir(join(tree, folder))));
    await Promise.all(setUp.map((path) => cp(join(projectRoot, path), join(tree, path))));
    await symlink(join(projectRoot, 'node_modules'), join(tree, 'node_modules'), 'dir');
    for (const [path, text] of files) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    const linted = JSON.parse(await runEslint(tree)) as readonly LintedFile[];
    return new Map(
      linted.map((file) => [
        relative(tree, file.filePath),
        file.messages.map(({ ruleId, line, message }) => ({ rule: ruleId, line, message })),
      ]),
    );
  } finally {
    await rm(tree, { recursive: true });
  }
}

function runEslint(tree: string): Promise<string> {
  const eslint = join(projectRoot, 'node_modules/eslint/bin/eslint.js');
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [eslint, 'src', 'world', 'test', '--no-error-on-unmatched-pattern', '--format=json'],
      { cwd: tree, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        // Exit 1 means findings, which is what is asked for; anything else but 0 is ESLint's own failure.
        if (error === null || error.code === 1) resolve(stdout);
        else reject(new Error(`ESLint failed: ${stderr}`, { cause: error }));
      },
    );
  });
}
