/** How firmly plans hold, as docs/levels.md defines it, and what is missing for the next level. */
import { ok, warning } from '../../../domain/records/check-finding.js';
import { check, type DoctorCheck, type Subject } from '../doctor-check.js';
import { entryProblems, extenderEntry, findScheduler } from '../subject/extender-entry.js';
import { CONTROLLER, SECOND_SCHEDULER, shippedOptions } from '../subject/installation.js';

const level = check('level', async (subject) => {
  const { podDefaults } = await subject.policies();
  const stamping = podDefaults.filter(({ mode }) => mode === 'stamp');
  const isGated = stamping.some(({ schedulingGate }) => schedulingGate === true);
  const missing = await missingForExtender(
    subject,
    stamping.some(({ schedulerName }) => schedulerName === 'auto' || schedulerName === SECOND_SCHEDULER),
  );
  if (missing === undefined)
    return [
      ok(`L2: kube-scheduler asks the extender${isGated ? '; L1 for pods with the scheduling gate' : ''}`),
    ];
  if (isGated) return [ok(`L1: pods of some PodDefaults have the scheduling gate; for L2, ${missing}`)];
  if (!(await nominates(subject)))
    return [
      warning(
        'below L0: planned pods are not nominated to their nodes',
        `Set BERTH_NOMINATE to yes; for L2, ${missing}`,
      ),
    ];
  return [
    ok(
      `L0: planned pods are nominated; for L1, set schedulingGate: true in a PodDefaults; for L2, ${missing}`,
    ),
  ];
});

/** What keeps kube-scheduler from asking for pods; undefined when it asks. */
async function missingForExtender(subject: Subject, isAssigned: boolean): Promise<string | undefined> {
  const { mode, configuration } = await findScheduler(subject);
  if (mode === 'none')
    return 'install the second scheduler (scheduler.mode: second), or configure your kube-scheduler';
  if (configuration === undefined)
    return 'give --scheduler-config, so that the entry of your kube-scheduler can be checked';
  const entry = extenderEntry(configuration);
  if (entry === undefined || entryProblems(entry).length > 0)
    return 'mend what scheduler-configuration found';
  if (mode === 'second' && !isAssigned) return 'assign pods to it: a PodDefaults with schedulerName: auto';
  return undefined;
}

async function nominates({ objects, namespace }: Subject): Promise<boolean> {
  const deployment = await objects.find('deployments', CONTROLLER, namespace);
  const shipped = shippedOptions(deployment, namespace);
  return 'options' in shipped && shipped.options.nominate;
}

export const LEVEL_CHECKS: readonly DoctorCheck[] = [level];
