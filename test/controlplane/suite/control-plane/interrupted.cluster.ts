/** However a test run ends, its control planes end with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../fixture/eventually.js';
import { openGuardedFolder } from '../../fixture/process/guarded-folder.js';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const HELD_OPEN = 'test/controlplane/suite/control-plane/held-open.ts';

interface Held {
  readonly jest: ChildProcess;
  readonly pids: readonly number[];
  readonly folder: string;
}

describe('an interrupted run', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('leaves nothing behind after %s', async (signal) => {
    const { jest, pids, folder } = await holdOpen();
    expect(pids.filter(isAlive)).toHaveLength(3);
    const ended = once(jest, 'exit');
    jest.kill(signal);
    await ended;
    await eventually('all processes to be gone', () => pids.every((pid) => !isAlive(pid)));
    await eventually('the folder to be gone', () => !existsSync(folder));
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe('openGuardedFolder', () => {
  test('kills the groups that it guards and removes what they left', async () => {
    const folder = openGuardedFolder();
    const shell = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], {
      cwd: folder.path,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(createInterface({ input: shell.stdout }), 'line')) as [string];
    const pids = [shell.pid ?? 0, Number(line)];
    expect(pids.filter(isAlive)).toEqual(pids);
    folder.guard('shell', pids[0] ?? 0);
    await folder.remove();
    await eventually('both processes to be gone', () => !pids.some(isAlive));
    expect(existsSync(folder.path)).toBe(false);
  });
});

/** Runs jest with a file that starts a control plane and then waits, as far as that. */
async function holdOpen(): Promise<Held> {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const config = ['--config=test/controlplane/jest.config.js', `--testMatch=<rootDir>/${HELD_OPEN}`];
  const jest = spawn(process.execPath, [...flags, 'node_modules/jest/bin/jest.js', ...config], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: jest.stdout })) {
    if (!line.startsWith('{')) continue;
    return { jest, ...(JSON.parse(line) as Omit<Held, 'jest'>) };
  }
  throw new Error(`jest ended before ${HELD_OPEN} had started its control plane`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
