/** Berth as a process beside the world; started again when it ends, as a kubelet would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { Clock } from '../../ports/clock.js';

export interface BerthProcessOptions {
  /** `dist/berth.js`. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where its log goes, one JSON object a line. */
  readonly logFile: string;
  readonly wall: Clock;
  /** Told when it ended without being asked to. */
  readonly ended: (how: string) => void;
}

const RESTART_MILLIS = 300;
/** It gives its Lease back first; then it is killed. */
const GRACE_MILLIS = 10_000;

export class BerthProcess {
  readonly #options: BerthProcessOptions;
  #child: ChildProcess | undefined;
  #isStopping = false;

  constructor(options: BerthProcessOptions) {
    this.#options = options;
  }

  start(): void {
    const { program, args, logFile } = this.#options;
    const log = createWriteStream(logFile, { flags: 'a' });
    const child = spawn(process.execPath, [program, 'controller', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once('close', (code, signal) => {
      log.end();
      this.#ended(signal ?? `exit code ${String(code)}`);
    });
    this.#child = child;
  }

  /** As a machine that loses power: it is started again like after any other end. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise<void>((resolve) =>
      child.once('close', () => {
        resolve();
      }),
    );
    child.kill('SIGTERM');
    const cancel = this.#options.wall.timer(GRACE_MILLIS, () => child.kill('SIGKILL'));
    await closed;
    cancel();
  }

  #ended(how: string): void {
    if (this.#isStopping) return;
    this.#options.ended(how);
    this.#options.wall.timer(RESTART_MILLIS, () => {
      if (!this.#isStopping) this.start();
    });
  }
}
