/** Whether every pending pod is answered once, every name in the plan is known, and lists are in order. */
import type { FinalState } from '../final-state.js';
import type { Findings } from '../violation.js';

export function checkAnswers(state: FinalState, findings: Findings): void {
  checkEachPodOnce(state, findings);
  checkReasons(state, findings);
  checkPlacementTargets(state, findings);
  checkClaimPods(state, findings);
  const { plan } = state;
  checkSorted(
    'placements',
    plan.placements.map(({ pod }) => pod),
    findings,
  );
  checkSorted(
    'unschedulable',
    plan.unschedulable.map(({ pod }) => pod),
    findings,
  );
  for (const { name, pods } of plan.claims) checkSorted(name, pods, findings);
}

function checkEachPodOnce({ plan, pending }: FinalState, findings: Findings): void {
  const answers = new Map<string, number>();
  for (const { pod } of [...plan.placements, ...plan.unschedulable])
    answers.set(pod, (answers.get(pod) ?? 0) + 1);
  for (const pod of pending.keys()) {
    const count = answers.get(pod) ?? 0;
    if (count !== 1) findings.add('pod-count', pod, `is answered ${String(count)} times`);
  }
  for (const pod of answers.keys())
    if (!pending.has(pod)) findings.add('pod-count', pod, 'is not a pending pod');
}

/** At least one reason for each pool, or one that depends on no pool. */
function checkReasons({ input, plan }: FinalState, findings: Findings): void {
  for (const { pod, reasons } of plan.unschedulable) {
    const about = new Set(reasons.map(({ nodePool }) => nodePool));
    if (about.has('')) continue;
    if (about.size === 0) findings.add('reasons', pod, 'no reason at all');
    const silent = input.pools.find((offer) => !about.has(offer.pool.name));
    if (silent !== undefined) findings.add('reasons', pod, `no reason for NodePool ${silent.pool.name}`);
  }
}

function checkPlacementTargets({ input, plan }: FinalState, findings: Findings): void {
  const claims = plan.claims.map(({ name }) => name);
  const known = new Set([
    ...input.nodes.map(({ name }) => `Node ${name}`),
    ...claims.map((name) => `NodeClaim ${name}`),
  ]);
  for (const { pod, target } of plan.placements)
    if (!known.has(`${target.kind} ${target.name}`))
      findings.add('target', pod, `is placed on ${target.kind} ${target.name}, which is not listed`);
  const twice = claims.find((name, index) => claims.indexOf(name) !== index);
  if (twice !== undefined) findings.add('target', twice, 'is the name of two claims');
}

function checkClaimPods({ plan, targets }: FinalState, findings: Findings): void {
  for (const { claim, residents } of targets) {
    if (claim === undefined) continue;
    const placed = residents.map(({ key }) => key).sort();
    const listed = [...claim.pods].sort();
    if (placed.join() !== listed.join())
      findings.add(
        'target',
        claim.name,
        `lists [${listed.join(', ')}], placements say [${placed.join(', ')}]`,
      );
  }
  for (const { name, pods } of plan.claims)
    if (pods.length === 0) findings.add('target', name, 'holds no pod');
}

function checkSorted(subject: string, list: readonly string[], findings: Findings): void {
  const index = list.findIndex((item, position) => position > 0 && item < (list[position - 1] ?? ''));
  if (index > 0) findings.add('order', subject, `${list[index] ?? ''} comes after ${list[index - 1] ?? ''}`);
}
