/** What roles and their bindings allow a user: RBAC, as SubjectAccessReviews ask for it. */
import { listAt, objectAt, textAt, valueAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';

const GROUP = 'rbac.authorization.k8s.io';

interface Objects {
  list(key: string): readonly KubeObject[];
}

/** Whether any rule that is bound to the user or to one of its groups allows it. `spec` is that of a SubjectAccessReview. */
export function isAllowed(store: Objects, spec: JsonObject): boolean {
  const asked = objectAt(spec, 'resourceAttributes');
  const names = new Set([textAt(spec, 'user'), ...listAt(spec, 'groups').map(String)]);
  const bound = (binding: KubeObject): boolean =>
    listAt(binding, 'subjects').some((subject) => names.has(subjectName(subject)));
  const rules = [
    ...store.list(`clusterrolebindings.${GROUP}`),
    ...store
      .list(`rolebindings.${GROUP}`)
      .filter(({ metadata }) => metadata.namespace === textAt(asked, 'namespace')),
  ]
    .filter(bound)
    .flatMap((binding) => rulesOf(store, binding));
  return rules.some((rule) => covers(rule, asked));
}

function subjectName(subject: unknown): string {
  const name = textAt(subject, 'name');
  if (textAt(subject, 'kind') !== 'ServiceAccount') return name;
  return `system:serviceaccount:${textAt(subject, 'namespace')}:${name}`;
}

function rulesOf(store: Objects, binding: KubeObject): readonly unknown[] {
  const isCluster = textAt(binding, 'roleRef', 'kind') === 'ClusterRole';
  const roles = store.list(`${isCluster ? 'clusterroles' : 'roles'}.${GROUP}`);
  const role = roles.find(
    ({ metadata }) =>
      metadata.name === textAt(binding, 'roleRef', 'name') &&
      (isCluster || metadata.namespace === binding.metadata.namespace),
  );
  return listAt(role, 'rules');
}

function covers(rule: unknown, asked: JsonObject): boolean {
  const subresource = textAt(asked, 'subresource');
  const resource = textAt(asked, 'resource') + (subresource === '' ? '' : `/${subresource}`);
  const has = (field: string, value: string): boolean =>
    listAt(rule, field).some((each) => each === '*' || each === value);
  const names = listAt(rule, 'resourceNames');
  const isNamed = names.length === 0 || names.includes(valueAt(asked, 'name'));
  return (
    has('verbs', textAt(asked, 'verb')) &&
    has('apiGroups', textAt(asked, 'group')) &&
    has('resources', resource) &&
    isNamed
  );
}
