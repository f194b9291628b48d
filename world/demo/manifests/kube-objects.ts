/** Objects of a cluster as kubectl's user handles them: applied, scaled, deleted, by kind and name. */
import type { KubeClient } from '../../../src/adapters/kube/transport/index.js';
import { pathSegment } from '../../../src/adapters/kube/transport/index.js';

/** A manifest, as far as it takes to find its place. */
export interface KubeManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly [field: string]: unknown;
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const APPLY_PATCH = 'application/apply-patch+yaml';
const MERGE_PATCH = 'application/merge-patch+json';
/** Kubernetes knows by it who applied what. */
const FIELD_MANAGER = 'berth-demo';

/** Asks the server what kinds it has, as kubectl does, so that custom resources need nothing of their own. */
export class KubeObjects {
  readonly #client: KubeClient;
  readonly #resources = new Map<string, Promise<readonly ApiResource[]>>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Server-side apply. @throws PortError */
  async apply(manifest: KubeManifest, signal: AbortSignal): Promise<void> {
    await this.#client.request({
      method: 'PATCH',
      path: await this.#pathOf(manifest),
      query: { fieldManager: FIELD_MANAGER, force: true },
      body: manifest,
      contentType: APPLY_PATCH,
      signal,
    });
  }

  /** @throws PortError */
  async scale(
    workload: Pick<KubeManifest, 'apiVersion' | 'kind' | 'metadata'>,
    replicas: number,
  ): Promise<void> {
    await this.#client.request({
      method: 'PATCH',
      path: `${await this.#pathOf(workload)}/scale`,
      body: { spec: { replicas } },
      contentType: MERGE_PATCH,
    });
  }

  async #pathOf({
    apiVersion,
    kind,
    metadata,
  }: Pick<KubeManifest, 'apiVersion' | 'kind' | 'metadata'>): Promise<string> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const resource = await this.#resourceOf(root, kind);
    const scope = resource.namespaced ? `/namespaces/${pathSegment(metadata.namespace ?? 'default')}` : '';
    return `${root}${scope}/${resource.name}/${pathSegment(metadata.name)}`;
  }

  /** A kind that is not there yet may be so the next time: a CustomResourceDefinition takes a moment. */
  async #resourceOf(root: string, kind: string): Promise<ApiResource> {
    const known = this.#resources.get(root) ?? this.#discover(root);
    this.#resources.set(root, known);
    const found = (await known).find((resource) => resource.kind === kind);
    if (found !== undefined) return found;
    this.#resources.delete(root);
    throw new Error(`the server has no kind ${kind} under ${root}`);
  }

  async #discover(root: string): Promise<readonly ApiResource[]> {
    const answer = (await this.#client.request({ method: 'GET', path: root })) as
      { readonly resources?: readonly ApiResource[] } | undefined;
    // A slash is in the names of subresources.
    return (answer?.resources ?? []).filter(({ name }) => !name.includes('/'));
  }
}
