/** What Linux tells of a process. */
import { readFileSync } from 'node:fs';

export interface CpuSeconds {
  /** Of all threads, those that ended too. */
  readonly all: number;
  /** Of the main thread. */
  readonly main: number;
}

/** Clock ticks per second in /proc, the same on all architectures that Berth runs on. */
const TICKS = 100;

/** NaN when the process has ended. */
export function cpuSeconds(pid: number): CpuSeconds {
  try {
    return {
      all: ticksOf(`/proc/${String(pid)}/stat`),
      main: ticksOf(`/proc/${String(pid)}/task/${String(pid)}/stat`),
    };
  } catch {
    return { all: NaN, main: NaN };
  }
}

/** User and system time follow the name, which stands in brackets (proc(5)). */
function ticksOf(file: string): number {
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** MiB of resident memory now and at the peak; NaN when the process has ended. */
export function memoryMiB(pid: number): { readonly now: number; readonly peak: number } {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    const kilobytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return { now: Math.round(kilobytes('VmRSS') / 1024), peak: Math.round(kilobytes('VmHWM') / 1024) };
  } catch {
    return { now: NaN, peak: NaN };
  }
}
