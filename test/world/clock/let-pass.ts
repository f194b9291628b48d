/** Lets the host's time pass for a world beside it: in ticks, each with the turns of the event loop that the world takes. */
import type { VirtualClock } from '../../support/virtual-clock.js';

const TICK_MILLIS = 5;
const TURNS = 8;

export async function letPass(wall: VirtualClock, millis: number): Promise<void> {
  for (let left = millis; left > 0; left -= TICK_MILLIS) {
    await wall.advance(Math.min(TICK_MILLIS, left));
    for (let turn = 0; turn < TURNS; turn++) await wall.settle();
  }
}
