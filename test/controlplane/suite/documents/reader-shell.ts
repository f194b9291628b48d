/** The shell of a reader of the documents: in a checkout of its own, with the programs on the PATH and a kubeconfig for one cluster. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { EXIT_FINDINGS, EXIT_OK } from '../../../../src/app/command/exit-codes.js';
import { programPath } from '../../../chart/helm.js';
import type { ControlPlane } from '../../fixture/control-plane.js';

const ROOT = join(import.meta.dirname, '../../../..');
const BUNDLE = join(ROOT, 'dist/berth.js');
const STATEMENT_MILLIS = 120_000;

export interface ShellAnswer {
  /** null: it did not end in time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a name of the documents is in this cluster. */
export type ReadersName = readonly [documented: RegExp, here: string | (() => Promise<string>)];

export class ReaderShell {
  /** Where statements run, and what they write is. */
  readonly folder: string;
  readonly #cluster: ControlPlane;
  readonly #names: readonly ReadersName[];
  readonly #environment: Readonly<Record<string, string>>;

  constructor(
    cluster: ControlPlane,
    names: readonly ReadersName[],
    environment: Readonly<Record<string, string>> = {},
  ) {
    const home = join(cluster.folder, 'reader');
    const programs = join(home, 'bin');
    this.folder = join(home, 'berth');
    this.#cluster = cluster;
    this.#names = names;
    mkdirSync(programs, { recursive: true });
    mkdirSync(join(this.folder, '.berth'), { recursive: true });
    for (const name of ['charts', 'dist', 'manifests'])
      symlinkSync(join(ROOT, name), join(this.folder, name));
    symlinkSync(cluster.kubeconfig(), join(this.folder, '.berth/kubeconfig'));
    symlinkSync(programPath('helm'), join(programs, 'helm'));
    const berth = `exec ${process.execPath} ${BUNDLE} "$@"`;
    const own = { berth, 'kubectl-berth': berth, curl: 'exec /usr/bin/env PATH="$REST" curl --fail "$@"' };
    for (const [name, line] of Object.entries(own))
      writeFileSync(join(programs, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const rest = process.env['PATH'] ?? '';
    this.#environment = { PATH: `${programs}:${rest}`, REST: rest, HOME: home, ...environment };
  }

  /** Runs a statement of a document with the names of this cluster, as a user of it. */
  async run(statement: string, user = 'admin'): Promise<ShellAnswer> {
    const text = await this.#translated(statement);
    const env = { ...this.#environment, KUBECONFIG: this.#cluster.kubeconfig(user) };
    const options = { cwd: this.folder, env, timeout: STATEMENT_MILLIS, maxBuffer: 2 ** 26 };
    return new Promise((resolve) => {
      const child = execFile('bash', ['-o', 'pipefail', '-c', text], options, (error, stdout, stderr) => {
        const failed = typeof error?.code === 'number' ? error.code : null;
        resolve({ code: error === null ? 0 : failed, stdout, stderr });
      });
      child.stdin?.end();
    });
  }

  async #translated(statement: string): Promise<string> {
    let text = statement;
    for (const [documented, here] of this.#names) {
      if (!documented.test(text)) continue;
      text = text.replace(documented, typeof here === 'string' ? here : await here());
    }
    return text;
  }
}

/** Runs a statement that has to succeed; doctor's findings are what it is asked for. */
export async function expectToRun(
  shell: ReaderShell,
  statement: string,
  user?: string,
): Promise<ShellAnswer> {
  const answer = await shell.run(statement, user);
  const allowed: readonly unknown[] = statement.startsWith('berth doctor')
    ? [EXIT_OK, EXIT_FINDINGS]
    : [EXIT_OK];
  expect({ ...answer, isDone: allowed.includes(answer.code) }).toEqual({ ...answer, isDone: true });
  return answer;
}
