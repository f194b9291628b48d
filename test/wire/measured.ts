/** What the thread that answers takes for what it is sent: CPU rather than time, since the host may be busy. */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Linux counts CPU by thread, in nanoseconds: the process's first one is the one that answers. */
const SCHEDSTAT = `/proc/self/task/${String(process.pid)}/schedstat`;

/** CPU of the main thread so far, in milliseconds; elsewhere than on Linux that of the whole process. */
export function cpuMillis(): number {
  if (process.platform === 'linux') return Number(readFileSync(SCHEDSTAT, 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The process's memory with nothing in it that could be freed, in MiB. */
export function restingMiB(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage.rss() / 2 ** 20;
}
