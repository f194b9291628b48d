/** What `berth doctor` looks at in a cluster: its objects, each read once, and what its API server answers. */
import {
  KubeClient,
  pathSegment,
  type KubeConnectionSource,
  type KubeRequest,
  type Send,
} from '../../../adapters/kube/transport/index.js';
import { plainObject, type Plain } from '../../../apis/decode/plain.js';
import { readDocuments } from '../../../apis/documents/read-documents.js';
import { POLICY_LABEL } from '../../../apis/policies/policy-documents.js';
import { readPolicies, type Policies } from '../../../apis/policies/read-policies.js';
import type { Clock } from '../../../ports/clock.js';
import { hasCode } from '../../../ports/port-error.js';
import type { LiveCluster, ObjectReader, SchedulerConfiguration, Subject } from '../doctor-check.js';
import { field, fields, text } from './object-fields.js';
import { RESOURCES, SELECTORS, type Resource } from './resources.js';
import type { CloudSource } from '../../../runtime/process/cloud-provider.js';
import { examinedCloud } from './examined-cloud.js';
import { connectTls } from './connect-tls.js';

const PAGE_SIZE = 500;
const MOST_PAGES = 10;

export interface LiveSubjectOptions {
  readonly connection: KubeConnectionSource;
  /** For time-outs, latency, and what is compared with the API server's time. */
  readonly clock: Clock;
  /** Over sockets unless given. */
  readonly send?: Send | undefined;
  readonly connect?: LiveCluster['connect'] | undefined;
  readonly namespace: string;
  readonly schedulerConfigurations: readonly SchedulerConfiguration[];
  /** Of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the cloud is asked through; its usual way unless given. */
  readonly wire?: unknown;
}

/** A subject and what ends its connections. */
export function liveSubject(options: LiveSubjectOptions): {
  readonly subject: Subject;
  readonly close: () => void;
} {
  const { connection, clock, send, namespace, schedulerConfigurations, env, wire } = options;
  const client = new KubeClient({ connection, clock, send, userAgent: 'berth-doctor' });
  const objects = new ReadOnce(client);
  let policies: Promise<Policies> | undefined;
  let cloud: Promise<CloudSource | undefined> | undefined;
  const subject: Subject = {
    ...{ namespace, objects, schedulerConfigurations },
    policies: () => (policies ??= readStored(objects, namespace)),
    cloud: () => (cloud ??= examinedCloud({ client, objects, namespace, clock, env, wire })),
    live: {
      ask: async (request) => {
        const startedAt = clock.monotonic();
        const { body, date } = await client.exchange(request);
        return {
          body: plainObject(body) ?? {},
          millis: clock.monotonic() - startedAt,
          serverTime: date === undefined ? undefined : Date.parse(date),
        };
      },
      connect: options.connect ?? connectTls,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    },
  };
  return {
    subject,
    close: () => {
      void cloud?.then(
        (source) => source?.close(),
        () => undefined,
      );
      client.close();
    },
  };
}

class ReadOnce implements ObjectReader {
  readonly #client: KubeClient;
  readonly #lists = new Map<string, Promise<readonly Plain[]>>();
  readonly #found = new Map<string, Promise<Plain | undefined>>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  list(resource: Resource, namespace?: string): Promise<readonly Plain[]> {
    const path = pathOf(resource, namespace);
    return remembered(this.#lists, path, () => this.#pages(path, resource));
  }

  find(resource: Resource, name: string, namespace?: string): Promise<Plain | undefined> {
    const path = `${pathOf(resource, namespace)}/${pathSegment(name)}`;
    return remembered(this.#found, path, async () =>
      plainObject(await this.#read(path, `get ${resource}/${name}`)),
    );
  }

  /** No more than MOST_PAGES: what is wrong in a large cluster shows in its first thousands of objects. */
  async #pages(path: string, resource: Resource): Promise<readonly Plain[]> {
    const found: Plain[] = [];
    let next: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { limit: PAGE_SIZE, labelSelector: SELECTORS[resource], continue: next };
      const answer = await this.#read(path, `list ${resource}`, query);
      found.push(...fields(answer, 'items'));
      next = text(answer, 'metadata', 'continue');
      if (next === '') break;
    }
    return found;
  }

  async #read(path: string, operation: string, query: KubeRequest['query'] = {}): Promise<unknown> {
    try {
      return await this.#client.request({ method: 'GET', path, operation, query });
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? read();
  known.set(key, found);
  return found;
}

function pathOf(resource: Resource, namespace: string | undefined): string {
  const [groupVersion] = RESOURCES[resource];
  const root = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
  return namespace === undefined
    ? `${root}/${resource}`
    : `${root}/namespaces/${pathSegment(namespace)}/${resource}`;
}

/** The policy ConfigMaps of the namespace, read as `berth validate` reads manifests. */
async function readStored(objects: ObjectReader, namespace: string): Promise<Policies> {
  const configMaps = await objects.list('configmaps', namespace);
  const documents = configMaps
    .filter((configMap) => field(configMap, 'metadata', 'labels', POLICY_LABEL) === 'true')
    .map((configMap) => ({ ...configMap, apiVersion: 'v1', kind: 'ConfigMap' }))
    .flatMap((configMap) => {
      const source = `configmap/${String(field(configMap, 'metadata', 'name'))}`;
      return readDocuments({ source, text: JSON.stringify(configMap) }).documents;
    });
  return readPolicies(documents);
}
