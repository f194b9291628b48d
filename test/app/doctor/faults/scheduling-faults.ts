/** Faults of kube-scheduler and the extender. */
import { NAMESPACE, START } from '../examined-cluster.js';
import {
  replaced,
  withStatus,
  deployment,
  giveScheduler,
  foreignAuthority,
  schedulerMap,
  staleLease,
  planted,
} from './planting.js';

export const SCHEDULING_FAULTS = planted([
  {
    fault: 'the second scheduler is newer than the API server',
    plant: deployment('berth-scheduler', replaced('kube-scheduler:v1.36.3', 'kube-scheduler:v1.37.0')),
    check: 'scheduler-version',
    result: 'failed',
    evidence: /v1\.37\.0 beside .* must not be newer/,
    mend: /scheduler\.image\.tag/,
  },
  {
    fault: 'the second scheduler is two minors older than the API server',
    plant: deployment('berth-scheduler', replaced('kube-scheduler:v1.36.3', 'kube-scheduler:v1.34.4')),
    check: 'scheduler-version',
    result: 'failed',
    evidence: /too old/,
    mend: /scheduler\.image\.tag/,
  },
  {
    fault: 'the second scheduler does not run',
    plant: deployment('berth-scheduler', withStatus({ replicas: 2 })),
    check: 'scheduler-running',
    result: 'failed',
    evidence: /no replica .* is ready/,
    mend: /describe pods/,
  },
  {
    fault: 'no replica of the second scheduler leads',
    plant: staleLease('berth-scheduler', START - 120_000),
    check: 'scheduler-running',
    result: 'failed',
    evidence: /120 s ago/,
    mend: /logs deploy\/berth-scheduler/,
  },
  {
    fault: 'the second scheduler has no extender',
    plant: schedulerMap('extenders:', 'others:'),
    check: 'scheduler-configuration',
    result: 'failed',
    evidence: /no extender entry/,
    mend: /docs\/install\.md/,
  },
  {
    fault: 'scheduling stops without Berth',
    plant: schedulerMap('ignorable: true', 'ignorable: false'),
    check: 'scheduler-configuration',
    result: 'failed',
    evidence: /ignorable is not true: no pod is scheduled/,
    mend: /restart kube-scheduler/,
  },
  {
    fault: 'kube-scheduler sends whole nodes',
    plant: schedulerMap('nodeCacheCapable: true', 'nodeCacheCapable: false'),
    check: 'scheduler-configuration',
    result: 'failed',
    evidence: /nodeCacheCapable is not true/,
    mend: /extender entry/,
  },
  {
    fault: 'no kube-scheduler asks the extender',
    plant: (cluster) => cluster.remove('deployments.apps', 'berth-scheduler', NAMESPACE),
    check: 'scheduler-configuration',
    result: 'warning',
    evidence: /nominated only/,
    mend: /scheduler\.mode/,
  },
  {
    fault: "the cluster's kube-scheduler verifies no server",
    plant: (cluster) => {
      giveScheduler(cluster, { caData: '""' });
    },
    check: 'scheduler-configuration',
    result: 'failed',
    evidence: /caData is missing: kube-scheduler then trusts any server/,
    mend: /extender entry/,
  },
  {
    fault: "the cluster's kube-scheduler trusts another CA",
    plant: async (cluster) => {
      giveScheduler(cluster, { caData: await foreignAuthority() });
    },
    check: 'scheduler-configuration',
    result: 'failed',
    evidence: /caData is not ca\.crt of the Secret/,
    mend: /extender entry/,
  },
  {
    fault: "the cluster's kube-scheduler has a client certificate of another CA",
    plant: async (cluster) => {
      giveScheduler(cluster, { certData: await foreignAuthority() });
    },
    check: 'scheduler-configuration',
    result: 'failed',
    evidence: /certData was not issued by the CA/,
    mend: /extender entry/,
  },
  {
    fault: 'the extender cannot be reached',
    plant: (cluster) => {
      giveScheduler(cluster);
      cluster.connect = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:9444'));
    },
    check: 'extender-call',
    result: 'failed',
    evidence: /ECONNREFUSED/,
    mend: /port 9444/,
  },
  {
    fault: 'the extender does not accept the client certificate',
    plant: (cluster) => {
      giveScheduler(cluster);
      cluster.connect = () => Promise.resolve(401);
    },
    check: 'extender-call',
    result: 'failed',
    evidence: /status 401/,
    mend: /scheduler\.crt/,
  },
  {
    fault: 'the extender beside the second scheduler is not ready',
    plant: async (cluster) => {
      for (const name of ['berth-scheduler-a', 'berth-scheduler-b'])
        await cluster.change(
          'pods',
          name,
          withStatus({ containerStatuses: [{ name: 'extender', ready: false }] }),
          NAMESPACE,
        );
    },
    check: 'extender-call',
    result: 'failed',
    evidence: /no extender is ready/,
    mend: /-c extender/,
  },
]);
