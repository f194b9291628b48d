/** Policy ConfigMaps that another thread reads, on their way from the watch to the cluster. */
import '../../../../src/app/clouds.js';
import { FindingLog } from '../../../../src/adapters/kube/feed/finding-log.js';
import { PolicyReading, unreadPolicies } from '../../../../src/adapters/kube/feed/policy-reading.js';
import {
  readPolicyConfigMap,
  type PolicyConfigMapRead,
} from '../../../../src/apis/berth/read-policy-config-map.js';
import { PortError } from '../../../../src/ports/port-error.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { recordingLogger } from '../../../support/recording-logger.js';

const DEFAULTS =
  'apiVersion: berth.sh/v1\nkind: PodDefaults\nmetadata: {name: NAME}\nspec: {architecture: arm64}\n';

/** A ConfigMap of that name with one document of the other. */
function configMap(name: string, document: string) {
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: DEFAULTS.replace('NAME', document) } };
}

/** Reads when it is told to. */
class Scene {
  readonly cluster = new Cluster();
  readonly log = recordingLogger();
  readonly asked: { readonly object: unknown; readonly answer: (read?: PolicyConfigMapRead) => void }[] = [];
  readonly reading = new PolicyReading({
    feed: this.cluster,
    synced: () => {
      this.cluster.synced('PolicyConfigMap');
    },
    findings: new FindingLog({ kind: 'PolicyConfigMap', logger: this.log.logger, count: () => undefined }),
    logger: this.log.logger,
    readPolicies: (object) =>
      new Promise((resolve, reject) => {
        const late = new PortError('TimedOut', { operation: 'read policies', message: 'late' });
        const answer = (read?: PolicyConfigMapRead): void => {
          if (read === undefined) reject(late);
          else resolve(read);
        };
        this.asked.push({ object, answer });
      }),
  });

  put(name: string, document: string): void {
    const { value } = unreadPolicies(configMap(name, document));
    if (value !== undefined) this.reading.put(value);
  }

  /** Answers the question that is open, as reading does or with an error. */
  async answer(how: 'read' | 'late' = 'read'): Promise<void> {
    await turns();
    const open = this.asked.shift();
    open?.answer(how === 'read' ? readPolicyConfigMap(open.object) : undefined);
    await turns();
  }

  get documents(): readonly string[] {
    return [...this.cluster.policyConfigMaps.values()].flatMap((one) =>
      one.documents.map(({ name }) => name),
    );
  }
}

async function turns(): Promise<void> {
  await new Promise(setImmediate);
}

test('the kind counts as listed once everything that was listed is read', async () => {
  const scene = new Scene();
  scene.put('one', 'a');
  scene.put('two', 'b');
  scene.reading.synced();
  await scene.answer();
  expect([scene.documents, scene.cluster.isSynced('PolicyConfigMap')]).toEqual([['a'], false]);
  await scene.answer();
  expect([scene.documents, scene.cluster.isSynced('PolicyConfigMap')]).toEqual([['a', 'b'], true]);
});

test('a ConfigMap that cannot be read in time keeps what it said before, and does not stop the others', async () => {
  const scene = new Scene();
  scene.put('one', 'a');
  await scene.answer();
  scene.put('one', 'hostile');
  scene.put('two', 'b');
  scene.reading.synced();
  await scene.answer('late');
  await scene.answer();
  expect([scene.documents, scene.cluster.isSynced('PolicyConfigMap')]).toEqual([['a', 'b'], true]);
  expect(scene.log.lines.map(({ message }) => message)).toEqual([
    'Failed to read a policy ConfigMap; its last content stays active',
  ]);
});

test('of many changes of one ConfigMap only the last is read', async () => {
  const scene = new Scene();
  for (const document of ['a', 'b', 'c', 'd']) scene.put('one', document);
  await scene.answer();
  expect(scene.documents).toEqual(['d']);
  expect(scene.asked).toEqual([]);
});

test('one that is deleted while it is read does not come back', async () => {
  const scene = new Scene();
  scene.put('one', 'a');
  await turns();
  scene.reading.delete('one', 'uid-one');
  await scene.answer();
  expect(scene.documents).toEqual([]);
});
