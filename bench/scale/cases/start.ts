/** Berth starts at a cluster that is full already, and one pod waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CpuSeconds } from '../measuring/proc.js';
import { requestsOf } from '../process/synthetic-api.js';
import { giveRow, Phase, type CaseContext } from './phase.js';

const POLL_MILLIS = 100;
/** Until Node has required the probe, which takes the signal that begins a profile. */
const PROBE_MILLIS = 500;
/** After the first decision, while caches fill and garbage is collected. */
const AFTER_MILLIS = 15_000;
const MOST_CPU_SECONDS = 20;
const MOST_MEBIBYTES = 700;

interface Moment {
  /** Since the start of the process. */
  readonly seconds: number;
  readonly cpu: CpuSeconds;
}

export async function measureStart(context: CaseContext): Promise<void> {
  const { cluster, request, tell } = context;
  await cluster.api.pending(request.pods, 1);
  await cluster.api.reset();
  const berth = await cluster.startBerth();
  const phase = Phase.ofStart(context);
  if (request.profile) {
    await sleep(PROBE_MILLIS);
    berth.beginProfile();
  }
  await berth.ready();
  const ready: Moment = { seconds: (Date.now() - phase.startedAt) / 1000, cpu: phase.cpu() };
  tell(`ready after ${ready.seconds.toFixed(1)} s`);
  const decided = await firstDecision(context, phase);
  tell(`first decision after ${decided.seconds.toFixed(1)} s`);
  await sleep(AFTER_MILLIS);
  const figures = await phase.end();
  giveRow(context, figures, {
    name: `start ${String(request.nodes)} x ${String(request.podsPerNode)}`,
    ...decided,
    more: {
      readySeconds: ready.seconds,
      readyCpuSeconds: ready.cpu.all,
      afterwardsCpuSeconds: figures.cpu.all - decided.cpu.all,
      listsOfPods: requestsOf(figures.state, 'list pods') + requestsOf(figures.state, 'watch-list pods'),
    },
    goals: [
      { what: 'CPU s until the first decision', figure: decided.cpu.all, atMost: MOST_CPU_SECONDS },
      { what: 'MiB', figure: figures.rssMiB, atMost: MOST_MEBIBYTES },
    ],
  });
}

/** When a NodeClaim or a Reservation was written. */
async function firstDecision({ cluster }: CaseContext, phase: Phase): Promise<Moment> {
  for (;;) {
    const { audit } = await cluster.api.state();
    const written = audit['create reservations'] ?? audit['create nodeclaims'];
    if (written !== undefined) return { seconds: (written.first - phase.startedAt) / 1000, cpu: phase.cpu() };
    await sleep(POLL_MILLIS);
  }
}
