/** The AMIs that AWS publishes for EKS: their names, and the SSM parameters that say which is the newest. */

export type PublishedFamily =
  'AL2' | 'AL2023' | 'Bottlerocket' | 'Windows2019' | 'Windows2022' | 'Windows2025';

export interface ImageVariant {
  readonly architecture: 'x86_64' | 'arm64';
  /** The image's name in a release. */
  name(release: string): string;
  /** The parameter that follows the newest release. */
  readonly latest: string;
  /** The parameter of this release; undefined where AWS publishes none. */
  pinned(release: string): string | undefined;
}

/** AL2 is built for Kubernetes up to here (EKS documentation, AL2 end of support). */
const LAST_AL2_MINOR = 32;
const OPTIMIZED = '/aws/service/eks/optimized-ami';

/** All architectures and flavours of a family for a Kubernetes version, `1.34`; empty when there are none. */
export function variantsOf(family: PublishedFamily, kubernetesVersion: string): readonly ImageVariant[] {
  switch (family) {
    case 'AL2023':
      return al2023(kubernetesVersion);
    case 'AL2':
      return Number(kubernetesVersion.split('.')[1]) > LAST_AL2_MINOR ? [] : al2(kubernetesVersion);
    case 'Bottlerocket':
      return bottlerocket(kubernetesVersion);
    case 'Windows2019':
    case 'Windows2022':
    case 'Windows2025':
      return windows(family.slice('Windows'.length), kubernetesVersion);
  }
}

/** Releases are named by their day, `20260101`. */
function al2023(kubernetes: string): readonly ImageVariant[] {
  const flavours = [
    ['x86_64', 'standard'],
    ['arm64', 'standard'],
    ['x86_64', 'nvidia'],
    ['arm64', 'nvidia'],
    ['x86_64', 'neuron'],
  ] as const;
  return flavours.map(([architecture, flavour]) => {
    const folder = `${OPTIMIZED}/${kubernetes}/amazon-linux-2023/${architecture}/${flavour}`;
    const name = (release: string) =>
      `amazon-eks-node-al2023-${architecture}-${flavour}-${kubernetes}-v${release}`;
    return {
      architecture,
      name,
      latest: `${folder}/recommended/image_id`,
      pinned: (release) => `${folder}/${name(release)}/image_id`,
    };
  });
}

function al2(kubernetes: string): readonly ImageVariant[] {
  const flavours = [
    ['x86_64', ''],
    ['arm64', '-arm64'],
    ['x86_64', '-gpu'],
  ] as const;
  return flavours.map(([architecture, flavour]) => {
    const folder = `${OPTIMIZED}/${kubernetes}/amazon-linux-2${flavour}`;
    const name = (release: string) => `amazon-eks${flavour}-node-${kubernetes}-v${release}`;
    return {
      architecture,
      name,
      latest: `${folder}/recommended/image_id`,
      pinned: (release) => `${folder}/${name(release)}/image_id`,
    };
  });
}

/** Releases are numbered, `1.50.0`. */
function bottlerocket(kubernetes: string): readonly ImageVariant[] {
  const flavours = [
    ['x86_64', ''],
    ['arm64', ''],
    ['x86_64', '-nvidia'],
    ['arm64', '-nvidia'],
  ] as const;
  return flavours.map(([architecture, flavour]) => {
    const folder = `/aws/service/bottlerocket/aws-k8s-${kubernetes}${flavour}/${architecture}`;
    const processor = architecture === 'arm64' ? 'aarch64' : architecture;
    return {
      architecture,
      name: (release) => `bottlerocket-aws-k8s-${kubernetes}${flavour}-${processor}-v${release}`,
      latest: `${folder}/latest/image_id`,
      pinned: (release) => `${folder}/${release}/image_id`,
    };
  });
}

/** Releases are named by their day, `20260101`, and their images by `2026.01.01`. */
function windows(year: string, kubernetes: string): readonly ImageVariant[] {
  return ['Core', 'Full'].map((edition) => {
    const name = `Windows_Server-${year}-English-${edition}-EKS_Optimized-${kubernetes}`;
    return {
      architecture: 'x86_64',
      name: (release) => `${name}-${[release.slice(0, 4), release.slice(4, 6), release.slice(6)].join('.')}`,
      latest: `/aws/service/ami-windows-latest/${name}/image_id`,
      pinned: () => undefined,
    };
  });
}
