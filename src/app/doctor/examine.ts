/** One examination of `berth doctor`: what there is to look at, and all checks on it. */
import { KubeconfigSource } from '../../adapters/kube/transport/index.js';
import type { SourceText } from '../../apis/documents/document.js';
import { systemClock } from '../../runtime/time/system-clock.js';
import { CHECK_GROUPS } from './checks.js';
import type { SchedulerConfiguration } from './doctor-check.js';
import { runChecks, type CheckOutcome } from './run-checks.js';
import { liveSubject } from './subject/live-subject.js';
import { manifestSubject } from './subject/manifest-subject.js';

export interface Examination {
  /** Berth's own. */
  readonly namespace: string;
  readonly schedulerConfigurations: readonly SchedulerConfiguration[];
  /** Checked instead of a cluster. */
  readonly manifests: readonly SourceText[] | undefined;
  /** undefined: kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function examine(examination: Examination): Promise<readonly CheckOutcome[]> {
  const { manifests, kubeconfig: file, context } = examination;
  const clock = systemClock;
  const { signal } = new AbortController();
  if (manifests !== undefined) {
    const subject = manifestSubject({ ...examination, texts: manifests });
    return runChecks(CHECK_GROUPS, subject, { clock, signal });
  }
  const connection = new KubeconfigSource({ clock, file, context });
  const { subject, close } = liveSubject({ ...examination, connection, clock });
  // The clock's timers do not keep a process alive.
  const awake = setInterval(() => undefined, 60_000);
  try {
    return await runChecks(CHECK_GROUPS, subject, { clock, signal });
  } finally {
    clearInterval(awake);
    close();
  }
}
