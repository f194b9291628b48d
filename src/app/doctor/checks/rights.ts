/** Whether the service accounts of Berth's components may do what the components do. */
import { failed, ok, skipped, type CheckFinding } from '../../../domain/records/check-finding.js';
import { hasCode } from '../../../ports/port-error.js';
import { liveCheck, type DoctorCheck, type LiveCluster } from '../doctor-check.js';
import { CLOUD_RIGHTS, COMPONENT_RIGHTS, describeRight, type Right } from '../subject/component-rights.js';
import { CONTROLLER, SECOND_SCHEDULER, shippedOptions } from '../subject/installation.js';
import { field, text } from '../subject/object-fields.js';

const GROUP = 'authorization.k8s.io/v1';
const MOST_NAMED = 5;

interface Account {
  readonly namespace: string;
  readonly name: string;
}

const controller = liveCheck('rights-of-controller', async ({ objects, namespace, live }, signal) => {
  // With little permission the Deployment cannot be read, but the account's usual name is known.
  const deployment = await objects.find('deployments', CONTROLLER, namespace).catch(() => undefined);
  const named = text(deployment, 'spec', 'template', 'spec', 'serviceAccountName');
  const account = { namespace, name: named === '' ? 'berth-controller' : named };
  const shipped = shippedOptions(deployment, namespace);
  const cloud = 'problem' in shipped ? undefined : shipped.options.cloud;
  const rights = [...COMPONENT_RIGHTS['berth-controller'], ...(CLOUD_RIGHTS[cloud ?? ''] ?? [])];
  return rightsOf(live, account, rights, signal);
});

const scheduler = liveCheck('rights-of-scheduler', async ({ objects, namespace, live }, signal) => {
  if ((await objects.find('deployments', SECOND_SCHEDULER, namespace)) === undefined) return [];
  return rightsOf(live, { namespace, name: SECOND_SCHEDULER }, COMPONENT_RIGHTS['berth-scheduler'], signal);
});

async function rightsOf(
  live: LiveCluster,
  account: Account,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const { namespace, name } = account;
  const ask = await reviewer(live, account, signal);
  if (ask === undefined)
    return [
      skipped(
        `the rights of the service account ${name} were not asked for: you may not create SubjectAccessReviews`,
        'Run berth doctor as a cluster administrator, or in a pod of Berth',
      ),
    ];
  const answers = await Promise.all(rights.map(async (right) => ({ right, isAllowed: await ask(right) })));
  const missing = answers.filter(({ isAllowed }) => !isAllowed);
  if (missing.length === 0)
    return [ok(`the service account ${name} has its ${String(rights.length)} rights`)];
  const named = missing.slice(0, MOST_NAMED).map(({ right }) => describeRight(right, namespace));
  const more = missing.length > MOST_NAMED ? `, and ${String(missing.length - MOST_NAMED)} more` : '';
  return [
    failed(
      `the service account ${name} may not ${named.join(', ')}${more}`,
      'Apply the roles of this version again: helm upgrade the chart, or kubectl apply -k manifests/rbac',
    ),
  ];
}

/** Asks about the account, or where that is not allowed and we are the account, about ourselves; undefined: neither. */
async function reviewer(
  live: LiveCluster,
  { namespace, name }: Account,
  signal: AbortSignal,
): Promise<((right: Right) => Promise<boolean>) | undefined> {
  const user = `system:serviceaccount:${namespace}:${name}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const review =
    (kind: string, spec: object) =>
    async (right: Right): Promise<boolean> => {
      const [resource, subresource] = right.resource.split('/');
      const within = right.isOwnNamespace ? { namespace } : {};
      const { verb, group } = right;
      const resourceAttributes = { ...within, verb, group, resource, subresource, name: right.name };
      const path = `/apis/${GROUP}/${kind.toLowerCase()}s`;
      const body = { apiVersion: GROUP, kind, spec: { ...spec, resourceAttributes } };
      const answer = await live.ask({ method: 'POST', path, body, signal });
      return field(answer.body, 'status', 'allowed') === true;
    };
  const first: Right = { verb: 'list', group: '', resource: 'nodes', isOwnNamespace: false };
  const ofAccount = review('SubjectAccessReview', { user, groups });
  try {
    await ofAccount(first);
    return ofAccount;
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
  }
  return (await ownName(live, signal)) === user ? review('SelfSubjectAccessReview', {}) : undefined;
}

async function ownName(live: LiveCluster, signal: AbortSignal): Promise<string> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await live.ask({ method: 'POST', path, body, signal });
  return text(answer.body, 'status', 'userInfo', 'username');
}

export const RIGHT_CHECKS: readonly DoctorCheck[] = [controller, scheduler];
