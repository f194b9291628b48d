/** Whether there is something to launch from, whether Berth accepts it, and whether nodes come up. */
import { formatIssue } from '../../../apis/decode/format-issue.js';
import { failed, ok, orOk, warning, type CheckFinding } from '../../../domain/records/check-finding.js';
import { describeNodeClass } from '../../../domain/policies/node-class.js';
import { counted } from '../../../domain/values/text.js';
import { check, liveCheck, type DoctorCheck } from '../doctor-check.js';
import { conditionOf, nameOf, text } from '../subject/object-fields.js';

const MOST_FINDINGS = 20;

const documents = check('policies', async (subject) => {
  const { nodePools, nodeClasses, issues } = await subject.policies();
  const errors = issues.filter(({ severity }) => severity === 'error').slice(0, MOST_FINDINGS);
  const findings = errors.map((issue) =>
    failed(formatIssue(issue), 'Correct the document; berth validate -f FILE checks it'),
  );
  if (findings.length > 0) return findings;
  if (nodePools.length === 0)
    return [
      warning(
        'there is no NodePool: nothing is launched',
        `Put NodePools and node classes into a ConfigMap of ${subject.namespace} with the label berth.sh/policy: "true"`,
      ),
    ];
  return [
    ok(
      `${counted(nodePools.length, 'NodePool')}, ${counted(nodeClasses.length, 'node class', 'node classes')}`,
    ),
  ];
});

const references = check('node-class-references', async (subject) => {
  const { nodePools, nodeClasses } = await subject.policies();
  const known = nodeClasses.map(describeNodeClass);
  const missing = nodePools.flatMap(({ pool }) => {
    const wanted = describeNodeClass(pool.template.nodeClassRef);
    return known.includes(wanted)
      ? []
      : [
          failed(
            `NodePool ${pool.name} refers to ${wanted}, which does not exist`,
            `Create it, or correct spec.template.spec.nodeClassRef; there is ${known.length === 0 ? 'none' : known.join(', ')}`,
          ),
        ];
  });
  return orOk(missing, 'each NodePool refers to a node class that exists');
});

const statuses = liveCheck('policy-statuses', async ({ objects }) => {
  const all = await objects.list('policystatuses');
  const findings: CheckFinding[] = [];
  for (const status of all.slice(0, MOST_STATUSES)) {
    const name = nameOf(status);
    const mend = `kubectl describe bpol ${name}`;
    const accepted = conditionOf(status, 'Accepted');
    const ready = conditionOf(status, 'Ready');
    if (accepted?.['status'] === 'False')
      findings.push(failed(`${name} is refused: ${text(accepted, 'message')}`, mend));
    else if (ready?.['status'] === 'False')
      findings.push(failed(`${name} is not ready: ${text(ready, 'message')}`, mend));
  }
  return orOk(
    findings.slice(0, MOST_FINDINGS),
    `${counted(all.length, 'policy', 'policies')}, each accepted and ready`,
  );
});

const MOST_STATUSES = 500;
/** A node that has not joined by then will probably not; Berth gives it up after fifteen minutes. */
const JOIN_MILLIS = 300_000;

const joining = liveCheck('nodes-join', async ({ objects, live }) => {
  const claims = await objects.list('nodeclaims');
  const now = live.now();
  const failures = claims.flatMap((claim) => {
    const launched = conditionOf(claim, 'Launched');
    return launched?.['status'] === 'False' ? [`${nameOf(claim)}: ${text(launched, 'message')}`] : [];
  });
  const late = claims.filter((claim) => {
    const launched = conditionOf(claim, 'Launched');
    const since = Date.parse(text(launched, 'lastTransitionTime'));
    return (
      launched?.['status'] === 'True' &&
      conditionOf(claim, 'Registered')?.['status'] !== 'True' &&
      now - since > JOIN_MILLIS
    );
  });
  const findings: CheckFinding[] = [];
  if (failures.length > 0)
    findings.push(
      failed(
        `${counted(failures.length, 'launch', 'launches')} failed: ${failures[0] ?? ''}`,
        'berth explain nodeclaim NAME',
      ),
    );
  if (late.length > 0)
    findings.push(
      failed(
        `${counted(late.length, 'instance')} did not join the cluster within ${String(JOIN_MILLIS / 60_000)} minutes: ${late.slice(0, 3).map(nameOf).join(', ')}`,
        "Let nodes authenticate (access entry or aws-auth of the node role) and reach the API server; the instance's console output shows the kubelet's error",
      ),
    );
  return orOk(findings, `${counted(claims.length, 'NodeClaim')}, none that waits for its node for long`);
});

export const POLICY_CHECKS: readonly DoctorCheck[] = [documents, references, statuses, joining];
