/** Pod specs that all ask something different: every difference that scheduling sees is there once. */
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import {
  nodeTerm,
  oneOf,
  podTerm,
  requiredTerms,
  spreadOver,
  tolerateKey,
} from '../../support/builders/constraints.js';
import type { PodSpecOverrides } from '../../support/builders/pod.js';

const web = { app: 'web' };
const port = { hostIP: '0.0.0.0', protocol: 'TCP', port: 80 };
const inZone = (zone: string): ReturnType<typeof nodeTerm> => nodeTerm(oneOf(ZONE, zone));

export const DIFFERENT_SPECS: readonly PodSpecOverrides[] = [
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
  { resourceClaims: ['gpu'] },
];
