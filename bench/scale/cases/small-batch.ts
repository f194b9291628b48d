/** A few pods on an empty cluster: how long Berth takes beside the window in which it waits for more of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../solvers/stopwatch.js';
import { requestsOf, writesOf } from '../process/synthetic-api.js';
import { giveRow, Phase, type CaseContext } from './phase.js';
import { warmUp } from './warm-up.js';

const ROUNDS = 5;
const POLL_MILLIS = 100;
const QUIET_SECONDS = 4;
const MOST_SECONDS = 30;
const MOST_MILLIS = 300;
/** From the close of a batch to its plan. */
const PLANNING = 'karpenter_scheduler_scheduling_duration_seconds_sum{controller="provisioner"}';

interface Round {
  /** From Unschedulable to the last CreateFleet. */
  readonly wholeMillis: number;
  /** Without the window of the batch: from its close to the plan, and from the first claim to the last CreateFleet. */
  readonly ownMillis: number;
  readonly planMillis: number;
  readonly claimsGivenUp: number;
  readonly writes: number;
}

export async function measureSmallBatch(context: CaseContext): Promise<void> {
  const { cluster, request, tell } = context;
  await warmUp(context);
  const phase = await Phase.begin(context);
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS) {
    const round = await measureRound(context);
    tell(`${round.ownMillis.toFixed(0)} ms of ${round.wholeMillis.toFixed(0)}`);
    rounds.push(round);
    await cluster.settle(QUIET_SECONDS, MOST_SECONDS);
  }
  const own = rounds.map(({ ownMillis }) => ownMillis);
  const whole = median(rounds.map(({ wholeMillis }) => wholeMillis));
  const claimsGivenUp = rounds.reduce((sum, round) => sum + round.claimsGivenUp, 0);
  // What is counted begins again with each round.
  const writes = rounds.reduce((sum, round) => sum + round.writes, 0);
  giveRow(
    context,
    { ...(await phase.end()), writes },
    {
      name: `small ${String(request.pods)}`,
      seconds: whole / 1000,
      more: {
        createFleetMillis: whole,
        ownMillis: median(own),
        mostOwnMillis: Math.max(...own),
        planMillis: median(rounds.map(({ planMillis }) => planMillis)),
        claimsGivenUp,
      },
      goals: [{ what: 'ms of Berth beside the batch window', figure: median(own), atMost: MOST_MILLIS }],
      failed: claimsGivenUp > 0 ? [`${String(claimsGivenUp)} NodeClaims were given up`] : [],
    },
  );
}

async function measureRound({ cluster, request }: CaseContext): Promise<Round> {
  const { api, berth } = cluster;
  await api.reset();
  const before = await berth.metric(PLANNING);
  const from = Date.now();
  await api.pending(request.pods, request.pods);
  let state = await api.state();
  while (requestsOf(state, 'create nodeclaims') === 0 || state.openClaims > 0 || (await api.unplaced()) > 0) {
    await sleep(POLL_MILLIS);
    state = await api.state();
  }
  const launchedAt = (await cluster.launchesSince(from)).at(-1)?.at ?? Infinity;
  const planMillis = ((await berth.metric(PLANNING)) - before) * 1000;
  return {
    wholeMillis: launchedAt - (state.marks['burst.last'] ?? from),
    ownMillis: planMillis + launchedAt - (state.audit['create nodeclaims']?.first ?? from),
    planMillis,
    claimsGivenUp: requestsOf(state, 'delete nodeclaims'),
    writes: writesOf(state),
  };
}
