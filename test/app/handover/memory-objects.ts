/** Objects of an API server in memory: versions, preconditions, merges; each write may be the last one. */
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import type { KubeObject, KubeObjects, ObjectKind } from '../../../src/app/handover/kube-objects.js';
import { PortError, type PortErrorCode } from '../../../src/ports/port-error.js';

export class MemoryObjects implements KubeObjects {
  readonly #objects = new Map<string, KubeObject>();
  readonly #onWrite: () => void;
  #version = 0;

  /** Called after each write, and may throw in the place of an answer. */
  constructor(onWrite: () => void = () => undefined) {
    this.#onWrite = onWrite;
  }

  /** As other clients write it. */
  put(kind: ObjectKind, object: JsonObject & { readonly metadata: JsonObject }): void {
    this.#store(kind, object);
  }

  list(kind: ObjectKind): Promise<readonly KubeObject[]> {
    const prefix = `${kind.apiVersion}/${kind.plural}/`;
    return Promise.resolve(
      [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, each]) => each),
    );
  }

  get(kind: ObjectKind, name: string): Promise<KubeObject | undefined> {
    return Promise.resolve(this.#objects.get(keyOf(kind, name)));
  }

  async create(kind: ObjectKind, body: JsonObject): Promise<KubeObject> {
    const { metadata } = body as { readonly metadata: { readonly name: string } };
    if (this.#objects.has(keyOf(kind, metadata.name))) throw failure('AlreadyExists', metadata.name);
    // The status is a subresource.
    return this.#written(this.#store(kind, { ...body, metadata, status: undefined }));
  }

  async merge(kind: ObjectKind, object: KubeObject, change: JsonObject): Promise<KubeObject> {
    return this.#written(this.#store(kind, merged(this.#same(kind, object), change) as never));
  }

  async mergeStatus(kind: ObjectKind, object: KubeObject, status: JsonObject): Promise<KubeObject> {
    return this.#written(this.#store(kind, merged(this.#same(kind, object), { status }) as never));
  }

  async remove(kind: ObjectKind, object: KubeObject): Promise<void> {
    const current = this.#same(kind, object);
    if ((current.metadata.finalizers ?? []).length > 0)
      this.#store(
        kind,
        merged(current, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }) as never,
      );
    else this.#objects.delete(keyOf(kind, object.metadata.name));
    await this.#written(object);
  }

  #same(kind: ObjectKind, { metadata }: KubeObject): KubeObject {
    const current = this.#objects.get(keyOf(kind, metadata.name));
    if (current === undefined) throw failure('NotFound', metadata.name);
    if (current.metadata.resourceVersion !== metadata.resourceVersion)
      throw failure('Conflict', metadata.name);
    return current;
  }

  #store(kind: ObjectKind, object: JsonObject & { readonly metadata: JsonObject }): KubeObject {
    const name = String(object.metadata['name']);
    const version = ++this.#version;
    const metadata = {
      uid: `uid-${String(version)}`,
      ...object.metadata,
      name,
      resourceVersion: String(version),
    };
    const stored: KubeObject = { ...object, metadata };
    this.#objects.set(keyOf(kind, name), stored);
    return stored;
  }

  async #written(object: KubeObject): Promise<KubeObject> {
    await Promise.resolve();
    this.#onWrite();
    return object;
  }
}

function keyOf({ apiVersion, plural }: ObjectKind, name: string): string {
  return `${apiVersion}/${plural}/${name}`;
}

function failure(code: PortErrorCode, name: string): PortError {
  return new PortError(code, { operation: `write ${name}`, message: code });
}

/** JSON merge patch (RFC 7386). */
function merged(target: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result = new Map<string, unknown>(isObject ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(change))
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  return Object.fromEntries(result);
}
