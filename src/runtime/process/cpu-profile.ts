/** CPU profiles of this process' main thread, as V8 writes them (`.cpuprofile`): names of functions and files, no data. */
import { Session } from 'node:inspector/promises';
import type { Clock } from '../../ports/clock.js';

/** Samples for so long, and answers the profile. The clock is the host's. */
export async function cpuProfile(clock: Clock, millis: number, signal?: AbortSignal): Promise<object> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await clock.sleep(millis, signal);
    return (await session.post('Profiler.stop')).profile;
  } finally {
    session.disconnect();
  }
}
