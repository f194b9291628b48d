/** Approving and rejecting proposals from the command line: annotations on their Decisions, with the user's own rights. */
import { KubeClient, KubeconfigSource, MERGE_PATCH, pathSegment } from '../adapters/kube/transport/index.js';
import { decodeDecision } from '../apis/berth/decision.js';
import { isProposal, phaseOf, type Decision, type ProposedDecision } from '../domain/records/decision.js';
import { verdictAnnotations, type Verdict } from '../domain/records/proposal.js';
import { hasCode, PortError } from '../ports/port-error.js';
import { systemClock } from '../runtime/time/system-clock.js';
import { apiUser } from './api-user.js';

export interface VerdictRequest {
  /** undefined: kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly verdict: Verdict['verdict'];
  /** '' where none was given. */
  readonly reason: string;
  /** Names of Decisions; `all`: every one that waits. */
  readonly names: readonly string[] | 'all';
}

/** What came of one of them. */
export interface VerdictAnswer {
  readonly name: string;
  readonly isWritten: boolean;
  /** What was proposed where it was written, and else why it was not. */
  readonly message: string;
  readonly by: string;
}

/** One answer for each. @throws PortError, when the cluster cannot be read, or does not say who asks: nothing is written in another name. */
export type GiveVerdicts = (request: VerdictRequest) => Promise<readonly VerdictAnswer[]>;

const DECISIONS = '/apis/berth.sh/v1/decisions';
/** How often a Decision that is changed at the same time is tried. */
const TRIES = 4;

/** Through the Kubernetes API. */
export async function giveVerdicts(request: VerdictRequest): Promise<readonly VerdictAnswer[]> {
  const { kubeconfig: file, context, names } = request;
  const clock = systemClock;
  const connection = new KubeconfigSource({ clock, file, context });
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli' });
  try {
    const wanted = names === 'all' ? (await waiting(client)).map(({ name }) => name) : [...new Set(names)];
    const by = wanted.length === 0 ? '' : await apiUser(client);
    const answers: VerdictAnswer[] = [];
    for (const name of wanted) answers.push(await give(client, name, { ...request, by }));
    return answers;
  } finally {
    client.close();
  }
}

async function waiting(client: KubeClient): Promise<readonly ProposedDecision[]> {
  const operation = 'list decisions';
  const answer = await client.request({ method: 'GET', path: DECISIONS, operation });
  const { items = [] } = (answer ?? {}) as { readonly items?: readonly unknown[] };
  return items
    .flatMap((item) => decodeDecision(item).value ?? [])
    .filter(isProposal)
    .filter((decision) => problemOf(decision) === undefined)
    .sort((one, other) => one.spec.time - other.spec.time);
}

async function give(client: KubeClient, name: string, verdict: Verdict): Promise<VerdictAnswer> {
  const { by } = verdict;
  try {
    return { name, by, isWritten: true, message: await write(client, name, verdict) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { name, by, isWritten: false, message: error.message };
  }
}

/** Answers what was proposed. The Decision is written to as it was read, so that nothing is approved that has changed since. */
async function write(client: KubeClient, name: string, verdict: Verdict): Promise<string> {
  const path = `${DECISIONS}/${pathSegment(name)}`;
  for (let attempt = 1; ; attempt++) {
    const found = await client.request({ method: 'GET', path, operation: `get decisions/${name}` });
    const decision = decodeDecision(found).value;
    const operation = `${verdict.verdict === 'approved' ? 'approve' : 'reject'} ${name}`;
    const problem = problemOf(decision);
    if (decision === undefined || problem !== undefined)
      throw new PortError('Invalid', { operation, message: problem ?? 'it is no Decision' });
    const { resourceVersion, spec } = decision;
    try {
      const annotations = verdictAnnotations(verdict);
      const body = { metadata: { resourceVersion, annotations } };
      await client.request({ method: 'PATCH', path, contentType: MERGE_PATCH, body, operation });
      return spec.message;
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt >= TRIES) throw error;
    }
  }
}

/** Why nothing can be said to it; undefined where it waits. */
function problemOf(decision: Decision | undefined): string | undefined {
  if (decision === undefined) return 'it is no Decision';
  if (!isProposal(decision)) return 'it proposes nothing';
  const { verdict, outcome } = decision;
  const phase = phaseOf(decision);
  if (phase !== 'Proposed') return `it does not wait: ${phase}${outcome === '' ? '' : `, ${outcome}`}`;
  return verdict === undefined ? undefined : `it was ${verdict.verdict} by ${verdict.by} already`;
}
