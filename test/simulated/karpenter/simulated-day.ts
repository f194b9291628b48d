/** What users do to a cluster in a day, by a seed: services that follow the sun, batches at night, new versions. */
import type { Random } from '../../../src/ports/random.js';
import { daemonSet, deployment, job } from '../../scenario/objects.js';
import type { SimulatedWorld } from '../simulated-world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CPU = ['250m', '500m', '750m', '1', '1500m', '2'];
const MEMORY = ['512Mi', '1Gi', '1536Mi', '2Gi', '3Gi', '6Gi'];
const SERVICES = 14;
/** Each service is scaled about so often. */
const SCALING = 25 * MINUTE;
const JOBS = 10;

/** Something that happens, in milliseconds since midnight. */
interface DayEvent {
  readonly at: number;
  readonly act: (world: SimulatedWorld) => Promise<void>;
}

/** Hours of a day. */
export interface DayHours {
  readonly from: number;
  readonly to: number;
}

/** All that happens in these hours, in its order: the same for equal seeds, whatever becomes of it. */
export function simulatedDay(random: Random, hours: DayHours): readonly DayEvent[] {
  const begin = hours.from * HOUR;
  const events = [
    {
      at: begin,
      act: (world: SimulatedWorld) =>
        world.apply([daemonSet({ name: 'agent', requests: { cpu: '100m', memory: '128Mi' } })]),
    },
    ...Array.from({ length: SERVICES }, (_, index) => service(random, `web-${String(index)}`, hours)).flat(),
    ...Array.from({ length: JOBS }, (_, index) => batch(random, `batch-${String(index)}`)),
  ];
  const isIn = ({ at }: DayEvent): boolean => at >= begin && at < hours.to * HOUR;
  return events.filter(isIn).sort((left, right) => left.at - right.at);
}

function service(random: Random, name: string, { from, to }: DayHours): readonly DayEvent[] {
  const pick = <T>(items: readonly [T, ...T[]] | readonly T[]): T | undefined =>
    items[Math.floor(random.next() * items.length)];
  const requests = { cpu: pick(CPU) ?? '1', memory: pick(MEMORY) ?? '1Gi' };
  const least = 1 + Math.floor(random.next() * 5);
  const swing = Math.floor(random.next() * 14);
  const noon = 13 + 4 * random.next();
  const replicasAt = (at: number): number => {
    const sun = Math.max(0, Math.cos(((at / HOUR - noon) / 12) * Math.PI));
    return Math.max(1, Math.round(least + swing * sun + 2 * (random.next() - 0.5)));
  };
  const begin = from * HOUR;
  const first = replicasAt(begin);
  const events: DayEvent[] = [
    { at: begin, act: (world) => world.apply([deployment({ name, replicas: first, requests })]) },
  ];
  for (let at = begin + SCALING * random.next(); at < to * HOUR; at += SCALING * (0.5 + random.next())) {
    const replicas = replicasAt(at);
    events.push({ at, act: (world) => world.scale({ kind: 'Deployment', name }, replicas) });
  }
  return events;
}

function batch(random: Random, name: string): DayEvent {
  const at = HOUR * 24 * random.next();
  const parallelism = 2 + Math.floor(random.next() * 6);
  const seconds = 300 + Math.floor(1500 * random.next());
  const requests = { cpu: '1', memory: '2Gi' };
  return { at, act: (world) => world.apply([job({ name, requests, parallelism, seconds })]) };
}

/** Has it happen, from a time of the day to another, in milliseconds; what was before is taken to have happened. */
export async function live(
  world: SimulatedWorld,
  day: readonly DayEvent[],
  { midnight, from, to }: { readonly midnight: number; readonly from: number; readonly to: number },
): Promise<void> {
  const { clock } = world;
  for (const { at, act } of day) {
    if (at < from || at >= to) continue;
    await clock.advance(Math.max(0, midnight + at - clock.now()));
    await act(world);
  }
  await clock.advance(Math.max(0, midnight + to - clock.now()));
}
