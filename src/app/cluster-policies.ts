/** Policies as a cluster has them without Berth: Karpenter's custom resources, and NodePools for its node groups. */
import { KubeClient, KubeconfigSource } from '../adapters/kube/transport/index.js';
import { asWritten } from '../apis/conversion/as-written.js';
import { policyKinds, type PolicyKind } from '../apis/conversion/policy-kinds.js';
import type { SourceText } from '../apis/documents/document.js';
import type { JsonObject } from '../domain/policies/policy.js';
import { hasCode } from '../ports/port-error.js';
import { systemClock } from '../runtime/time/system-clock.js';
import { CLOUDS } from './clouds.js';

export interface PolicyLook {
  readonly from: 'karpenter' | 'nodegroup';
  /** undefined: kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Answers them as one List. @throws PortError */
export type ReadClusterPolicies = (look: PolicyLook) => Promise<SourceText>;

export async function readClusterPolicies({
  from,
  kubeconfig: file,
  context,
}: PolicyLook): Promise<SourceText> {
  const clock = systemClock;
  const connection = new KubeconfigSource({ clock, file, context });
  const client = new KubeClient({ connection, clock, userAgent: 'berth-cli' });
  try {
    const items = from === 'karpenter' ? await customResources(client) : await nodeGroups(client);
    return { source: 'cluster', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
  } finally {
    client.close();
  }
}

type Client = Pick<KubeClient, 'request'>;

/** Of each kind in the newest version that the API server has. Berth's own kinds are no custom resources. */
async function customResources(client: Client): Promise<readonly JsonObject[]> {
  const kinds = policyKinds().filter(({ apiVersion }) => !apiVersion.startsWith('berth.sh/'));
  const found = new Map<string, readonly JsonObject[]>();
  for (const kind of kinds) {
    if (found.has(kind.kind)) continue;
    const plural = await pluralOf(client, kind);
    if (plural !== undefined) found.set(kind.kind, await listOf(client, kind, plural));
  }
  return [...found.values()].flat();
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string }[];
}

/** undefined where the API server does not have the kind in this version. */
async function pluralOf(client: Client, { apiVersion, kind }: PolicyKind): Promise<string | undefined> {
  try {
    const answer = await client.request({ method: 'GET', path: `/apis/${apiVersion}` });
    const { resources } = answer as ResourceList;
    return resources.find((each) => each.kind === kind && !each.name.includes('/'))?.name;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function listOf(
  client: Client,
  { apiVersion, kind }: PolicyKind,
  plural: string,
): Promise<readonly JsonObject[]> {
  const answer = await client.request({ method: 'GET', path: `/apis/${apiVersion}/${plural}` });
  const { items } = answer as { readonly items: readonly JsonObject[] };
  return items.map((item) => asWritten({ apiVersion, kind }, item));
}

async function nodeGroups(client: Client): Promise<readonly JsonObject[]> {
  const answer = await client.request({ method: 'GET', path: '/api/v1/nodes' });
  const { items } = answer as { readonly items: readonly JsonObject[] };
  return [...CLOUDS.values()].flatMap(({ nodeGroups: groups }) => groups?.nodePools(items) ?? []);
}
