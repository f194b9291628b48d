/** Whether the API server can call Berth's webhooks, trusts them, and gets its answer in time. */
import { POLICY_LABEL } from '../../../apis/policies/policy-documents.js';
import {
  failed,
  ok,
  orOk,
  skipped,
  warning,
  type CheckFinding,
} from '../../../domain/records/check-finding.js';
import { hasCode } from '../../../ports/port-error.js';
import { check, liveCheck, type DoctorCheck, type LiveCluster } from '../doctor-check.js';
import { CERTIFICATES, CONTROLLER } from '../subject/installation.js';
import {
  WEBHOOK_CONFIGURATIONS,
  WEBHOOK_SERVICE,
  webhookSlices,
  webhooksOf,
  webhookUrl,
} from '../subject/webhook-place.js';
import { field, fields, number, text } from '../subject/object-fields.js';

const REINSTALL = 'helm upgrade the chart, or kubectl apply -k the manifests again';

const configurations = check('webhook-configurations', async (subject) => {
  const webhooks = await webhooksOf(subject);
  const findings: CheckFinding[] = [];
  for (const [resource, name] of WEBHOOK_CONFIGURATIONS)
    if (!webhooks.some(([configuration]) => configuration === name))
      findings.push(failed(`${name} of ${resource} does not exist, or has no webhook`, REINSTALL));
  for (const [name, webhook] of webhooks) {
    if (webhook['failurePolicy'] === 'Fail')
      findings.push(
        failed(
          `${name} has failurePolicy Fail: while Berth cannot be reached, the API server refuses what it asks about`,
          `Set failurePolicy: Ignore; ${REINSTALL}`,
        ),
      );
    const seconds = number(webhook, 'timeoutSeconds') ?? 10;
    if (seconds > MOST_SECONDS)
      findings.push(
        warning(
          `${name} has timeoutSeconds ${String(seconds)}: each new pod waits that long while Berth cannot be reached`,
          `Set timeoutSeconds: 2; ${REINSTALL}`,
        ),
      );
  }
  return orOk(findings, `${String(webhooks.length)} webhooks with failurePolicy Ignore`);
});

const MOST_SECONDS = 5;

const authority = liveCheck('webhook-ca', async (subject) => {
  const { objects, namespace } = subject;
  const secret = await objects.find('secrets', CERTIFICATES, namespace);
  const bundle = text(secret, 'data', 'ca.crt');
  const findings: CheckFinding[] = [];
  for (const [name, webhook] of await webhooksOf(subject)) {
    const trusted = text(webhook, 'clientConfig', 'caBundle');
    const mend = `Let a replica that leads write it: it does so each minute; see kubectl -n ${namespace} logs deploy/${CONTROLLER}`;
    if (trusted === '')
      findings.push(failed(`${name} has no caBundle: the API server cannot verify Berth`, mend));
    else if (bundle !== '' && trusted !== bundle)
      findings.push(failed(`the caBundle of ${name} is not ca.crt of the Secret ${CERTIFICATES}`, mend));
  }
  return orOk(findings, `the caBundle of each webhook is ca.crt of the Secret ${CERTIFICATES}`);
});

const endpoints = liveCheck('webhook-endpoints', async (subject) => {
  const { objects, namespace } = subject;
  const url = await webhookUrl(subject);
  if (url !== undefined) return [ok(`the API server calls ${url}`)];
  const service = await objects.find('services', WEBHOOK_SERVICE, namespace);
  if (service === undefined)
    return [failed(`the Service ${WEBHOOK_SERVICE} does not exist in ${namespace}`, REINSTALL)];
  const ready = (await webhookSlices(subject))
    .flatMap((slice) => fields(slice, 'endpoints'))
    .filter((endpoint) => field(endpoint, 'conditions', 'ready') !== false);
  if (ready.length > 0)
    return [ok(`the Service ${WEBHOOK_SERVICE} has ${String(ready.length)} ready endpoints`)];
  return [
    failed(
      `the Service ${WEBHOOK_SERVICE} has no ready endpoint`,
      `Compare its selector with the pods' labels, and see whether the pods are ready: kubectl -n ${namespace} get pods`,
    ),
  ];
});

/** No document of a user: it lacks its template, so that Berth refuses it. */
const PROBE_POLICY =
  'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: berth-doctor }\nspec: {}\n';
const SLOW_MILLIS = 500;

const call = liveCheck('webhook-call', async ({ namespace, live }, signal) => {
  const probe = (labels: Readonly<Record<string, string>>): Promise<Probed> =>
    probeConfigMap({ live, namespace, labels, signal });
  const plain = await probe({});
  if (plain.outcome === 'forbidden')
    return [
      skipped(`the webhook was not called: you may not create ConfigMaps in ${namespace} (with dryRun)`),
    ];
  const asked = await probe({ [POLICY_LABEL]: 'true' });
  if (asked.outcome !== 'refused')
    return [
      failed(
        `the API server got no answer of the webhook validate-policies.berth.sh (${asked.millis.toFixed(0)} ms)`,
        "Let the control plane reach port 9443 of Berth's pods (security groups, NetworkPolicies); see webhook-ca and webhook-endpoints",
      ),
    ];
  const millis = Math.max(0, asked.millis - plain.millis);
  const evidence = `the API server called the webhook, which took ${millis.toFixed(0)} ms`;
  if (millis <= SLOW_MILLIS) return [ok(evidence)];
  return [warning(`${evidence} of 2000`, 'Give the pods of Berth more CPU, and look at the network to them')];
});

interface Probed {
  /** refused: by Berth's webhook. */
  readonly outcome: 'stored' | 'refused' | 'forbidden';
  readonly millis: number;
}

interface Probe {
  readonly live: LiveCluster;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Asks for a ConfigMap with these labels, as a dry run: nothing is stored. */
async function probeConfigMap({ live, namespace, labels, signal }: Probe): Promise<Probed> {
  const startedAt = live.monotonic();
  const ended = (outcome: Probed['outcome']): Probed => ({ outcome, millis: live.monotonic() - startedAt });
  try {
    await live.ask({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      query: { dryRun: 'All' },
      urgency: 'at-once',
      body: {
        ...{ apiVersion: 'v1', kind: 'ConfigMap' },
        metadata: { name: 'berth-doctor', namespace, labels },
        data: { 'probe.yaml': PROBE_POLICY },
      },
      operation: `create configmaps/${namespace}/berth-doctor (dry run)`,
      signal,
    });
    return ended('stored');
  } catch (error) {
    if (hasCode(error, 'Invalid') && error.message.includes('validate-policies.berth.sh'))
      return ended('refused');
    if (hasCode(error, 'Forbidden')) return ended('forbidden');
    throw error;
  }
}

export const WEBHOOK_CHECKS: readonly DoctorCheck[] = [configurations, authority, endpoints, call];
