/** Whether the API server answers, in which version, and whether its clock and this computer's agree. */
import { failed, ok, warning } from '../../../domain/records/check-finding.js';
import { liveCheck, type DoctorCheck } from '../doctor-check.js';
import { text } from '../subject/object-fields.js';
import { minorOf } from '../subject/versions.js';

/** The first minor whose API server has all that Berth's manifests use. */
const OLDEST_MINOR = 30;
const SLOW_MILLIS = 1_000;
/** Signatures of requests to clouds are refused from five minutes on; Leases suffer earlier. */
const SKEW_MILLIS = 5_000;
const MOST_SKEW_MILLIS = 60_000;

const apiServer = liveCheck('api-server', async ({ live }, signal) => {
  const { body, millis } = await live.ask({ method: 'GET', path: '/version', urgency: 'at-once', signal });
  const version = text(body, 'gitVersion');
  const seen = `Kubernetes ${version} answered after ${millis.toFixed(0)} ms`;
  const minor = minorOf(version);
  if (minor !== undefined && minor < OLDEST_MINOR)
    return [failed(seen, `Upgrade the cluster to Kubernetes 1.${String(OLDEST_MINOR)} or later`)];
  if (millis > SLOW_MILLIS)
    return [warning(seen, 'Look at the load of the control plane and at the network between here and there')];
  return [ok(seen)];
});

const clock = liveCheck('clock', async ({ live }, signal) => {
  const { serverTime } = await live.ask({ method: 'GET', path: '/version', urgency: 'at-once', signal });
  if (serverTime === undefined) return [];
  // The header has whole seconds.
  const skew = Math.max(0, Math.abs(live.now() - serverTime) - 1_000);
  const evidence = `the clock of this computer and that of the API server differ by ${(skew / 1000).toFixed(0)} s`;
  if (skew <= SKEW_MILLIS) return [ok(evidence)];
  const mend =
    'Synchronise the clock (NTP): requests to the cloud are signed with the time, and Leases depend on it';
  return [skew > MOST_SKEW_MILLIS ? failed(evidence, mend) : warning(evidence, mend)];
});

export const API_SERVER_CHECKS: readonly DoctorCheck[] = [apiServer, clock];
