/** Berth's certificates in their Secret, and their CA in the webhook configurations. */
import { plainObject, valueAt } from '../../../apis/decode/plain.js';
import type { CertificateStore, StoredCertificates } from '../../../ports/certificate-store.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import { FIELD_MANAGER, JSON_PATCH, MERGE_PATCH } from '../transport/index.js';
import { collectionPath, objectPath, type ApiClient } from './api-object.js';

const SECRET = 'berth-certificates';
const WEBHOOKS = [
  { plural: 'mutatingwebhookconfigurations', name: 'berth-mutate-pods' },
  { plural: 'validatingwebhookconfigurations', name: 'berth-validate-policies' },
] as const;
const ADMISSION = 'admissionregistration.k8s.io/v1';

export function certificateStore(client: ApiClient, namespace: string): CertificateStore {
  const secrets = collectionPath('v1', 'secrets', namespace);
  const secret = objectPath(secrets, SECRET);
  return {
    readCertificates: async (signal) => {
      const operation = `get secrets/${namespace}/${SECRET}`;
      const answer = await unlessMissing(client.request({ method: 'GET', path: secret, operation, signal }));
      return answer === undefined ? undefined : readSecret(operation, answer);
    },

    writeCertificates: async (files, known, signal) => {
      const query = { fieldManager: FIELD_MANAGER };
      const data = encodeFiles(files);
      if (known === undefined) {
        const metadata = { name: SECRET, namespace };
        const body = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data };
        const operation = `create secrets/${namespace}/${SECRET}`;
        const request = { method: 'POST', path: secrets, query, body, operation, signal } as const;
        return readSecret(operation, await client.request(request));
      }
      const gone = [...known.files.keys()]
        .filter((name) => !files.has(name))
        .map((name) => [name, null] as const);
      const operation = `patch secrets/${namespace}/${SECRET}`;
      const answer = await client.request({
        ...{ method: 'PATCH', path: secret, query, operation, signal },
        contentType: MERGE_PATCH,
        body: {
          metadata: { resourceVersion: known.resourceVersion },
          data: { ...data, ...Object.fromEntries(gone) },
        },
      });
      return readSecret(operation, answer);
    },

    publishAuthority: async (bundle, signal) => {
      const caBundle = Buffer.from(bundle).toString('base64');
      for (const { plural, name } of WEBHOOKS)
        await publish(client, {
          path: objectPath(collectionPath(ADMISSION, plural), name),
          caBundle,
          signal,
        });
    },

    publishedAuthority: async (signal) => {
      for (const { plural, name } of WEBHOOKS) {
        const path = objectPath(collectionPath(ADMISSION, plural), name);
        const answer = await unlessMissing(client.request({ method: 'GET', path, signal }));
        for (const webhook of webhooksIn(answer)) {
          const bundle = valueAt(webhook, ['clientConfig', 'caBundle']);
          if (typeof bundle === 'string' && bundle !== '') return Buffer.from(bundle, 'base64').toString();
        }
      }
      return undefined;
    },
  };
}

function encodeFiles(files: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...files].map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}

function readSecret(operation: string, answer: unknown): StoredCertificates {
  const resourceVersion = valueAt(answer, ['metadata', 'resourceVersion']);
  if (typeof resourceVersion !== 'string') {
    const message = 'the API server returned something other than a Secret';
    throw new PortError('Unavailable', { operation, message });
  }
  const data = Object.entries(plainObject(valueAt(answer, ['data'])) ?? {});
  const files = data.map(([name, text]) => {
    return [name, typeof text === 'string' ? Buffer.from(text, 'base64').toString() : ''] as const;
  });
  return { files: new Map(files), resourceVersion };
}

interface Publication {
  readonly path: string;
  readonly caBundle: string;
  readonly signal: AbortSignal | undefined;
}

/** A configuration that does not exist cannot trust a wrong CA. */
async function publish(client: ApiClient, { path, caBundle, signal }: Publication): Promise<void> {
  const answer = await unlessMissing(client.request({ method: 'GET', path, signal }));
  const body = webhooksIn(answer).flatMap((webhook, index) => {
    if (valueAt(webhook, ['clientConfig', 'caBundle']) === caBundle) return [];
    const at = `/webhooks/${String(index)}`;
    return [
      // The webhooks are a list: between reading and writing another client may have put another one first.
      { op: 'test', path: `${at}/name`, value: valueAt(webhook, ['name']) },
      { op: 'add', path: `${at}/clientConfig/caBundle`, value: caBundle },
    ];
  });
  if (body.length === 0) return;
  const query = { fieldManager: FIELD_MANAGER };
  await client.request({ method: 'PATCH', path, query, contentType: JSON_PATCH, body, signal });
}

function webhooksIn(configuration: unknown): readonly unknown[] {
  const webhooks = valueAt(configuration, ['webhooks']);
  return Array.isArray(webhooks) ? webhooks : [];
}

async function unlessMissing(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}
