/** A command of the program as an operator calls it beside a control plane, which may be killed. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { ControlPlane } from '../fixture/control-plane.js';

const BUNDLE = join(import.meta.dirname, '../../../dist/berth.js');

export interface CommandAnswer {
  /** null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function berthCommand(
  words: readonly string[],
  cluster: Pick<ControlPlane, 'kubeconfig'>,
  killAfterMillis?: number,
): Promise<CommandAnswer> {
  const all = [BUNDLE, ...words, '--kubeconfig', cluster.kubeconfig()];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const failed = typeof error?.code === 'number' ? error.code : null;
      resolve({ code: error === null ? 0 : failed, stdout, stderr });
    });
    if (killAfterMillis === undefined) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMillis);
    child.once('exit', () => {
      clearTimeout(timer);
    });
  });
}
