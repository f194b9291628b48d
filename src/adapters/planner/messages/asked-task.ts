/** A question that is waited for, until it is answered or its signal is aborted. */
import { describeNodeClass } from '../../../domain/policies/node-class.js';
import type { InstanceType } from '../../../domain/nodes/instance-type.js';
import { tenancyOfClaim, type LaunchedAs } from '../../../domain/nodes/tenancy.js';
import type { PortError } from '../../../ports/port-error.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { refused, type Failure } from '../refused.js';
import type { PlannerAnswer, PlannerQuestion } from '../task.js';

const CANCELLED: Failure = { code: 'Cancelled', message: 'the signal was aborted' };

export interface AskedTaskOptions {
  readonly cluster: Cluster;
  readonly signal: AbortSignal | undefined;
  /** Called when the caller stops waiting. */
  readonly onCancel?: (() => void) | undefined;
}

export class AskedTask {
  readonly id: number;
  readonly work: PlannerQuestion;
  /** What `typesOf` says: for all claims that there were when it was asked. */
  readonly types: readonly TypesInUse[];
  /** Rejected with a PortError. */
  readonly answer: Promise<PlannerAnswer>;
  #resolve: (answer: PlannerAnswer) => void = () => undefined;
  #reject: (error: PortError) => void = () => undefined;
  #unlisten: () => void = () => undefined;
  #isCancelled: boolean;

  constructor(id: number, work: PlannerQuestion, { cluster, signal, onCancel }: AskedTaskOptions) {
    this.id = id;
    this.work = work;
    this.types = typesInUse(cluster, work.question.typesOf);
    this.#isCancelled = signal?.aborted === true;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const cancel = (): void => {
      this.#isCancelled = true;
      this.fail(CANCELLED);
      onCancel?.();
    };
    if (this.#isCancelled) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    this.#unlisten = () => signal?.removeEventListener('abort', cancel);
  }

  /** Whether the caller has stopped waiting. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  succeed(answer: PlannerAnswer): void {
    this.#unlisten();
    this.#resolve(answer);
  }

  fail(failure: Failure): void {
    this.#unlisten();
    this.#reject(refused(this.work.kind, failure));
  }
}

export type TypesInUse = readonly [kind: string, types: readonly InstanceType[]];

/** What decides of which types the claim's node may be, as one text. */
export function kindOfClaim(claim: LaunchedAs): string {
  const { nodeClassRef, nodePool } = claim.spec;
  return `${describeNodeClass(nodeClassRef)} ${nodePool} ${tenancyOfClaim(claim)}`;
}

function typesInUse(
  cluster: Cluster,
  typesOf: PlannerQuestion['question']['typesOf'],
): readonly TypesInUse[] {
  const result = new Map<string, readonly InstanceType[]>();
  for (const claim of cluster.nodeClaims.values()) {
    const kind = kindOfClaim(claim);
    if (!result.has(kind)) result.set(kind, typesOf(claim));
  }
  return [...result];
}
