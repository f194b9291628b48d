/** Amazon Linux 2023. Its user data is a MIME document whose last part is a NodeConfig for nodeadm. */
import { parse, stringify } from 'yaml';
import type { KubeletDocument } from '../../../apis/fields/kubelet.js';
import { labelList, taintList } from './user-data/kubelet-labels.js';
import { mimePart, readMime, SHELL_SCRIPT, writeMime, type MimeDocument } from './user-data/mime.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';
import type { AliasParameter, ImageFamily, ImageVariant } from './family.js';

export const al2023 = {
  name: 'AL2023',
  alias: { name: 'al2023', parameters },
  disks: [{ deviceName: '/dev/xvda', gib: 20 }],
  ephemeralDevice: '/dev/xvda',
  takesAnySetting: true,
  userData,
} as const satisfies ImageFamily;

/** https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html */
function parameters(kubernetes: string, version: string): readonly AliasParameter[] {
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

const NODE_CONFIG = 'application/node.eks.aws';
const API_VERSION = 'node.eks.aws/v1alpha1';

/** The user's parts come first, since nodeadm merges NodeConfigs in their order: MIME, a shell script or a NodeConfig. */
function userData(question: UserDataQuestion): UserData {
  const generated = mimePart(NODE_CONFIG, nodeConfig(question));
  const { own = '' } = question;
  if (own.trim() === '') return { text: writeMime([generated]) };
  const document = readMime(own) ?? readPlain(own);
  if ('problem' in document) return { problem: `userData: ${document.problem}` };
  return { text: writeMime([...document.parts, generated]) };
}

function readPlain(own: string): NonNullable<MimeDocument> {
  if (own.startsWith('#!')) return { parts: [mimePart(SHELL_SCRIPT, own)] };
  if (isNodeConfig(own)) return { parts: [mimePart(NODE_CONFIG, own)] };
  return {
    problem: `must be a MIME document, a shell script that begins with #!, or a NodeConfig of ${API_VERSION}`,
  };
}

function isNodeConfig(text: string): boolean {
  try {
    const document: unknown = parse(text);
    if (typeof document !== 'object' || document === null) return false;
    const { apiVersion, kind } = document as Readonly<Record<string, unknown>>;
    return apiVersion === API_VERSION && kind === 'NodeConfig';
  } catch {
    return false;
  }
}

function nodeConfig(question: UserDataQuestion): string {
  const { cluster, kubelet, isInstanceStoreRaid0 } = question;
  const config = settings(kubelet);
  const document = {
    apiVersion: API_VERSION,
    kind: 'NodeConfig',
    spec: {
      cluster: {
        name: cluster.name,
        apiServerEndpoint: cluster.endpoint,
        certificateAuthority: cluster.certificateAuthority,
        cidr: cluster.serviceCIDR,
      },
      ...(isInstanceStoreRaid0 && { instance: { localStorage: { strategy: 'RAID0' } } }),
      kubelet: { ...(Object.keys(config).length > 0 && { config }), flags: flags(question) },
    },
  };
  return stringify(document, { lineWidth: 0 });
}

/** A node class spells the settings as a KubeletConfiguration does, those that are not checked among them. */
function settings(kubelet: KubeletDocument | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(kubelet ?? {}).filter(([, value]) => value !== undefined));
}

function flags({ labels, taints }: UserDataQuestion): readonly string[] {
  const lists = [
    ['node-labels', labelList(labels)],
    ['register-with-taints', taintList(taints)],
  ] as const;
  return lists.flatMap(([name, list]) => (list === '' ? [] : [`--${name}=${list}`]));
}
