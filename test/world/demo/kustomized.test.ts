import { kustomized } from '../../../world/demo/manifests/kustomized.js';
import { ownManifests } from '../../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../../src/app/process-io.js';
import { BUILT_IN_TYPES } from '../../../world/kubernetes/resources/built-in-types.js';
import { fakeIo } from '../../app/support/fake-io.js';

const HEAD = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: own}\n';
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: own}\n';

describe('kustomized', () => {
  test('follows folders and files in the order in which they are listed, and labels what it finds', () => {
    const { files } = fakeIo({
      files: {
        'base/kustomization.yaml': `${HEAD}resources: [namespace.yaml, ../more]\nlabels:\n  - pairs: {app.kubernetes.io/part-of: berth}\n`,
        'base/namespace.yaml': NAMESPACE,
        'more/kustomization.yaml': `${HEAD}resources: [a.yaml]\n`,
        'more/a.yaml': 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, labels: {own: "yes"}}\n',
      },
    });
    const found = kustomized('base', files);
    expect(found.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ['Namespace', { name: 'own', labels: { 'app.kubernetes.io/part-of': 'berth' } }],
      ['ServiceAccount', { name: 'a', labels: { own: 'yes', 'app.kubernetes.io/part-of': 'berth' } }],
    ]);
  });

  test('a field of kustomize that would be overlooked is refused by name', () => {
    const { files } = fakeIo({
      files: {
        'base/kustomization.yaml': `${HEAD}resources: [a.yaml]\nimages: []\n`,
        'base/a.yaml': NAMESPACE,
      },
    });
    expect(() => kustomized('base', files)).toThrow('base/kustomization.yaml: images is none of');
  });

  test('a file that is listed and not there is named', () => {
    const { files } = fakeIo({ files: { 'base/kustomization.yaml': `${HEAD}resources: [a.yaml]\n` } });
    expect(() => kustomized('base', files)).toThrow('base/a.yaml: no such file');
  });

  test("Berth's own manifests are complete without its Deployments", () => {
    const kinds = new Set(ownManifests('manifests', NODE_FILES).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'CustomResourceDefinition',
      'MutatingWebhookConfiguration',
      'Namespace',
      'NetworkPolicy',
      'Role',
      'RoleBinding',
      'Service',
      'ServiceAccount',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
    ]);
  });

  test("the simulated API server knows every kind of Berth's own manifests", () => {
    const known = new Set(BUILT_IN_TYPES.map(({ kind }) => kind));
    const unknown = ownManifests('manifests', NODE_FILES).filter(({ kind }) => !known.has(kind));
    expect(unknown.map(({ kind }) => kind)).toEqual([]);
  });
});
