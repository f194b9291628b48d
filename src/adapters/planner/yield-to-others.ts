/** Planning takes a core for itself and V8's threads another; where there are few, those that wait for an answer come first. */
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { pid } from 'node:process';

/** As good as more on two cores; still a third of what a program beside it gets where the processes of a host share its cores. */
export const PLANNER_NICENESS = 5;

const THREADS = '/proc/self/task';

/**
 * Lowers the priority of every thread of the process but the first, which answers; that needs no rights. The others are
 * this one and those that V8 keeps to compile and to collect garbage, of which planning makes nearly all. Linux gives
 * threads numbers like those of processes (setpriority(2), proc_pid_task(5)); elsewhere nothing changes.
 */
export function yieldToOthers(): void {
  try {
    for (const thread of readdirSync(THREADS).map(Number)) if (thread !== pid) yieldOf(thread);
  } catch {
    // No such folder: planning is right in any case.
  }
}

function yieldOf(thread: number): void {
  try {
    setPriority(thread, PLANNER_NICENESS);
  } catch {
    // It has ended meanwhile, or the system does not let us.
  }
}
