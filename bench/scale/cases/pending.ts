/** Thousands of pods that kube-scheduler finds no place for, all at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { requestsOf } from '../process/synthetic-api.js';
import type { Launch } from '../world/world-process.js';
import { giveRow, Phase, type CaseContext, type Finding, type PhaseFigures } from './phase.js';
import { warmUp } from './warm-up.js';

const SHAPES = 20;
const POLL_MILLIS = 1000;
/** Of the case's time, for the row of what was not reached. */
const RESERVE_SECONDS = 40;
const FIRST_SECONDS = 10;
const LAST_SECONDS = 60;
/** Writes for each node until it is launched, at the rate at which Berth may write. */
const WRITES_PER_NODE = 4;
const KUBE_QPS = 200;

export async function measurePending(context: CaseContext): Promise<void> {
  const { cluster, request } = context;
  const end = Date.now() + (request.limitSeconds - RESERVE_SECONDS) * 1000;
  await warmUp(context);
  const phase = await Phase.begin(context);
  await cluster.api.pending(request.pods, SHAPES);
  const unplaced = await untilPlaced(context, end);
  const launches = await cluster.launchesSince(phase.startedAt);
  const figures = await phase.end();
  giveRow(context, figures, {
    ...findingOf(figures, launches, unplaced),
    name: `pending ${String(request.pods)} on ${String(request.nodes)}`,
  });
}

/** Waits until every pod has a place and every claim its instance, or the time is over; answers how many pods have none. */
async function untilPlaced({ cluster, tell }: CaseContext, end: number): Promise<number> {
  for (;;) {
    await sleep(POLL_MILLIS);
    const { openClaims, objects } = await cluster.api.state();
    const unplaced = await cluster.api.unplaced();
    const claims = String(objects['nodeclaims'] ?? 0);
    tell(
      `${String(unplaced)} pods without a place; ${String(openClaims)} of ${claims} NodeClaims without an instance`,
    );
    if (Date.now() > end || (openClaims === 0 && unplaced === 0)) return unplaced;
  }
}

function findingOf(
  { state }: PhaseFigures,
  launches: readonly Launch[],
  unplaced: number,
): Omit<Finding, 'name'> {
  const seconds = (at: number | undefined): number =>
    at === undefined ? Infinity : (at - (state.marks['burst.last'] ?? 0)) / 1000;
  const first = seconds(launches[0]?.at);
  const last = seconds(launches.at(-1)?.at);
  const instances = launches.reduce((sum, launch) => sum + launch.instances, 0);
  const claimsGivenUp = requestsOf(state, 'delete nodeclaims');
  const { openClaims } = state;
  const atMost = Math.max(LAST_SECONDS, (WRITES_PER_NODE * instances) / KUBE_QPS);
  return {
    seconds: last,
    more: {
      firstCreateFleetSeconds: first,
      lastCreateFleetSeconds: last,
      firstClaimSeconds: seconds(state.audit['create nodeclaims']?.first),
      lastClaimSeconds: seconds(state.audit['create nodeclaims']?.last),
      firstReservationSeconds: seconds(state.audit['create reservations']?.first),
      lastReservationSeconds: seconds(state.audit['create reservations']?.last),
      ...{ createFleets: launches.length, instances, claimsGivenUp, openClaims, unplaced },
    },
    goals: [
      { what: 's until the first CreateFleet', figure: first, atMost: FIRST_SECONDS },
      { what: 's until the last CreateFleet', figure: last, atMost },
    ],
    failed: [
      ...(claimsGivenUp > 0 ? [`${String(claimsGivenUp)} NodeClaims were given up`] : []),
      ...(openClaims > 0 ? [`${String(openClaims)} NodeClaims have no instance`] : []),
      ...(unplaced > 0 ? [`${String(unplaced)} pods have no place`] : []),
    ],
  };
}
