/** The options of notifications: where they are posted, and of what (docs/approvals.md). */
import { readFileSync } from 'node:fs';
import { NOTIFIED, type Notified } from '../../../controllers/notifying/notifications.js';
import type { OptionRow } from './option-row.js';

export interface NotifyOptions {
  /** Answers the URL as it is now; undefined: no notification is sent. A function, so that nothing that prints options prints it. */
  readonly notifyURL: (() => string) | undefined;
  readonly notifyOn: readonly Notified[];
}

export const NOTIFY_OPTIONS: readonly OptionRow[] = [
  {
    key: 'notifyURL',
    flag: {
      name: 'notify-url',
      value: '@FILE',
      help: 'file with the URL of a webhook that takes {"text": "…"}, as those of Slack, for notifications; the variable may also have the URL itself',
    },
    env: 'BERTH_NOTIFY_URL',
    fallback: undefined,
    isSecret: true,
    parse: parseSecretURL,
  },
  {
    key: 'notifyOn',
    flag: {
      name: 'notify-on',
      value: 'LIST',
      help: `what notifications are posted of, of ${NOTIFIED.join(',')}`,
    },
    env: 'BERTH_NOTIFY_ON',
    fallback: 'proposed,decided,expired',
    parse: parseKinds,
  },
];

function parseSecretURL(text: string): () => string {
  if (text.startsWith('@')) return () => readFileSync(text.slice(1), 'utf8');
  if (!/^https?:\/\//.test(text)) throw new RangeError('expected @FILE, https://… or http://…');
  return () => text;
}

function parseKinds(text: string): readonly Notified[] {
  return text.split(',').map((word) => {
    const kind = NOTIFIED.find((each) => each === word.trim());
    if (kind === undefined) throw new RangeError(`expected a list of ${NOTIFIED.join(', ')}`);
    return kind;
  });
}
