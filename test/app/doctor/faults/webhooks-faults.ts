/** Faults of webhooks and certificates. */
import { NAMESPACE } from '../examined-cluster.js';
import { replaced, webhookCertificate, lasting, foreignAuthority, webhook, planted } from './planting.js';

export const WEBHOOKS_FAULTS = planted([
  {
    fault: 'there are no certificates',
    plant: (cluster) => cluster.remove('secrets', 'berth-certificates', NAMESPACE),
    check: 'certificates',
    result: 'failed',
    evidence: /Secret berth-certificates does not exist/,
    mend: /may create Secrets/,
  },
  {
    fault: "the webhook's certificate has ended",
    plant: (cluster) => webhookCertificate({ cluster, validity: lasting(-90, -1) }),
    check: 'certificates',
    result: 'failed',
    evidence: /webhook\.crt ended on/,
    mend: /does not renew it/,
  },
  {
    fault: "the webhook's certificate was not renewed",
    plant: (cluster) => webhookCertificate({ cluster, validity: lasting(-80, 10) }),
    check: 'certificates',
    result: 'warning',
    evidence: /webhook\.crt ends in 10 days/,
    mend: /does not renew it/,
  },
  {
    fault: "the webhook's certificate is another CA's",
    plant: (cluster) => webhookCertificate({ cluster, validity: lasting(-1, 80), isForeign: true }),
    check: 'certificates',
    result: 'failed',
    evidence: /webhook\.crt was not issued by ca\.crt/,
    mend: /delete secret/,
  },
  {
    fault: "the webhook's certificate names another namespace",
    plant: (cluster) => webhookCertificate({ cluster, validity: lasting(-1, 80), namespace: 'elsewhere' }),
    check: 'certificates',
    result: 'failed',
    evidence: /does not name berth-webhook\.berth-system/,
    mend: /delete secret/,
  },
  {
    fault: 'a webhook configuration is missing',
    plant: (cluster) =>
      cluster.remove('mutatingwebhookconfigurations.admissionregistration.k8s.io', 'berth-mutate-pods'),
    check: 'webhook-configurations',
    result: 'failed',
    evidence: /berth-mutate-pods .* does not exist/,
    mend: /helm upgrade/,
  },
  {
    fault: 'a webhook refuses what it cannot be asked about',
    plant: webhook(replaced('"failurePolicy":"Ignore"', '"failurePolicy":"Fail"')),
    check: 'webhook-configurations',
    result: 'failed',
    evidence: /failurePolicy Fail/,
    mend: /failurePolicy: Ignore/,
  },
  {
    fault: 'a webhook is waited for too long',
    plant: webhook(replaced('"timeoutSeconds":2', '"timeoutSeconds":30')),
    check: 'webhook-configurations',
    result: 'warning',
    evidence: /timeoutSeconds 30/,
    mend: /timeoutSeconds: 2/,
  },
  {
    fault: 'a webhook configuration has no CA',
    plant: webhook(replaced(/"caBundle":"[^"]*",/, '')),
    check: 'webhook-ca',
    result: 'failed',
    evidence: /berth-validate-policies has no caBundle/,
    mend: /replica that leads/,
  },
  {
    fault: 'a webhook configuration has another CA',
    plant: async (cluster) => {
      const other = await foreignAuthority();
      await webhook(replaced(/"caBundle":"[^"]*"/, `"caBundle":"${other}"`))(cluster);
    },
    check: 'webhook-ca',
    result: 'failed',
    evidence: /is not ca\.crt of the Secret/,
    mend: /replica that leads/,
  },
  {
    fault: 'the Service of the webhooks has no endpoints',
    plant: (cluster) => cluster.remove('endpointslices.discovery.k8s.io', 'berth-webhook-1', NAMESPACE),
    check: 'webhook-endpoints',
    result: 'failed',
    evidence: /no ready endpoint/,
    mend: /selector/,
  },
  {
    fault: 'the Service of the webhooks is missing',
    plant: (cluster) => cluster.remove('services', 'berth-webhook', NAMESPACE),
    check: 'webhook-endpoints',
    result: 'failed',
    evidence: /Service berth-webhook does not exist/,
    mend: /helm upgrade/,
  },
  {
    fault: 'the API server cannot reach the webhooks',
    plant: (cluster) => {
      cluster.webhook = 'unreachable';
    },
    check: 'webhook-call',
    result: 'failed',
    evidence: /no answer of the webhook/,
    mend: /port 9443/,
  },
  {
    fault: 'the webhooks answer slowly',
    plant: (cluster) => {
      cluster.webhook = 'slow';
    },
    check: 'webhook-call',
    result: 'warning',
    evidence: /took 1500 ms of 2000/,
    mend: /more CPU/,
  },
]);
