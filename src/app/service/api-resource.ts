/** What a request to the Kubernetes API is about, as its path says. */

export interface ApiResource {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** Name of the resource: `pods`. */
  readonly kind: string;
  /** '' where there is none. */
  readonly subresource: string;
}

const API_PATH =
  /^\/(?:api|apis\/([^/?]+))\/([^/?]+)\/(?:namespaces\/[^/?]+\/)?([^/?]+)(?:\/[^/?]+(?:\/([^/?]+))?)?/;

/** All of it '' for a path that is not one of resources. */
export function apiResource(path: string): ApiResource {
  const [, group = '', version = '', kind = '', subresource = ''] = API_PATH.exec(path) ?? [];
  return { group, version, kind, subresource };
}
