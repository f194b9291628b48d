/** Berth's webhooks as the cluster has them: their configurations, and the pods that the API server calls. */
import type { Plain } from '../../../apis/decode/plain.js';
import type { WebhookPlace } from '../../../ports/account-check.js';
import type { Subject } from '../doctor-check.js';
import { field, fields, nameOf, number, text } from './object-fields.js';
import type { Resource } from './resources.js';

export const WEBHOOK_CONFIGURATIONS: readonly (readonly [resource: Resource, name: string])[] = [
  ['mutatingwebhookconfigurations', 'berth-mutate-pods'],
  ['validatingwebhookconfigurations', 'berth-validate-policies'],
];
export const WEBHOOK_SERVICE = 'berth-webhook';

type Objects = Pick<Subject, 'objects'>;

/** The webhooks of both configurations, by the name of theirs. */
export async function webhooksOf({
  objects,
}: Objects): Promise<readonly (readonly [name: string, webhook: Plain])[]> {
  const found: (readonly [string, Plain])[] = [];
  for (const [resource, name] of WEBHOOK_CONFIGURATIONS)
    for (const webhook of fields(await objects.find(resource, name), 'webhooks')) found.push([name, webhook]);
  return found;
}

/** What the API server calls in place of the Service; undefined: the Service. */
export async function webhookUrl(subject: Objects): Promise<string | undefined> {
  const webhooks = await webhooksOf(subject);
  return webhooks.map(([, webhook]) => text(webhook, 'clientConfig', 'url')).find((url) => url !== '');
}

/** The EndpointSlices of the Service. */
export async function webhookSlices({
  objects,
  namespace,
}: Pick<Subject, 'objects' | 'namespace'>): Promise<readonly Plain[]> {
  return (await objects.list('endpointslices', namespace)).filter(
    (slice) => field(slice, 'metadata', 'labels', 'kubernetes.io/service-name') === WEBHOOK_SERVICE,
  );
}

/** undefined where the API server calls no pods, or there are none. @throws PortError */
export async function webhookPlace(
  subject: Pick<Subject, 'objects' | 'namespace'>,
): Promise<WebhookPlace | undefined> {
  if ((await webhookUrl(subject)) !== undefined) return undefined;
  const slices = await webhookSlices(subject);
  const [port] = slices.flatMap((slice) => fields(slice, 'ports')).map((each) => number(each, 'port'));
  if (port === undefined) return undefined;
  const names = new Set(
    slices.flatMap((slice) => fields(slice, 'endpoints')).map((endpoint) => text(endpoint, 'nodeName')),
  );
  const nodes = (await subject.objects.list('nodes')).filter((node) => names.has(nameOf(node)));
  return {
    port,
    nodes: nodes.map((node) => ({ name: nameOf(node), providerID: text(node, 'spec', 'providerID') })),
  };
}
