/** User data of Windows: one PowerShell block, the user's lines before the call of the image's bootstrap script. */
import { clusterDNS } from './user-data/cluster-facts.js';
import { kubeletFlags } from './user-data/kubelet-flags.js';
import { powershellQuoted } from './user-data/quoting.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';

const SCRIPT = String.raw`$env:ProgramFiles\Amazon\EKS\Start-EKSBootstrap.ps1`;
const BLOCK = /^\s*<powershell>\r?\n?([\s\S]*?)\r?\n?\s*<\/powershell>\s*$/i;

export function windowsUserData(question: UserDataQuestion): UserData {
  const { own = '' } = question;
  const lines = BLOCK.exec(own)?.[1] ?? own;
  if (/<\/?powershell>/i.test(lines))
    return { problem: 'userData: must be PowerShell, in one <powershell> block or in none' };
  const text = [
    '<powershell>',
    ...(lines.trim() === '' ? [] : [lines.trimEnd()]),
    `[string]$EKSBootstrapScriptFile = "${SCRIPT}"`,
    `& $EKSBootstrapScriptFile ${argumentsOf(question).join(' ')}`,
    '</powershell>',
    '',
  ].join('\n');
  return { text };
}

function argumentsOf(question: UserDataQuestion): readonly string[] {
  const { cluster, kubelet } = question;
  const dns = kubelet?.clusterDNS?.[0] ?? clusterDNS(cluster);
  return [
    `-EKSClusterName ${powershellQuoted(cluster.name)}`,
    `-APIServerEndpoint ${powershellQuoted(cluster.endpoint)}`,
    `-Base64ClusterCA ${powershellQuoted(cluster.certificateAuthority)}`,
    `-KubeletExtraArgs ${powershellQuoted(kubeletFlags(question))}`,
    ...(dns === undefined ? [] : [`-DNSClusterIP ${powershellQuoted(dns)}`]),
  ];
}
