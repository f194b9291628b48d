/** Amazon Linux 2. Its user data is a MIME document whose last part calls the image's bootstrap script. */
import { clusterDNS, isIPv6 } from './user-data/cluster-facts.js';
import { kubeletFlags } from './user-data/kubelet-flags.js';
import { mimePart, readMime, SHELL_SCRIPT, writeMime } from './user-data/mime.js';
import { shellQuoted } from './user-data/quoting.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';
import type { AliasParameter, ImageFamily, ImageVariant } from './family.js';

/** The last Kubernetes for which Amazon Linux 2 images are made. */
const LAST_MINOR = 32;

export const al2 = {
  name: 'AL2',
  alias: { name: 'al2', parameters, missingFor },
  disks: [{ deviceName: '/dev/xvda', gib: 20 }],
  ephemeralDevice: '/dev/xvda',
  hasOneDnsServer: true,
  userData,
} as const satisfies ImageFamily;

function missingFor(kubernetes: string): string | undefined {
  const minor = Number(/^1\.(\d+)/.exec(kubernetes)?.[1] ?? Number.NaN);
  if (!(minor > LAST_MINOR)) return undefined;
  return (
    `there are no Amazon Linux 2 images for Kubernetes ${kubernetes}, the last one is 1.${String(LAST_MINOR)}: ` +
    'use al2023@latest, and amiFamily AL2023 where the node class names one'
  );
}

/**
 * Accelerated images are for both kinds of accelerators.
 * https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
 */
function parameters(kubernetes: string, version: string): readonly AliasParameter[] {
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

/** The user's parts come first: MIME, or a shell script. */
function userData(question: UserDataQuestion): UserData {
  const { own = '' } = question;
  const generated = mimePart(SHELL_SCRIPT, bootstrapScript(question));
  if (own.trim() === '') return { text: writeMime([generated]) };
  const document = readMime(own) ?? { parts: [mimePart(SHELL_SCRIPT, withInterpreter(own))] };
  if ('problem' in document) return { problem: `userData: ${document.problem}` };
  return { text: writeMime([...document.parts, generated]) };
}

/** cloud-init runs only what says by what. */
function withInterpreter(script: string): string {
  return script.startsWith('#!') ? script : `#!/bin/bash -xe\n${script}`;
}

function bootstrapScript(question: UserDataQuestion): string {
  const { cluster, kubelet, isInstanceStoreRaid0 } = question;
  const dns = kubelet?.clusterDNS?.[0] ?? clusterDNS(cluster);
  const options = [
    `--apiserver-endpoint ${shellQuoted(cluster.endpoint)}`,
    `--b64-cluster-ca ${shellQuoted(cluster.certificateAuthority)}`,
    ...(isIPv6(cluster)
      ? ['--ip-family ipv6', `--service-ipv6-cidr ${shellQuoted(cluster.serviceCIDR)}`]
      : []),
    ...(dns === undefined ? [] : [`--dns-cluster-ip ${shellQuoted(dns)}`]),
    ...(kubelet?.maxPods === undefined ? [] : ['--use-max-pods false']),
    ...(isInstanceStoreRaid0 ? ['--local-disks raid0'] : []),
    `--kubelet-extra-args ${shellQuoted(kubeletFlags(question))}`,
  ];
  return [
    '#!/bin/bash -xe',
    [`/etc/eks/bootstrap.sh ${shellQuoted(cluster.name)}`, ...options].join(' \\\n  '),
  ].join('\n');
}
