/** Windows. Its user data is one PowerShell block, the user's lines before the call of the image's bootstrap script. */
import { clusterDNS } from './user-data/cluster-facts.js';
import { kubeletFlags } from './user-data/kubelet-flags.js';
import { powershellQuoted } from './user-data/quoting.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';
import type { ImageFamily } from './family.js';

export const windows2019 = windows('2019', '10.0.17763');
export const windows2022 = windows('2022', '10.0.20348');
export const windows2025 = windows('2025', '10.0.26100');

/** https://docs.aws.amazon.com/eks/latest/userguide/retrieve-windows-ami-id.html */
function windows<Year extends string>(year: Year, build: string): ImageFamily<`Windows${Year}`> {
  return {
    name: `Windows${year}`,
    alias: {
      name: `windows${year}`,
      hasLatestOnly: true,
      parameters: (kubernetes) => {
        const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`;
        return [{ path: `/aws/service/ami-windows-latest/${name}/image_id`, variants: undefined }];
      },
    },
    disks: [{ deviceName: '/dev/sda1', gib: 50 }],
    ephemeralDevice: '/dev/sda1',
    // Not limited by interfaces.
    maxPods: 110,
    reservesForPodsThatFit: true,
    windowsBuild: build,
    hasOneDnsServer: true,
    userData,
  };
}

const SCRIPT = String.raw`$env:ProgramFiles\Amazon\EKS\Start-EKSBootstrap.ps1`;
const BLOCK = /^\s*<powershell>\r?\n?([\s\S]*?)\r?\n?\s*<\/powershell>\s*$/i;

function userData(question: UserDataQuestion): UserData {
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
