/** Whether Berth is installed whole, runs where it may, and leads. */
import { isDeepStrictEqual } from 'node:util';
import { decisionKind } from '../../../apis/berth/decision.js';
import { nodeClaimKind } from '../../../apis/berth/node-claim.js';
import { policyStatusKind } from '../../../apis/berth/policy-status.js';
import { reservationKind } from '../../../apis/berth/reservation.js';
import { plainObject, type Plain } from '../../../apis/decode/plain.js';
import { decodeLease } from '../../../apis/kubernetes/nodes/lease.js';
import { failed, ok, orOk, warning, type CheckFinding } from '../../../domain/records/check-finding.js';
import { LEADER_LEASE } from '../../../domain/records/lease.js';
import { describePause, PAUSED_ANNOTATION, readPause } from '../../../domain/records/pause.js';
import { counted } from '../../../domain/values/text.js';
import { check, liveCheck, type DoctorCheck, type Subject } from '../doctor-check.js';
import {
  conditionOf,
  field,
  fields,
  hasLabels,
  isTrue,
  nameOf,
  number,
  text,
} from '../subject/object-fields.js';
import { CONTROLLER, missingController, shippedOptions } from '../subject/installation.js';

const DEFINITIONS = [nodeClaimKind, reservationKind, policyStatusKind, decisionKind].map(
  ({ definition }) => definition,
);
const INSTALL_DEFINITIONS =
  'Install the chart berth-crd of this version, or kubectl apply --server-side -k manifests/crds';

const definitions = check('custom-resources', async ({ objects, live }) => {
  const findings: CheckFinding[] = [];
  for (const wanted of DEFINITIONS) {
    const name = nameOf(wanted);
    const found = await objects.find('customresourcedefinitions', name);
    if (found === undefined)
      findings.push(failed(`the CustomResourceDefinition ${name} does not exist`, INSTALL_DEFINITIONS));
    else if (live !== undefined && !isTrue(found, 'Established'))
      findings.push(
        failed(`the CustomResourceDefinition ${name} is not Established`, `kubectl describe crd ${name}`),
      );
    else if (!isDeepStrictEqual(schemaOf(found), schemaOf(wanted)))
      findings.push(
        warning(`the schema of ${name} is that of another version of Berth`, INSTALL_DEFINITIONS),
      );
  }
  return orOk(findings, `${String(DEFINITIONS.length)} CustomResourceDefinitions are those of this version`);
});

/** Compared as JSON: what is undefined is not there. */
function schemaOf(definition: unknown): unknown {
  const [version] = fields(definition, 'spec', 'versions');
  return JSON.parse(JSON.stringify(field(version, 'schema', 'openAPIV3Schema') ?? null));
}

const controller = liveCheck('controller', async ({ objects, namespace }) => {
  const deployment = await objects.find('deployments', CONTROLLER, namespace);
  if (deployment === undefined) return [missingController(namespace)];
  const wanted = number(deployment, 'spec', 'replicas') ?? 1;
  const ready = number(deployment, 'status', 'readyReplicas') ?? 0;
  const evidence = `${String(ready)} of ${counted(wanted, 'replica')} of the Deployment ${CONTROLLER} ${ready === 1 ? 'is' : 'are'} ready`;
  if (ready >= wanted && wanted > 1) return [ok(evidence)];
  if (ready >= wanted && wanted === 1)
    return [warning(`${evidence}: while its pod is replaced, nothing is launched`, 'Set replicas to 2')];
  const pods = (await objects.list('pods', namespace)).filter((pod) =>
    hasLabels(pod, field(deployment, 'spec', 'selector', 'matchLabels')),
  );
  const reasons = [...new Set(pods.flatMap(waitingReason))].join('; ');
  const mend = `kubectl -n ${namespace} describe pods -l app.kubernetes.io/name=${CONTROLLER}`;
  const whole = reasons === '' ? evidence : `${evidence}: ${reasons}`;
  return [ready === 0 ? failed(whole, mend) : warning(whole, mend)];
});

/** Why a pod is not ready: that of a container, or that it has no node. */
function waitingReason(pod: Plain): readonly string[] {
  const containers = fields(pod, 'status', 'containerStatuses').flatMap((status) => {
    const waiting = text(status, 'state', 'waiting', 'reason');
    return waiting === '' ? [] : [`${waiting} (${text(status, 'image')})`];
  });
  const scheduled = conditionOf(pod, 'PodScheduled');
  const unplaced = scheduled?.['status'] === 'False' ? [`Unschedulable: ${text(scheduled, 'message')}`] : [];
  return [...containers, ...unplaced];
}

