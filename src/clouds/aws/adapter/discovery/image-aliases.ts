/** Where AWS publishes the EKS-optimised images that an alias means: paths of SSM parameters. */
import type { ImageVariant } from './resolution.js';

export interface AliasParameter {
  /** Its value is the id of an image. */
  readonly path: string;
  readonly variants: readonly ImageVariant[] | undefined;
}

export interface Alias {
  readonly family: string;
  /** `latest`, or as the family counts. */
  readonly version: string;
}

/** `al2023@latest` in its parts. */
export function parseAlias(alias: string): Alias {
  const at = alias.indexOf('@');
  return { family: alias.slice(0, at), version: alias.slice(at + 1) };
}

/** The last Kubernetes for which Amazon Linux 2 images are made. */
const LAST_AL2_MINOR = 32;

/** Why the alias does not exist for this Kubernetes version (`1.36`), whatever AWS publishes; undefined when it can. */
export function whyNoAlias(alias: string, kubernetes: string): string | undefined {
  const { family } = parseAlias(alias);
  const minor = Number(/^1\.(\d+)/.exec(kubernetes)?.[1] ?? Number.NaN);
  if (family !== 'al2' || !(minor > LAST_AL2_MINOR)) return undefined;
  return (
    `there are no Amazon Linux 2 images for Kubernetes ${kubernetes}, the last one is 1.${String(LAST_AL2_MINOR)}: ` +
    'use al2023@latest, and amiFamily AL2023 where the node class names one'
  );
}

/**
 * The parameters that hold the alias' images, one for each architecture and variant. Not all need exist.
 * https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html and retrieve-ami-id-bottlerocket.html,
 * retrieve-windows-ami-id.html there.
 */
export function aliasParameters(alias: string, kubernetes: string): readonly AliasParameter[] {
  const { family, version } = parseAlias(alias);
  switch (family) {
    case 'al2':
      return al2(kubernetes, version);
    case 'al2023':
      return al2023(kubernetes, version);
    case 'bottlerocket':
      return bottlerocket(kubernetes, version);
    default:
      return windows(kubernetes, family);
  }
}

/** Accelerated images of AL2 are for both kinds of accelerators. */
function al2(kubernetes: string, version: string): readonly AliasParameter[] {
  const kinds: readonly [string, readonly ImageVariant[]][] = [
    ['', ['standard']],
    ['-arm64', ['standard']],
    ['-gpu', ['nvidia', 'neuron']],
  ];
  return kinds.map(([kind, variants]) => {
    const name = version === 'latest' ? 'recommended' : `amazon-eks${kind}-node-${kubernetes}-${version}`;
    return {
      path: `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2${kind}/${name}/image_id`,
      variants,
    };
  });
}

function al2023(kubernetes: string, version: string): readonly AliasParameter[] {
  const kinds: readonly [string, ImageVariant][] = [
    ['x86_64', 'standard'],
    ['x86_64', 'nvidia'],
    ['x86_64', 'neuron'],
    ['arm64', 'standard'],
    ['arm64', 'nvidia'],
  ];
  return kinds.map(([arch, variant]) => {
    const full = `amazon-eks-node-al2023-${arch}-${variant}-${kubernetes}-${version}`;
    const name = version === 'latest' ? 'recommended' : full;
    return {
      path: `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${arch}/${variant}/${name}/image_id`,
      variants: [variant],
    };
  });
}

/** Versions are `1.20.3` in SSM, though Bottlerocket's own pages write `v1.20.3`. */
function bottlerocket(kubernetes: string, version: string): readonly AliasParameter[] {
  const kinds: readonly [string, string, ImageVariant][] = [
    ['', 'x86_64', 'standard'],
    ['', 'arm64', 'standard'],
    ['-nvidia', 'x86_64', 'nvidia'],
    ['-nvidia', 'arm64', 'nvidia'],
  ];
  return kinds.map(([kind, arch, variant]) => ({
    path: `/aws/service/bottlerocket/aws-k8s-${kubernetes}${kind}/${arch}/${version.replace(/^v/, '')}/image_id`,
    variants: [variant],
  }));
}

function windows(kubernetes: string, family: string): readonly AliasParameter[] {
  const year = family.replace('windows', '');
  const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`;
  return [{ path: `/aws/service/ami-windows-latest/${name}/image_id`, variants: undefined }];
}
