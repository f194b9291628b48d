/** One line of the benchmark: what a solver made of a workload. */

export type Solver = 'berth' | 'ffd' | 'karpenter-1' | 'karpenter-5';

export interface Row {
  readonly workload: string;
  readonly solver: Solver;
  readonly pods: number;
  /** Pods that got a place in that time. */
  readonly placed: number;
  /** Of the solver alone: a middle run of a warm process for Berth, the only run for Karpenter. */
  readonly seconds: number;
  /** Of all processors in such a run, the least: on a busy host the fairer figure. */
  readonly cpuSeconds: number;
  /** The first run in a process. */
  readonly coldSeconds: number;
  /** USD/h, each claim at its cheapest listed offering. */
  readonly hourly: number;
  /** USD/h that no plan goes below; null where none was proved. */
  readonly lowerBound: number | null;
  readonly rssMiB: number;
  readonly valid: boolean;
  readonly claims: number;
  /** What was measured of Berth only. */
  readonly berth?: BerthDetails | undefined;
  /** Why the row is not what it should be. */
  readonly remark?: string | undefined;
}

export interface BerthDetails {
  /** USD/h, each claim at its most expensive listed offering. */
  readonly highest: number;
  /** USD/h: the bound that the plan itself names. */
  readonly claimedBound: number | null;
  /** Whose prices prove the row's bound. */
  readonly boundBy: 'judge' | 'duals';
  readonly spotClaims: number;
  /** Of the spot claims, those that list at least 15 types. */
  readonly diverseSpotClaims: number;
  readonly leastSeconds: number;
  readonly sinceStartSeconds: number;
  readonly snapshotSeconds: number;
  readonly compileSeconds: number;
  readonly runs: number;
}
