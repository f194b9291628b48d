/** Runs a command line of the real program in this process. */
import { COMMANDS } from '../../../src/app/cli/commands.js';
import { runCli } from '../../../src/app/cli/run-cli.js';
import { fakeIo, type FakeWorld } from './fake-io.js';

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Answers what `berth …argv` wrote and its exit code; files are those of the world. */
export async function runBerth(argv: readonly string[], world: FakeWorld = {}): Promise<RunResult> {
  const io = fakeIo(world);
  const code = await runCli({ commands: COMMANDS, version: '0.0.0' }, argv, io);
  return { code, ...io.written() };
}
