/** Decoded policies in short words, so that a test can say what it expects of them. */
import '../../src/app/clouds.js';
import type { DisruptionBudget } from '../../src/domain/policies/budget.js';
import { formatRequirement, type Requirement } from '../../src/domain/values/requirement.js';
import { formatTaint } from '../../src/domain/values/taint.js';
import { formatAmount, type ResourceList } from '../../src/domain/values/resources.js';
import type { DecodedNodePool } from '../../src/apis/conversion/decode-policy.js';
import { isEC2NodeClass, type EC2NodeClass } from '../../src/clouds/aws/api/ec2-node-class.js';
import type { NodeClass } from '../../src/domain/policies/node-class.js';

/** What a pool says. */
export interface ToldPool {
  readonly name: string;
  readonly weight: number;
  readonly replicas: number | undefined;
  readonly nodeClass: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: readonly string[];
  /** Requirement key → minValues, where it is set. */
  readonly minValues: Readonly<Record<string, number>>;
  readonly taints: readonly string[];
  readonly startupTaints: readonly string[];
  readonly limits: Readonly<Record<string, string>>;
  readonly policy: string;
  /** Seconds or Never. */
  readonly consolidateAfter: number | 'Never';
  readonly expireAfter: number | 'Never';
  readonly terminationGracePeriod: number | undefined;
  /** `20% Drifted,Underutilized 0 9 * * mon-fri UTC +28800s`. */
  readonly budgets: readonly string[];
}

/** A pool in short words. */
export function toldPool({ pool }: DecodedNodePool): ToldPool {
  const { name, weight, replicas, template, disruption } = pool;
  const withMinimum = template.requirements.filter(({ minValues }) => minValues > 0);
  return {
    name,
    weight,
    replicas,
    nodeClass: template.nodeClassRef.name,
    labels: Object.fromEntries(template.labels),
    requirements: template.requirements.map(toldRequirement),
    minValues: Object.fromEntries(withMinimum.map(({ key, minValues }) => [key, minValues])),
    taints: template.taints.map(formatTaint),
    startupTaints: template.startupTaints.map(formatTaint),
    limits: amounts(pool.limits),
    policy: disruption.consolidationPolicy,
    consolidateAfter: disruption.consolidateAfterSeconds ?? 'Never',
    expireAfter: template.expireAfterSeconds ?? 'Never',
    terminationGracePeriod: template.terminationGracePeriodSeconds,
    budgets: disruption.budgets.map(toldBudget),
  };
}

/** `kubernetes.io/arch In [amd64]`, and AWS' own labels without their domain: `instance-cpu Gte 4`. */
function toldRequirement(required: Requirement): string {
  return `${required.key.replace(/^karpenter\.k8s\.aws\//, '')} ${formatRequirement(required)}`;
}

/** A budget in short words. */
export function toldBudget({ nodes, reasons, window }: DisruptionBudget): string {
  const most = 'count' in nodes ? String(nodes.count) : `${String(nodes.percent)}%`;
  const when = window && [
    window.schedule.text,
    window.schedule.timeZone,
    `+${String(window.durationSeconds)}s`,
  ];
  return [most, ...(reasons ? [reasons.join()] : []), ...(when ?? [])].join(' ');
}

/** What a node class says. */
export interface ToldClass {
  readonly name: string;
  readonly amiFamily: string;
  readonly maxPods: number | undefined;
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly rootVolumeGiB: number;
  readonly raid0: boolean;
  readonly spec: EC2NodeClass['spec'];
}

/** A node class in short words, with the spec that its instances are launched by. */
export function toldClass(nodeClass: NodeClass): ToldClass {
  if (!isEC2NodeClass(nodeClass)) throw new Error(`${nodeClass.kind} ${nodeClass.name} is no EC2NodeClass`);
  return {
    name: nodeClass.name,
    amiFamily: nodeClass.amiFamily,
    maxPods: nodeClass.kubelet.maxPods,
    systemReserved: amounts(nodeClass.kubelet.systemReserved),
    rootVolumeGiB: nodeClass.rootVolumeBytes / 2 ** 30,
    raid0: nodeClass.instanceStoreRaid0,
    spec: nodeClass.spec,
  };
}

function amounts(list: ResourceList): Record<string, string> {
  return Object.fromEntries([...list].map(([name, amount]) => [name, formatAmount(name, amount)]));
}
