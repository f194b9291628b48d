/** The Secret with certificates and the webhook configurations, in memory. */
import type { CertificateStore, StoredCertificates } from '../../../src/ports/certificate-store.js';
import { PortError, type PortErrorCode } from '../../../src/ports/port-error.js';

export class InMemoryCertificateStore implements CertificateStore {
  stored: StoredCertificates | undefined;
  /** What happened, in order: `write 1`, `publish <bundle>`. */
  readonly log: string[] = [];
  reads = 0;
  /** The bundle in the webhook configurations. */
  published: string | undefined;
  /** What the next calls of a method fail with. */
  readonly failures: { readonly method: keyof CertificateStore; readonly code: PortErrorCode }[] = [];
  #version = 0;

  async readCertificates(): Promise<StoredCertificates | undefined> {
    await Promise.resolve();
    this.reads++;
    this.#failIfTold('readCertificates');
    return this.stored;
  }

  async writeCertificates(
    files: ReadonlyMap<string, string>,
    known: StoredCertificates | undefined,
  ): Promise<StoredCertificates> {
    await Promise.resolve();
    this.#failIfTold('writeCertificates');
    if (known?.resourceVersion !== this.stored?.resourceVersion) {
      const code = known === undefined ? 'AlreadyExists' : 'Conflict';
      throw new PortError(code, { operation: 'write', message: 'somebody was faster' });
    }
    return this.put(files);
  }

  async publishAuthority(bundle: string): Promise<void> {
    await Promise.resolve();
    this.#failIfTold('publishAuthority');
    this.log.push(`publish ${bundle}`);
    this.published = bundle;
  }

  async publishedAuthority(): Promise<string | undefined> {
    await Promise.resolve();
    this.#failIfTold('publishedAuthority');
    return this.published;
  }

  /** Writes whatever is there. */
  put(files: ReadonlyMap<string, string>): StoredCertificates {
    this.#version++;
    this.stored = { files, resourceVersion: String(this.#version) };
    this.log.push(`write ${String(this.#version)}`);
    return this.stored;
  }

  #failIfTold(method: keyof CertificateStore): void {
    const index = this.failures.findIndex((failure) => failure.method === method);
    const [failure] = index < 0 ? [] : this.failures.splice(index, 1);
    if (failure !== undefined)
      throw new PortError(failure.code, { operation: method, message: failure.code });
  }
}
