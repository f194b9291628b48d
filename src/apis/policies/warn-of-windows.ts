/** Windows that restrict nothing, or forbid everything. */
import type { Findings } from '../decode/findings.js';
import type { BerthSettings } from '../node-pool/berth-block.js';
import { openTime } from './open-time.js';

/** Warns of windows in the `berth:` block that never open or never close. */
export function warnOfWindows({ windows }: BerthSettings, findings: Findings): void {
  for (const [index, window] of windows.entries()) {
    const path = ['berth', 'windows', index];
    const reasons = window.allow.join(', ');
    const open = openTime(window.schedule, window.durationSeconds);
    if (open === 'never') {
      findings.warning({
        code: 'window-never-opens',
        path,
        text: `never opens: its schedule never fires, so it never allows ${reasons}`,
      });
    } else if (open === 'always') {
      findings.warning({
        code: 'window-always-open',
        path,
        text: `is always open: it restricts nothing for ${reasons}`,
      });
    }
  }
}
