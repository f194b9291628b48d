/** The examples lead to the instances that they promise, each alone and all together. */
import type { Document } from '../../src/apis/documents/document.js';
import { readDocuments } from '../../src/apis/documents/read-documents.js';
import type { PlanDocument } from '../../src/app/cli/render/plan/plan-document.js';
import { demandOf, poolOffers } from '../../src/app/input/cluster-input.js';
import { type Manifests, readManifests } from '../../src/app/input/read-manifests.js';
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { runBerth } from '../app/support/run-berth.js';
import { readProjectFile } from '../architecture/project-files.js';
import { checkPlan } from '../support/plan-checker/check-plan.js';
import { EXAMPLE_NAMES, exampleFiles, EXAMPLES, SHARED } from './example-files.js';
import { EXPECTED, type Instance } from './expected-instances.js';

const NAME_LABEL = 'example.berth.sh/name';
const catalogue = catalogueFor('eu-west-3');
const cases = Object.entries(EXPECTED);

/** What `berth plan` prints for these folders and the shared one; it must place every pod. */
async function planned(folders: readonly string[]): Promise<PlanDocument> {
  const all = [SHARED, ...folders];
  const flags = all.flatMap((folder) => ['-f', `${EXAMPLES}/${folder}`]);
  const { code, stdout, stderr } = await runBerth(['plan', ...flags, '-o', 'json'], {
    files: exampleFiles(all),
  });
  expect({ code, errors: stderr.split('\n').filter((line) => line.includes(' error: ')) }).toEqual({
    code: 0,
    errors: [],
  });
  return JSON.parse(stdout) as PlanDocument;
}

const plansAlone = new Map<string, Promise<PlanDocument>>();

/** The plan of one example; made once. */
function plannedAlone(name: string): Promise<PlanDocument> {
  const known = plansAlone.get(name) ?? planned([name]);
  plansAlone.set(name, known);
  return known;
}

type Claim = PlanDocument['nodeClaims'][number];

function byName(claims: readonly Claim[]): readonly Claim[] {
  return [...claims].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function instanceOf({ nodePool, instanceTypes, zones, capacityTypes, hourlyPrice, pods }: Claim): Instance {
  const type = instanceTypes[0] ?? '';
  return { nodePool, type, zones, capacityTypes, hourlyPrice, pods: pods.length };
}

function manifestsOf(folders: readonly string[]): Manifests {
  const files = Object.entries(exampleFiles([SHARED, ...folders]));
  return readManifests(files.map(([source, text]) => ({ source, text })));
}

function inputOf({ policies, cluster }: Manifests): ClusterInput {
  const pools = poolOffers(
    policies.nodePools.map(({ pool }) => pool),
    policies.nodeClasses,
    catalogue,
  );
  return { ...cluster, pods: demandOf(cluster.pods).pods, pools };
}

/** All documents of all examples. */
function allDocuments(): readonly Document[] {
  const files = Object.entries(exampleFiles([SHARED, ...EXAMPLE_NAMES]));
  return files.flatMap(([source, text]) => readDocuments({ source, text }).documents);
}

function namespaceOf({ value }: Document): string {
  const { namespace = '' } = value['metadata'] as { readonly namespace?: string };
  return namespace;
}

test('the policies to start with can be applied beside the examples: no NodePool or EC2NodeClass is in both', () => {
  const names = (files: Readonly<Record<string, string>>): readonly string[] => {
    const { policies } = readManifests(Object.entries(files).map(([source, text]) => ({ source, text })));
    const classes = policies.nodeClasses.map(({ name }) => `EC2NodeClass ${name}`);
    return [...classes, ...policies.nodePools.map(({ pool }) => `NodePool ${pool.name}`)];
  };
  const starting = names(
    Object.fromEntries(
      ['general.yaml', 'node-class.yaml'].map((file) => [
        file,
        readProjectFile(`manifests/policies/${file}`),
      ]),
    ),
  );
  const examples = names(exampleFiles([SHARED, ...EXAMPLE_NAMES]));
  expect(starting).toEqual(['EC2NodeClass general', 'NodePool general']);
  expect(starting.filter((name) => examples.includes(name))).toEqual([]);
});

test('every example has its expected instances', () => {
  expect([...EXAMPLE_NAMES].sort()).toEqual(Object.keys(EXPECTED).sort());
});

describe.each(cases)('example %s', (name, { instances, hourly }) => {
  test('leads to the instances that it promises', async () => {
    const { nodeClaims, unschedulable, cost } = await plannedAlone(name);
    expect(byName(nodeClaims).map(instanceOf)).toEqual(instances);
    expect(unschedulable).toEqual([]);
    expect(String(cost.hourly)).toBe(hourly);
  });

  test('has a plan without fault', () => {
    const input = inputOf(manifestsOf([name]));
    const answer = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
    expect(checkPlan(input, answer)).toEqual([]);
  });

  test('says in its first lines what to expect', () => {
    const [header = ''] = (exampleFiles([name])[`${EXAMPLES}/${name}/policies.yaml`] ?? '').split(
      'apiVersion',
    );
    for (const { type } of instances) expect(header).toContain(type);
    expect(header).toContain(hourly);
  });

  test('keeps to itself by a label that its pools and pods carry', () => {
    const { policies, cluster } = manifestsOf([name]);
    const ofPools = policies.nodePools.map(({ pool }) => pool.template.labels.get(NAME_LABEL));
    const ofPods = cluster.pods.map(({ spec }) => spec.nodeSelector.get(NAME_LABEL));
    expect(new Set([...ofPools, ...ofPods])).toEqual(new Set([name]));
  });

  test('is written without a slip', () => {
    const { issues } = manifestsOf([name]);
    const known = name === 'v1alpha5-default' ? ['older-version', 'older-spelling'] : [];
    expect(issues.filter(({ code }) => !known.includes(code))).toEqual([]);
  });
});

describe('all examples at once', () => {
  test('lead to the same instances as each alone', async () => {
    const together = await planned(EXAMPLE_NAMES);
    const alone = await Promise.all(EXAMPLE_NAMES.map(plannedAlone));
    expect(byName(together.nodeClaims)).toEqual(byName(alone.flatMap(({ nodeClaims }) => nodeClaims)));
    expect(together.nodeClaims).toHaveLength(24);
    expect(together.cost.hourly).toBeCloseTo(6.305669, 6);
  });

  test('have a plan without fault', () => {
    const input = inputOf(manifestsOf(EXAMPLE_NAMES));
    const answer = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
    expect(checkPlan(input, answer)).toEqual([]);
  });

  test('name every object once', () => {
    const names = allDocuments().map((object) => `${object.kind} ${namespaceOf(object)}/${object.name}`);
    expect(names.filter((each, index) => names.indexOf(each) !== index)).toEqual([]);
    expect(names.length).toBeGreaterThan(EXAMPLE_NAMES.length);
  });

  test('put their policies where Berth looks for them', () => {
    const configMaps = allDocuments().filter(({ kind }) => kind === 'ConfigMap');
    expect(new Set(configMaps.map(namespaceOf))).toEqual(new Set(['berth-system']));
    expect(configMaps).toHaveLength(EXAMPLE_NAMES.length + 1);
  });
});
