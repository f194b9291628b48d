/** Spec keys: equal for specs that ask the same, different for any difference that scheduling sees. */
import { HOSTNAME, ZONE } from '../../../src/domain/labels.js';
import { specKey } from '../../../src/planning/snapshot/spec-key.js';
import {
  nodeTerm,
  oneOf,
  podTerm,
  requiredTerms,
  spreadOver,
  tolerateKey,
} from '../../support/builders/constraints.js';
import { podSpec, type PodSpecOverrides } from '../../support/builders/pod.js';

const web = { app: 'web' };
const port = { hostIP: '0.0.0.0', protocol: 'TCP', port: 80 };
const inZone = (zone: string): ReturnType<typeof nodeTerm> => nodeTerm(oneOf(ZONE, zone));

/** Specs that all ask something different. */
const different: readonly PodSpecOverrides[] = [
  {},
  { namespace: 'shop' },
  { labels: web },
  { labels: { app: 'api' } },
  { requests: { cpu: '2' } },
  { requests: { 'nvidia.com/gpu': '1' } },
  { nodeSelector: { [ZONE]: 'a' } },
  { nodeAffinity: requiredTerms() },
  { nodeAffinity: requiredTerms(inZone('a')) },
  { nodeAffinity: requiredTerms(inZone('a'), inZone('b')) },
  { nodeAffinity: { preferred: [{ weight: 1, term: inZone('a') }] } },
  { nodeAffinity: { preferred: [{ weight: 2, term: inZone('a') }] } },
  { podAffinity: { required: [podTerm(ZONE, web)] } },
  { podAffinity: { required: [podTerm(HOSTNAME, web)] } },
  { podAffinity: { required: [podTerm(ZONE, web, ['shop'])] } },
  { podAffinity: { preferred: [{ weight: 1, term: podTerm(ZONE, web) }] } },
  { podAntiAffinity: { required: [podTerm(ZONE, web)] } },
  { tolerations: [tolerateKey('team')] },
  { tolerations: [{ ...tolerateKey('team'), effect: 'NoSchedule' }] },
  { spread: [spreadOver(ZONE, web)] },
  { spread: [spreadOver(ZONE, web, { maxSkew: 2 })] },
  { spread: [spreadOver(ZONE, web, { minDomains: 2 })] },
  { spread: [spreadOver(ZONE, web, { whenUnsatisfiable: 'ScheduleAnyway' })] },
  { spread: [spreadOver(ZONE, web, { nodeAffinityPolicy: 'Ignore' })] },
  { spread: [spreadOver(ZONE, web, { nodeTaintsPolicy: 'Honor' })] },
  { spread: [spreadOver(ZONE, web, { selector: undefined })] },
  { hostPorts: [port] },
  { hostPorts: [{ ...port, protocol: 'UDP' }] },
  { volumes: ['data'] },
  { volumes: [{ claim: 'default/data', ephemeralClass: 'gp3' }] },
  { priority: 7 },
  { requiredFeatures: ['UserNamespacesHostNetwork'] },
  { hasResourceClaims: true },
];

describe('specKey', () => {
  test('tells any two specs apart that ask something different', () => {
    const keys = different.map((overrides) => specKey(podSpec(overrides)));
    expect(new Set(keys).size).toBe(different.length);
  });

  test.each<[string, PodSpecOverrides, PodSpecOverrides]>([
    ['labels', { labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } }],
    ['requests', { requests: { 'x/y': '1', cpu: '1' } }, { requests: { cpu: '1000m', 'x/y': '1' } }],
    ['selectors', { nodeSelector: { a: '1', b: '2' } }, { nodeSelector: { b: '2', a: '1' } }],
    [
      'tolerations',
      { tolerations: [tolerateKey('a'), tolerateKey('b')] },
      { tolerations: [tolerateKey('b'), tolerateKey('a')] },
    ],
  ])('does not look at the order of %s', (_, left, right) => {
    expect(specKey(podSpec(left))).toBe(specKey(podSpec(right)));
  });

  test('does not look at the name of the scheduler, which has been chosen by then', () => {
    expect(specKey(podSpec({ schedulerName: 'berth-scheduler' }))).toBe(specKey(podSpec()));
  });
});
