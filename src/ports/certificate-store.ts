/** Where the controller keeps its certificates, and where it says which CA signed them. */

/** The data of a Secret: file name → text. */
export interface StoredCertificates {
  readonly files: ReadonlyMap<string, string>;
  readonly resourceVersion: string;
}

export interface CertificateStore {
  /** undefined when there is no such Secret yet. */
  readCertificates(signal?: AbortSignal): Promise<StoredCertificates | undefined>;
  /**
   * Creates the Secret, or replaces the known one. @throws PortError Conflict or AlreadyExists, when another client was
   * faster.
   */
  writeCertificates(
    files: ReadonlyMap<string, string>,
    known: StoredCertificates | undefined,
    signal?: AbortSignal,
  ): Promise<StoredCertificates>;
  /** Writes the PEM bundle into every webhook of Berth's two webhook configurations, where it differs. */
  publishAuthority(bundle: string, signal?: AbortSignal): Promise<void>;
  /** The PEM bundle in one of these webhooks; undefined where there is none. */
  publishedAuthority(signal?: AbortSignal): Promise<string | undefined>;
}
