/** Whether a kube-scheduler asks the extender, in a version that fits, and reaches it. */
import {
  failed,
  ok,
  orOk,
  skipped,
  warning,
  type CheckFinding,
} from '../../../domain/records/check-finding.js';
import { check, liveCheck, type DoctorCheck, type LiveCluster, type Subject } from '../doctor-check.js';
import {
  decoded,
  entryProblems,
  extenderEntry,
  findScheduler,
  tlsOf,
  trustProblems,
  type ExtenderEntry,
} from '../subject/extender-entry.js';
import { CERTIFICATES, SECOND_SCHEDULER } from '../subject/installation.js';
import { fields, number, text } from '../subject/object-fields.js';
import { minorOf, tagOf } from '../subject/versions.js';
import { leaseFinding } from './installation.js';

/** kube-scheduler may be one minor older than the API server (version skew policy of Kubernetes). */
const MOST_BEHIND = 1;
const GIVE = 'Give its file with --scheduler-config';

const version = liveCheck('scheduler-version', async ({ objects, namespace, live }, signal) => {
  const deployment = await objects.find('deployments', SECOND_SCHEDULER, namespace);
  if (deployment === undefined) return [];
  const { body } = await live.ask({ method: 'GET', path: '/version', signal });
  const server = text(body, 'gitVersion');
  const containers = fields(deployment, 'spec', 'template', 'spec', 'containers');
  const image = text(
    containers.find(({ name }) => name === 'kube-scheduler'),
    'image',
  );
  const [own, theirs] = [minorOf(tagOf(image)), minorOf(server)];
  const evidence = `kube-scheduler ${tagOf(image)} beside an API server ${server}`;
  const mend = 'Set scheduler.image.tag of the chart to the version of the API server, without suffix';
  if (own === undefined || theirs === undefined) return [warning(`${evidence}: no version`, mend)];
  if (own > theirs) return [failed(`${evidence}: it must not be newer`, mend)];
  if (own < theirs - MOST_BEHIND) return [failed(`${evidence}: it is too old`, mend)];
  return [ok(evidence)];
});

const running = liveCheck('scheduler-running', async (subject, signal) => {
  const { objects, namespace } = subject;
  const deployment = await objects.find('deployments', SECOND_SCHEDULER, namespace);
  if (deployment === undefined) return [];
  const ready = number(deployment, 'status', 'readyReplicas') ?? 0;
  if (ready === 0)
    return [
      failed(
        `no replica of the Deployment ${SECOND_SCHEDULER} is ready`,
        `kubectl -n ${namespace} describe pods -l app.kubernetes.io/name=${SECOND_SCHEDULER}`,
      ),
    ];
  return leaseFinding(subject, SECOND_SCHEDULER, signal);
});

const configuration = check('scheduler-configuration', async (subject) => {
  const { objects, namespace, live } = subject;
  const { mode, configuration: found } = await findScheduler(subject);
  if (mode === 'none')
    return [
      warning(
        'no kube-scheduler is configured to ask the extender: planned pods are nominated only',
        'Set scheduler.mode of the chart to second, or configure your kube-scheduler (docs/install.md)',
      ),
    ];
  if (found === undefined)
    return [skipped("the configuration of the cluster's kube-scheduler was not given", GIVE)];
  const entry = extenderEntry(found);
  const mend =
    "Write the chart's extender entry into it (docs/install.md, Schedulers), and restart kube-scheduler";
  if (entry === undefined) return [failed(`${found.source} has no extender entry for Berth`, mend)];
  const secret = live === undefined ? undefined : await objects.find('secrets', CERTIFICATES, namespace);
  const problems = [...entryProblems(entry), ...trustProblems(entry.entry, secret, live?.now() ?? 0)];
  return orOk(
    problems.map((problem) => failed(`${found.source}: ${problem}`, mend)),
    `${found.source} asks ${entry.url}`,
  );
});

const extender = liveCheck('extender-call', async (subject, signal) => {
  const { mode, configuration: found } = await findScheduler(subject);
  if (mode === 'second') return sidecars(subject);
  const entry = found && extenderEntry(found);
  return entry?.url.startsWith('https:') === true ? callExtender(subject.live, entry, signal) : [];
});

async function sidecars({ objects, namespace }: Subject): Promise<readonly CheckFinding[]> {
  const pods = (await objects.list('pods', namespace)).filter(
    (pod) => text(pod, 'metadata', 'labels', 'app.kubernetes.io/name') === SECOND_SCHEDULER,
  );
  const containers = pods.flatMap((pod) => fields(pod, 'status', 'containerStatuses'));
  const ready = containers.filter((status) => status['name'] === 'extender' && status['ready'] === true);
  if (ready.length > 0) return [ok(`${String(ready.length)} extenders are ready beside kube-scheduler`)];
  const mend = `kubectl -n ${namespace} logs deploy/${SECOND_SCHEDULER} -c extender`;
  return [failed('no extender is ready beside kube-scheduler: it decides alone', mend)];
}

/** As kube-scheduler does, from here. */
async function callExtender(
  live: LiveCluster,
  { url: text, entry }: ExtenderEntry,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const { caData, certData, keyData, serverName } = tlsOf(entry);
  const url = new URL(text);
  const target = {
    ...{ host: url.hostname, port: Number(url.port || 443), path: `${url.pathname}/filter` },
    ...{ ca: decoded(caData), certificate: decoded(certData), key: decoded(keyData) },
    serverName: serverName === '' ? url.hostname : serverName,
  };
  try {
    const status = await live.connect(target, signal);
    // An empty request is bad, and is refused only once the client's certificate was accepted.
    if (status === 200 || status === 400) return [ok(`${text} answers, and accepts the client certificate`)];
    const mend = 'Put scheduler.crt of the Secret into certData, scheduler.key into keyData';
    return [failed(`${text} answers with the status ${String(status)}`, mend)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/ENOTFOUND|EAI_AGAIN/.test(reason))
      return [skipped(`${url.hostname} has no address here`, 'Run berth doctor where kube-scheduler runs')];
    return [
      failed(
        `${text}: ${reason}`,
        'Let kube-scheduler reach port 9444 of the Service berth-extender, with ca.crt, scheduler.crt and scheduler.key of the Secret',
      ),
    ];
  }
}

export const SCHEDULER_CHECKS: readonly DoctorCheck[] = [version, running, configuration, extender];
