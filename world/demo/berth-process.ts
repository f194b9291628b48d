/** Berth as a process beside the world; started again when it ends, as a kubelet would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { Clock } from '../../src/ports/clock.js';
import { eachLine } from '../../src/runtime/time/follow-time.js';

export interface BerthProcessOptions {
  /** `dist/berth.js`. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where its log goes, one JSON object a line. */
  readonly logFile: string;
  /** The world's, which says when it is started again. */
  readonly clock: Clock;
  /** The host's, which says how long it may take to end. */
  readonly wall: Clock;
  /** Called when it has been started, with a signal that is aborted when it has ended. */
  readonly started?: ((ended: AbortSignal) => void) | undefined;
  /** Called when it ended without being asked to. */
  readonly ended: (how: string) => void;
  /** Called with every line of its log. */
  readonly logged?: ((line: string) => void) | undefined;
}

/** From its first unexpected end to its start; then twice as long each time, as a kubelet waits. */
const FIRST_RESTART_MILLIS = 2000;
const LONGEST_RESTART_MILLIS = 300_000;
/** It gives its Lease back first; then it is killed. */
const GRACE_MILLIS = 10_000;

export class BerthProcess {
  readonly #options: BerthProcessOptions;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #restarts = 0;

  constructor(options: BerthProcessOptions) {
    this.#options = options;
  }

  start(): void {
    const { program, args, logFile, logged, started } = this.#options;
    const log = createWriteStream(logFile, { flags: 'a' });
    const child = spawn(process.execPath, [program, 'controller', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal is for the world, which then ends Berth.
      detached: true,
    });
    for (const output of [child.stdout, child.stderr]) {
      output.pipe(log, { end: false });
      eachLine(output, (line) => {
        // What it says of its own end was asked for.
        if (!this.#isStopping) logged?.(line);
      });
    }
    const life = new AbortController();
    child.once('close', (code, signal) => {
      log.end();
      life.abort();
      this.#ended(signal ?? `exit code ${String(code)}`);
    });
    this.#child = child;
    started?.(life.signal);
  }

  /** As a host that loses power: it is started again like after any other end. */
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
    const { ended, clock } = this.#options;
    ended(how);
    const millis = Math.min(FIRST_RESTART_MILLIS * 2 ** this.#restarts++, LONGEST_RESTART_MILLIS);
    clock.timer(millis, () => {
      if (!this.#isStopping) this.start();
    });
  }
}
