/** The manifests of an installation: what may reach Berth's pod, and where the pod may write. */
import { parseAllDocuments } from 'yaml';
import { readProjectFile } from '../architecture/project-files.js';

interface Port {
  readonly port: string;
}
interface Peer {
  readonly namespaceSelector?: object;
  readonly podSelector?: object;
}
interface Rule {
  readonly ports: readonly Port[];
  readonly from?: readonly Peer[];
}
interface Container {
  readonly ports: readonly { readonly name: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly sizeLimit?: string };
}

interface Parsed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

/** The spec of the one object of this kind, and with this name if one is given, in a file of manifests/base. */
function specOf(file: string, kind: string, name?: string): unknown {
  const objects = parseAllDocuments(readProjectFile(`manifests/base/${file}`)).map(
    (document) => document.toJS() as Parsed,
  );
  const [found, ...others] = objects.filter(
    (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
  );
  if (found === undefined || others.length > 0) throw new Error(`${file} has not exactly one ${kind}`);
  return found.spec;
}

interface DeploymentSpec {
  readonly template: {
    readonly spec: { readonly containers: readonly Container[]; readonly volumes: readonly Volume[] };
  };
}

const pod = (specOf('controller.yaml', 'Deployment') as DeploymentSpec).template.spec;

describe('the NetworkPolicy', () => {
  const { ingress } = specOf('network.yaml', 'NetworkPolicy') as {
    readonly ingress: readonly Rule[];
  };
  const from = (name: string): readonly Peer[] | undefined =>
    ingress.find(({ ports }) => ports.some(({ port }) => port === name))?.from;

  test('lists each port of the container, and no other', () => {
    const listed = ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
    const served = pod.containers.flatMap(({ ports }) => ports.map(({ name }) => name));
    expect([...listed].sort()).toEqual([...served].sort());
  });

  test('shows metrics to namespaces with the label only', () => {
    expect(from('metrics')).toEqual([
      { namespaceSelector: { matchLabels: { 'berth.sh/metrics': 'true' } } },
      { podSelector: {} },
    ]);
  });

  test('leaves webhooks and extender open to kube-apiserver and kube-scheduler, which are no pods', () => {
    expect([from('webhook'), from('extender')]).toEqual([undefined, undefined]);
  });
});

test('the pod can write to /tmp, to a limited size, and nowhere else', () => {
  for (const { securityContext, volumeMounts } of pod.containers) {
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
  }
  expect(pod.volumes).toEqual([{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }]);
});

test('kube-scheduler stays with one replica of the extender, since replicas do not share what they have allowed', () => {
  expect(specOf('controller.yaml', 'Service', 'berth-extender')).toMatchObject({
    sessionAffinity: 'ClientIP',
  });
});
