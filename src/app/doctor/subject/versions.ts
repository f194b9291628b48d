/** Versions of Kubernetes as servers and image tags spell them. */

/** `v1.34.2-eks-1234` → 34; undefined for what is no version. */
export function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** The tag of an image: `registry/name:v1.34.2@sha256:…` → `v1.34.2`; '' where there is none. */
export function tagOf(image: string): string {
  return /:([\w][\w.-]*)(?:@|$)/.exec(image.replace(/^.*\//, ''))?.[1] ?? '';
}
