/** How faults are planted in a healthy cluster. */
import { issueAuthority, issueLeaf } from '../../../../src/servers/tls/issue-certificate.js';
import type { KubeObject } from '../../../../world/kubernetes/objects/kube-object.js';
import { leafProfiles, type Validity } from '../../../../src/servers/tls/certificate-profile.js';
import { base64, lease, NAMESPACE, START, type ExaminedCluster } from '../examined-cluster.js';

export interface PlantedFault {
  readonly fault: string;
  readonly plant: (cluster: ExaminedCluster) => Promise<void> | void;
  readonly check: string;
  readonly result: 'warning' | 'failed' | 'skipped';
  readonly evidence: RegExp;
  readonly mend: RegExp;
  /** Checks that find consequences of it. */
  readonly also?: readonly string[];
}

/** The faults as they are. */
export function planted(faults: readonly PlantedFault[]): readonly PlantedFault[] {
  return faults;
}

type Plant = (cluster: ExaminedCluster) => Promise<void>;

const DAY_MILLIS = 86_400_000;

/** With other text in its JSON. @throws Error where there is none to replace */
export function replaced(before: string | RegExp, after: string): (object: KubeObject) => KubeObject {
  return (object) => {
    const text = JSON.stringify(object);
    const changed = text.replaceAll(before instanceof RegExp ? new RegExp(before, 'g') : before, after);
    if (changed === text) throw new Error(`${String(before)} is not in ${object.metadata.name}`);
    return JSON.parse(changed) as KubeObject;
  };
}

export function withStatus(status: Readonly<Record<string, unknown>>): (object: KubeObject) => KubeObject {
  return (object) => ({ ...object, status });
}

export function deployment(name: string, change: (object: KubeObject) => KubeObject): Plant {
  return (cluster: ExaminedCluster) => cluster.change('deployments.apps', name, change, NAMESPACE);
}

export function withData(data: Readonly<Record<string, string>>): Plant {
  return (cluster: ExaminedCluster) =>
    cluster.change(
      'secrets',
      'berth-certificates',
      (secret) => ({ ...secret, data: { ...(secret['data'] as object), ...data } }),
      NAMESPACE,
    );
}

export function autoscaler(namespace: string, name: string, image: string): Plant {
  const labels = { app: name };
  return (cluster: ExaminedCluster) =>
    cluster.create('deployments.apps', {
      metadata: { namespace, name },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
      },
    });
}

/** The entry of a scheduler of the cluster, with these values of its TLS. */
function schedulerConfiguration(tls: Readonly<Record<string, string>>, more = ''): string {
  const lines = Object.entries(tls).map(([key, value]) => `      ${key}: ${value}`);
  return `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
  - urlPrefix: https://berth-extender.berth-system.svc:9444/scheduler
    filterVerb: filter
    prioritizeVerb: prioritize
    preemptVerb: preempt
    nodeCacheCapable: true
    ignorable: true
    enableHTTPS: true
${more}    tlsConfig:
      serverName: berth-extender.berth-system.svc
${lines.join('\n')}
`;
}

function stored(cluster: ExaminedCluster, file: string): string {
  const secret = cluster.api.get('secrets', { namespace: NAMESPACE, name: 'berth-certificates' });
  return (secret?.['data'] as Readonly<Record<string, string>>)[file] ?? '';
}

/** The cluster's scheduler asks, with the Secret's certificates or others. */
export function giveScheduler(
  cluster: ExaminedCluster,
  tls: Readonly<Record<string, string>> = {},
  more = '',
): void {
  const own = {
    caData: stored(cluster, 'ca.crt'),
    certData: stored(cluster, 'scheduler.crt'),
    keyData: stored(cluster, 'scheduler.key'),
  };
  const text = schedulerConfiguration({ ...own, ...tls }, more);
  cluster.schedulerConfigurations = [{ source: 'kube-scheduler.yaml', text }];
}

/** The webhook's certificate, of the stored CA or of another, for this time and namespace. */
export async function webhookCertificate({
  cluster,
  validity,
  namespace = NAMESPACE,
  isForeign = false,
}: {
  readonly cluster: ExaminedCluster;
  readonly validity: Validity;
  readonly namespace?: string;
  readonly isForeign?: boolean;
}): Promise<void> {
  const own = { certificate: decoded(stored(cluster, 'ca.crt')), key: decoded(stored(cluster, 'ca.key')) };
  const authority = isForeign ? await issueAuthority(lasting(-1, 100)) : own;
  const [profile] = leafProfiles({ namespace, local: false });
  if (profile === undefined) throw new Error('there is no profile');
  const { certificate, key } = await issueLeaf(profile, validity, authority);
  await withData({ 'webhook.crt': base64(certificate), 'webhook.key': base64(key) })(cluster);
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

/** Days from the time of the tests. */
export function lasting(from: number, to: number): Validity {
  return { notBefore: START + from * DAY_MILLIS, notAfter: START + to * DAY_MILLIS };
}

export async function foreignAuthority(): Promise<string> {
  return base64((await issueAuthority(lasting(-1, 100))).certificate);
}

export function webhook(change: (object: KubeObject) => KubeObject): Plant {
  const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
  return (cluster: ExaminedCluster) => cluster.change(resource, 'berth-validate-policies', change);
}

export function schedulerMap(before: string, after: string): Plant {
  return (cluster: ExaminedCluster) =>
    cluster.change('configmaps', 'berth-scheduler', replaced(before, after), NAMESPACE);
}

export function staleLease(name: string, renewedAt: number): Plant {
  return (cluster: ExaminedCluster) =>
    cluster.change(
      'leases.coordination.k8s.io',
      name,
      (object) => ({ ...object, spec: lease(`${name}-a`, renewedAt) }),
      NAMESPACE,
    );
}

export function claim(status: Readonly<Record<string, unknown>>): Plant {
  return async (cluster: ExaminedCluster) => {
    const at = new Date(START - 600_000).toISOString().replace('.000', '');
    const condition = {
      type: 'Launched',
      reason: 'Launched',
      message: '',
      lastTransitionTime: at,
      ...status,
    };
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    await cluster.create('nodeclaims.berth.sh', {
      metadata: { name: 'general-1' },
      spec: {
        nodePool: 'general',
        nodeClassRef,
        requirements: [],
        resources: { requests: {} },
        expireAfter: 'Never',
      },
      status: { conditions: [condition] },
    });
  };
}
