/** What a pod's spec is read from, as one text: equal texts give equal specs. Looks at every pod, so it is kept lean. */

/** Fields that decide what `readPodSpec` returns, but those of containers and volumes. */
const SPEC_FIELDS = [
  'resources',
  'overhead',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'priority',
  'priorityClassName',
  'schedulerName',
  'hostNetwork',
  'hostUsers',
  'resourceClaims',
] as const;
const CONTAINER_FIELDS = ['name', 'resources', 'ports', 'restartPolicy', 'restartPolicyRules'] as const;
const STATUS_FIELDS = ['name', 'resources', 'allocatedResources'] as const;

type PlainObject = Readonly<Record<string, unknown>>;
const NOTHING: PlainObject = {};

/** undefined for a pod that must be read by itself. Fields that differ from pod to pod of a template are left out. */
export function specKey(pod: unknown): string | undefined {
  const { metadata, spec, status } = asObject(pod);
  const { namespace, labels } = asObject(metadata);
  const specFields = asObject(spec);
  const claims = claimsOf(specFields['volumes']);
  if (claims === undefined) return undefined;
  const parts: unknown[] = [namespace, labels, claims];
  for (const name of SPEC_FIELDS) parts.push(specFields[name]);
  parts.push(
    pick(specFields['containers'], CONTAINER_FIELDS),
    pick(specFields['initContainers'], CONTAINER_FIELDS),
  );
  if (specFields['resourceClaims'] !== undefined)
    parts.push(specFields['nodeName'] === undefined ? asObject(status)['resourceClaimStatuses'] : 'bound');
  if (status !== undefined) pushResize(parts, asObject(status));
  try {
    return JSON.stringify(parts);
  } catch {
    // Nested too deeply for JSON.stringify: such a pod is read by itself.
    return undefined;
  }
}

function pushResize(parts: unknown[], status: PlainObject): void {
  const { resources, allocatedResources, conditions } = status;
  const pending = asList(conditions).find((item) => asObject(item)['type'] === 'PodResizePending');
  parts.push(resources, allocatedResources, asObject(pending)['reason']);
  parts.push(
    pick(status['containerStatuses'], STATUS_FIELDS),
    pick(status['initContainerStatuses'], STATUS_FIELDS),
  );
}

/** What the pod's claims are called; undefined when a claim has the pod's name, as those of ephemeral volumes do. */
function claimsOf(volumes: unknown): unknown {
  if (volumes !== undefined && !Array.isArray(volumes)) return volumes;
  const claims: unknown[] = [];
  for (const volume of asList(volumes)) {
    const { ephemeral, persistentVolumeClaim } = asObject(volume);
    if (ephemeral !== undefined && ephemeral !== null) return undefined;
    if (persistentVolumeClaim !== undefined) claims.push(persistentVolumeClaim);
  }
  return claims;
}

function pick(list: unknown, names: readonly string[]): unknown {
  if (!Array.isArray(list)) return list;
  const picked: unknown[] = [];
  for (const item of list as unknown[]) {
    const fields = asObject(item);
    for (const name of names) picked.push(fields[name]);
  }
  return picked;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function asObject(value: unknown): PlainObject {
  return typeof value === 'object' && value !== null ? (value as PlainObject) : NOTHING;
}
