/** One stretch of time of a measured cluster, from the reset of what is counted to its end. */
import { loopFigures, type LoopFigures } from '../measuring/loop.js';
import { cpuSeconds, memoryMiB, type CpuSeconds } from '../measuring/proc.js';
import { topFunctions, type TopFunctions } from '../measuring/profile.js';
import type { CaseRequest } from '../options.js';
import type { MeasuredCluster } from '../process/measured-cluster.js';
import { countsOf, writesOf, type ApiState } from '../process/synthetic-api.js';
import { missedGoals, type Goal, type PricePoint, type Row } from '../report/row.js';

/** What a case is given. */
export interface CaseContext {
  readonly request: CaseRequest;
  /** Of the checkout. */
  readonly root: string;
  readonly cluster: MeasuredCluster;
  /** A line for the person who waits. */
  readonly tell: (line: string) => void;
  /** A row that is complete. */
  readonly give: (row: Row) => void;
}

/** What every phase tells. */
export interface PhaseFigures extends LoopFigures {
  /** Its length. */
  readonly seconds: number;
  readonly cpu: CpuSeconds;
  /** At the peak, since the process began. */
  readonly rssMiB: number;
  readonly writes: number;
  readonly state: ApiState;
  readonly profile: TopFunctions | undefined;
}

export class Phase {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly #context: CaseContext;
  readonly #cpu: CpuSeconds;

  private constructor(context: CaseContext, startedAt: number, cpu: CpuSeconds) {
    this.#context = context;
    this.startedAt = startedAt;
    this.#cpu = cpu;
  }

  /** From now on. */
  static async begin(context: CaseContext): Promise<Phase> {
    const { cluster, request } = context;
    await cluster.api.reset();
    if (request.profile) cluster.berth.beginProfile();
    return new Phase(context, Date.now(), cpuSeconds(cluster.berth.pid));
  }

  /** From the start of Berth's process; a profile begins when the caller begins it. */
  static ofStart(context: CaseContext): Phase {
    return new Phase(context, context.cluster.berth.startedAt, { all: 0, main: 0 });
  }

  /** Seconds of CPU since the beginning, until now. */
  cpu(): CpuSeconds {
    const now = cpuSeconds(this.#context.cluster.berth.pid);
    return { all: now.all - this.#cpu.all, main: now.main - this.#cpu.main };
  }

  async end(): Promise<PhaseFigures> {
    const { cluster, request, root } = this.#context;
    const { berth, api } = cluster;
    const endedAt = Date.now();
    const cpu = this.cpu();
    const state = await api.state();
    return {
      seconds: (endedAt - this.startedAt) / 1000,
      cpu,
      rssMiB: memoryMiB(berth.pid).peak,
      writes: writesOf(state),
      state,
      profile: request.profile ? topFunctions(await berth.endProfile(), root) : undefined,
      ...loopFigures(berth.folder, this.startedAt, endedAt),
    };
  }
}

export interface Finding {
  readonly name: string;
  /** Instead of the length of the phase. */
  readonly seconds?: number;
  /** Instead of those of the phase. */
  readonly cpu?: CpuSeconds;
  readonly more: Readonly<Record<string, number>>;
  /** At the sizes that are usual; smaller ones reach them too. */
  readonly goals: readonly Goal[];
  readonly failed?: readonly string[];
  readonly points?: readonly PricePoint[];
}

/** Gives the row of a phase; it has failed where Berth took more memory than its container has. */
export function giveRow({ request, give }: CaseContext, figures: PhaseFigures, finding: Finding): void {
  const { rssMiB, loopP99CpuMillis, loopMaxCpuMillis, writes, state, profile } = figures;
  const { name, seconds = figures.seconds, cpu = figures.cpu, more, goals, failed = [], points } = finding;
  const { memoryMiB: most, latencyMillis } = request;
  const overMemory = `${String(rssMiB)} MiB resident, more than the container's ${String(most)}`;
  give({
    case: name,
    ...{ latencyMillis, seconds, cpuSeconds: cpu.all, rssMiB, loopP99CpuMillis, writes },
    more: { mainCpuSeconds: cpu.main, loopMaxCpuMillis, ...more },
    missed: missedGoals(goals),
    failed: rssMiB <= most ? failed : [...failed, overMemory],
    requests: countsOf(state),
    ...(points && { points }),
    profile,
  });
}
