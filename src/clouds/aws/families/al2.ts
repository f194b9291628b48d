/** User data of Amazon Linux 2: a MIME document whose last part calls the image's bootstrap script. */
import { clusterDNS } from './user-data/cluster-facts.js';
import { kubeletFlags } from './user-data/kubelet-flags.js';
import { mimePart, readMime, SHELL_SCRIPT, writeMime } from './user-data/mime.js';
import { shellQuoted } from './user-data/quoting.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';

/** The user's parts come first: MIME, or a shell script. */
export function al2UserData(question: UserDataQuestion): UserData {
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
