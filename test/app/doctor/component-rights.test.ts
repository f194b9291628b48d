/** The rights that `berth doctor` asks for are those that the manifests give. */
import { parseAllDocuments } from 'yaml';
import { COMPONENT_RIGHTS, type Right } from '../../../src/app/doctor/subject/component-rights.js';
import { readProjectFile } from '../../architecture/project-files.js';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

const ROLES = ['rbac/controller.yaml', 'rbac/extender.yaml', 'scheduler/rbac.yaml'].flatMap((file) =>
  parseAllDocuments(readProjectFile(`manifests/${file}`)).map((document) => document.toJS() as Role),
);

/** Of a ClusterRole or a Role of Berth's namespace. */
function given(kind: string, role: string): readonly Right[] {
  const found = ROLES.find((each) => each.kind === kind && each.metadata.name === role);
  if (found === undefined) throw new Error(`there is no ${kind} ${role}`);
  return found.rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames.map((name) => ({ verb, group, resource, name, isOwnNamespace: kind === 'Role' })),
        ),
      ),
    ),
  );
}

function sorted(rights: readonly Right[]): readonly string[] {
  return [
    ...new Set(
      rights.map(({ verb, group, resource, name = '', isOwnNamespace }) =>
        [verb, group, resource, name, isOwnNamespace].join(' '),
      ),
    ),
  ].sort();
}

test('those of the controller', () => {
  const roles = [...given('ClusterRole', 'berth-controller'), ...given('Role', 'berth-controller')];
  expect(sorted(COMPONENT_RIGHTS['berth-controller'])).toEqual(sorted(roles));
});

test("those of the second scheduler, beside kube-scheduler's own", () => {
  const roles = [...given('ClusterRole', 'berth-extender'), ...given('Role', 'berth-scheduler')];
  expect(sorted(COMPONENT_RIGHTS['berth-scheduler'])).toEqual(sorted(roles));
});