const options = check('options', async (subject) => {
  const { objects, namespace } = subject;
  const deployment = await objects.find('deployments', CONTROLLER, namespace);
  if (deployment === undefined) return [missingController(namespace)];
  const shipped = shippedOptions(deployment, namespace);
  const where = `Deployment ${CONTROLLER}`;
  if ('problem' in shipped)
    return [
      failed(`${where}: ${shipped.problem}`, 'Correct the flag or the variable (docs/reference/flags.md)'),
    ];
  const { cloud, clusterName, cloudOptions } = shipped.options;
  if (cloud === undefined)
    return [failed(`${where} names no cloud`, 'Set BERTH_CLOUD (chart: settings.cloud)')];
  if (clusterName === undefined || clusterName === 'REPLACE')
    return [failed(`${where} has no name of the cluster`, 'Set CLUSTER_NAME (chart: settings.clusterName)')];
  const queue = cloudOptions['interruptionQueue'];
  const evidence = `cloud ${cloud}, cluster ${clusterName}, ${typeof queue === 'string' ? `interruption queue ${queue}` : 'no interruption queue'}`;
  if (queue === undefined && cloud === 'aws')
    return [
      warning(
        `${evidence}: spot instances end without notice`,
        'Create the queue (docs/aws.md) and set INTERRUPTION_QUEUE (chart: settings.interruptionQueue)',
      ),
    ];
  return [ok(evidence)];
});

const POOL_LABEL = 'karpenter.sh/nodepool';

const ground = liveCheck('nodes-for-berth', async ({ objects, namespace }) => {
  const nodes = (await objects.list('nodes')).filter(
    (node) => field(node, 'metadata', 'labels', POOL_LABEL) === undefined && canRunBerth(node),
  );
  const deployment = await objects.find('deployments', CONTROLLER, namespace);
  const wanted = number(deployment, 'spec', 'replicas') ?? 2;
  const evidence = `${counted(nodes.length, 'node')} that no NodePool manages can run Berth's ${counted(wanted, 'replica')}`;
  const mend = `Have ${String(wanted)} Ready nodes in a managed node group: Berth does not run on nodes that it launches`;
  if (nodes.length === 0) return [failed(evidence, mend)];
  return [nodes.length < wanted ? warning(evidence, mend) : ok(evidence)];
});

/** Its pods tolerate CriticalAddonsOnly, and need Linux. */
function canRunBerth(node: Plain): boolean {
  const taints = fields(node, 'spec', 'taints').filter(
    ({ key, effect }) => key !== 'CriticalAddonsOnly' && effect !== 'PreferNoSchedule',
  );
  const os = field(node, 'metadata', 'labels', 'kubernetes.io/os') ?? 'linux';
  return (
    isTrue(node, 'Ready') &&
    field(node, 'spec', 'unschedulable') !== true &&
    taints.length === 0 &&
    os === 'linux'
  );
}

const leader = liveCheck('leader', async (subject, signal) => leaseFinding(subject, LEADER_LEASE, signal));

/** A Lease that its holder renews. */
export async function leaseFinding(
  { objects, namespace, live }: Subject,
  name: string,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const found = await objects.find('leases', name, namespace);
  const lease = found === undefined ? undefined : decodeLease(found).value;
  const mend = `Look at the logs of the pods that take part in it: kubectl -n ${namespace} logs deploy/${name}`;
  if (lease === undefined || lease.holder === '') return [failed(`no replica holds the Lease ${name}`, mend)];
  const { serverTime } =
    live === undefined
      ? { serverTime: undefined }
      : await live.ask({ method: 'GET', path: '/version', signal });
  const age = (serverTime ?? live?.now() ?? lease.renewedAt) - lease.renewedAt;
  const seconds = (age / 1000).toFixed(0);
  const evidence = `${lease.holder} holds the Lease ${name} and renewed it ${seconds} s ago`;
  if (age > lease.durationSeconds * 1000) return [failed(evidence, mend)];
  // The time in the Lease is that of its holder.
  if (age < -AHEAD_MILLIS)
    return [
      warning(
        `the clock of ${lease.holder} is ${String(-Number(seconds))} s ahead of the API server's`,
        'Synchronise the clock of its node (NTP)',
      ),
    ];
  return [ok(evidence)];
}

const AHEAD_MILLIS = 5_000;

const pause = liveCheck('pause', async ({ objects, namespace }) => {
  const found = await objects.find('namespaces', namespace);
  const annotation = text(found, 'metadata', 'annotations', PAUSED_ANNOTATION);
  const labels = plainObject(field(found, 'metadata', 'annotations')) ?? {};
  const paused =
    annotation === '' ? undefined : readPause(new Map(Object.entries(labels) as [string, string][]));
  if (paused === undefined) return [ok('Berth is not paused')];
  return [warning(describePause(paused), 'berth resume')];
});

export const INSTALLATION_CHECKS: readonly DoctorCheck[] = [
  definitions,
  controller,
  options,
  ground,
  leader,
  pause,
];
