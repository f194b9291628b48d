/** Whether the account has what Berth needs, by the cloud's own checks, and whether nodes can be launched from each node class. */
import { failed, orOk, skipped, warning, type CheckFinding } from '../../../domain/records/check-finding.js';
import { plainObject } from '../../../apis/decode/plain.js';
import { describeNodeClass } from '../../../domain/policies/node-class.js';
import type { AccountSubject } from '../../../ports/account-check.js';
import { liveCheck, type DoctorCheck, type Subject } from '../doctor-check.js';
import { findingOf } from '../finding-of.js';
import { field } from '../subject/object-fields.js';
import { webhookPlace } from '../subject/webhook-place.js';
import { CHANGES_NOTHING } from '../subject/examined-cloud.js';

/** Fewer addresses in a zone are soon used up. */
const FEW_ADDRESSES = 16;
const MOST_CLASSES = 20;

const account = liveCheck('account', async (subject, signal) => {
  const source = await subject.cloud();
  const asked = accountSubject(subject);
  const findings: CheckFinding[] = [];
  for (const each of source?.checks ?? []) {
    const found = await each.look(asked, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return [findingOf(error)];
    });
    findings.push(...found);
    if (each.isGate === true && found.some(({ result }) => result === 'failed')) break;
  }
  return findings;
});

/** What the checks of a cloud may ask about the cluster. */
function accountSubject(subject: Subject): AccountSubject {
  const { objects } = subject;
  return {
    nodeClasses: async () => (await subject.policies()).nodeClasses,
    configMap: async (namespace, name) =>
      plainObject(field(await objects.find('configmaps', name, namespace), 'data')),
    webhook: () => webhookPlace(subject),
  };
}

const nodeClasses = liveCheck('node-classes', async (subject, signal) => {
  const source = await subject.cloud();
  if (source === undefined) return [];
  const classes = (await subject.policies()).nodeClasses.slice(0, MOST_CLASSES);
  const findings: CheckFinding[] = [];
  for (const nodeClass of classes) {
    const name = describeNodeClass(nodeClass);
    const { problems, freeAddresses = new Map<string, number>() } = await source.cloud.resolveNodeClass(
      nodeClass,
      signal,
    );
    for (const problem of problems)
      findings.push(
        problem.includes(CHANGES_NOTHING)
          ? skipped(
              `${name} was not checked to the end: ${problem}`,
              'Let Berth run once, and run berth doctor again',
            )
          : failed(`${name}: ${problem}`, 'Correct the document, or grant the permission (docs/aws.md)'),
      );
    for (const [zone, free] of freeAddresses)
      if (free < FEW_ADDRESSES)
        findings.push(
          (free <= 0 ? failed : warning)(
            `${name}: the subnets of ${zone} have ${String(Math.max(0, free))} free addresses`,
            'Add a subnet, or free addresses: nodes and their pods need them',
          ),
        );
  }
  return orOk(findings, `nodes can be launched from ${classes.map(describeNodeClass).join(', ')}`);
});

export const CLOUD_CHECKS: readonly DoctorCheck[] = [account, nodeClasses];
