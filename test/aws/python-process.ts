/** Python programs of the environment that run.sh installs. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** What a program said on standard error, at most. */
const TAIL = 4_000;

export class PythonProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  #output = '';
  #errors = '';

  /** @throws Error, when run.sh has not said where Python is. */
  constructor(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const python = process.env['BERTH_PYTHON'];
    if (python === undefined)
      throw new Error('BERTH_PYTHON: not set; these tests are run by `make test-aws`');
    // Nothing of the caller's AWS settings: no credentials, no endpoints, no proxies.
    const own = { PATH: process.env['PATH'] ?? '', PYTHONDONTWRITEBYTECODE: '1' };
    this.#child = spawn(python, [program, ...args], { env: { ...own, ...environment } });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.#child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-TAIL)));
  }

  /** @throws Error with what it said, when it ends before it has said a line. */
  async firstLine(): Promise<string> {
    while (!this.#output.includes('\n')) {
      const said = once(this.#child.stdout, 'data').then(() => true);
      if (!(await Promise.race([said, this.#ended().then(() => false)]))) throw this.#failure();
    }
    return this.#output.slice(0, this.#output.indexOf('\n'));
  }

  /** All that it printed. @throws Error with what it said, when it failed. */
  async result(): Promise<string> {
    await this.#ended();
    if (this.#child.exitCode !== 0) throw this.#failure();
    return this.#output;
  }

  async stop(): Promise<void> {
    // The servers end with their standard input, so they end even where nobody comes to stop them.
    this.#child.stdin.end();
    await this.#ended();
  }

  async #ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'close');
  }

  #failure(): Error {
    return new Error(
      `Python ended with ${String(this.#child.exitCode)}: ${this.#errors}${this.#output.slice(-TAIL)}`,
    );
  }
}
