/** What the API server's own admission plugins do: NamespaceLifecycle, ServiceAccount, Priority, DefaultTolerationSeconds, TaintNodesByCondition, DefaultStorageClass. */
import { ApiError, forbidden, notFound } from '../objects/api-error.js';
import { isObject, listAt, objectAt, textAt, valueAt, withDefaults, withValue } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { BuiltInAdmission } from '../operations/admission.js';
import { subjectOf, type ResourceType } from '../resources/resource-type.js';
import type { ObjectStore } from '../store/object-store.js';

/** How long pods stay on nodes that are not ready. */
const TOLERATION_SECONDS = 300;
const NODE_TROUBLES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export class BuiltInPlugins implements BuiltInAdmission {
  readonly #store: ObjectStore;
  #addresses = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admitNew(type: ResourceType, object: KubeObject): KubeObject {
    if (type.namespaced) this.#checkNamespace(type, object);
    switch (type.kind) {
      case 'Pod':
        return withTolerations(this.#prioritized(withServiceAccount(object)));
      case 'Node':
        return withNotReadyTaint(object);
      case 'PersistentVolumeClaim':
        return this.#classified(object);
      case 'Service':
        return this.#addressed(object);
      default:
        return object;
    }
  }

  admitChange(type: ResourceType, object: KubeObject): KubeObject {
    return type.kind === 'Pod' ? withTolerations(object) : object;
  }

  #checkNamespace(type: ResourceType, { metadata }: KubeObject): void {
    const namespace = metadata.namespace ?? '';
    const found = this.#store.get('namespaces', undefined, namespace);
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const refusal = forbidden(subjectOf(type), metadata.name, why);
    const message = `namespace ${namespace} is being terminated`;
    const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
    throw new ApiError(refusal.code, refusal.reason, refusal.message, { ...refusal.details, causes });
  }

  #prioritized(pod: KubeObject): KubeObject {
    const spec = objectAt(pod, 'spec');
    const name = textAt(spec, 'priorityClassName');
    const found =
      name === ''
        ? this.#store.list('priorityclasses.scheduling.k8s.io').find((each) => each['globalDefault'] === true)
        : this.#store.get('priorityclasses.scheduling.k8s.io', undefined, name);
    if (name !== '' && found === undefined)
      throw forbidden(
        { group: '', resource: 'pods' },
        pod.metadata.name,
        `no PriorityClass with name ${name} was found`,
      );
    const resolved = {
      ...(found !== undefined && { priorityClassName: found.metadata.name }),
      priority: valueAt(found, 'value') ?? 0,
      preemptionPolicy: valueAt(found, 'preemptionPolicy') ?? 'PreemptLowerPriority',
    };
    return { ...pod, spec: { ...withDefaults(spec, resolved), priority: resolved.priority } };
  }

  #classified(claim: KubeObject): KubeObject {
    if (valueAt(claim, 'spec', 'storageClassName') !== undefined) return claim;
    const found = this.#store
      .list('storageclasses.storage.k8s.io')
      .find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
    return found === undefined ? claim : withValue(claim, ['spec', 'storageClassName'], found.metadata.name);
  }

  #addressed(service: KubeObject): KubeObject {
    if (textAt(service, 'spec', 'clusterIP') !== '' || textAt(service, 'spec', 'type') === 'ExternalName')
      return service;
    this.#addresses += 1;
    const clusterIP = `10.96.${String(Math.floor(this.#addresses / 250))}.${String((this.#addresses % 250) + 1)}`;
    return { ...service, spec: { ...objectAt(service, 'spec'), clusterIP, clusterIPs: [clusterIP] } };
  }
}

function withServiceAccount(pod: KubeObject): KubeObject {
  const name =
    textAt(pod, 'spec', 'serviceAccountName') || textAt(pod, 'spec', 'serviceAccount') || 'default';
  return { ...pod, spec: { ...objectAt(pod, 'spec'), serviceAccountName: name, serviceAccount: name } };
}

function withTolerations(pod: KubeObject): KubeObject {
  const known = listAt(pod, 'spec', 'tolerations');
  const added = NODE_TROUBLES.filter((key) => !known.some((each) => toleratesEviction(each, key))).map(
    (key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: TOLERATION_SECONDS,
    }),
  );
  return added.length === 0 ? pod : withValue(pod, ['spec', 'tolerations'], [...known, ...added]);
}

function toleratesEviction(toleration: unknown, key: string): boolean {
  const [own, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
}

function withNotReadyTaint(node: KubeObject): KubeObject {
  const [key] = NODE_TROUBLES;
  const taints = listAt(node, 'spec', 'taints');
  const isThere = taints.some(
    (taint) => isObject(taint) && taint['key'] === key && taint['effect'] === 'NoSchedule',
  );
  return isThere ? node : withValue(node, ['spec', 'taints'], [...taints, { key, effect: 'NoSchedule' }]);
}
