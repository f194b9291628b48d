/** What kube-scheduler says of a pod that fits nowhere: how many nodes each plugin refused. */

export interface Refusals {
  /** Plugin, with the resource or the kind of claim where it tells them apart, → nodes that it refused. */
  readonly counts: ReadonlyMap<string, number>;
  /** Whether the plugin refused the pod before it looked at nodes; then it does not tell resources and claims apart. */
  readonly early: boolean;
}

/** The texts of Kubernetes 1.34 and 1.36 (errReason constants of its plugins). */
const REASONS: readonly (readonly [text: RegExp, plugin: string])[] = [
  [/^node\(s\) were unschedulable$/, 'NodeUnschedulable'],
  [/^node\(s\) had untolerated taint/, 'TaintToleration'],
  [/^node\(s\) didn't match Pod's node affinity\/selector$/, 'NodeAffinity'],
  [/^node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\]$/, 'NodeAffinity'],
  [/^node\(s\) didn't have free ports for the requested pod ports$/, 'NodePorts'],
  [/^Too many pods$/, 'NodeResourcesFit pods'],
  [/^Insufficient (?<about>\S+)$/, 'NodeResourcesFit'],
  [/ReadWriteOncePod access mode already in-use by another pod$/, 'VolumeRestrictions'],
  [/^node\(s\) exceed max volume count$/, 'NodeVolumeLimits'],
  [/^node\(s\) didn't match PersistentVolume's node affinity$/, 'VolumeBinding bound'],
  [/^node\(s\) didn't find available persistent volumes to bind$/, 'VolumeBinding unbound'],
  [/^node\(s\) had no available volume zone$/, 'VolumeZone'],
  [/^node\(s\) didn't match pod topology spread constraints/, 'PodTopologySpread'],
  [/^node\(s\) didn't match pod (?:anti-)?affinity rules$/, 'InterPodAffinity'],
  [/^node\(s\) didn't satisfy existing pods anti-affinity rules$/, 'InterPodAffinity'],
  [/^node\(s\) didn't match Pod's required features$/, 'NodeDeclaredFeatures'],
];

/** Of plugins that refuse a pod before they look at nodes. */
const EARLY: readonly (readonly [text: RegExp, plugin: string])[] = [
  [/^pod affinity terms conflict$/, 'NodeAffinity'],
  [/^persistentvolumeclaim "[^"]+" not found$/, 'VolumeRestrictions'],
  [/^pod has unbound immediate PersistentVolumeClaims$/, 'VolumeBinding'],
  [/^persistentvolumeclaim "[^"]+" is being deleted$/, 'VolumeBinding'],
  [/^persistentvolumeclaim "[^"]+" bound to non-existent persistentvolume/, 'VolumeBinding'],
  [/^persistentvolume "[^"]+" not found$/, 'VolumeZone'],
];

const HEAD = /^0\/(?<nodes>\d+) nodes are available: (?<words>.+?)\.? *$/;

/**
 * Reads `0/60 nodes are available: 3 Insufficient cpu, 57 node(s) were unschedulable.`
 * @throws Error for words that are not known here.
 */
export function parseMessage(message: string): Refusals {
  const { nodes = '', words = '' } = HEAD.exec(message)?.groups ?? {};
  const early = EARLY.find(([text]) => text.test(words));
  if (early !== undefined) return { counts: new Map([[early[1], Number(nodes)]]), early: true };
  const counts = new Map<string, number>();
  for (const part of words.split(/, (?=\d+ )/)) {
    const count = Number.parseInt(part, 10);
    const plugin = pluginOf(part.replace(/^\d+ /, ''));
    if (plugin === undefined) throw new Error(`kube-scheduler says what is not known here: ${message}`);
    counts.set(plugin, (counts.get(plugin) ?? 0) + count);
  }
  return { counts, early: false };
}

function pluginOf(text: string): string | undefined {
  for (const [pattern, plugin] of REASONS) {
    const about = pattern.exec(text);
    if (about !== null) return [plugin, ...Object.values(about.groups ?? {})].join(' ');
  }
  return undefined;
}
