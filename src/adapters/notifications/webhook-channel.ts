/**
 * Notifications to a webhook that takes Slack's JSON, `{"text": …}`: Slack, Mattermost, Rocket.Chat and many others. Its URL is a
 * secret, for every client that has it may post: no error and no log line has it.
 */
import type { Clock } from '../../ports/clock.js';
import type { NotificationChannel } from '../../ports/notification-channel.js';
import { PortError } from '../../ports/port-error.js';
import { withDeadline } from '../../runtime/time/deadline.js';

export interface WebhookChannelOptions {
  /** Answers the URL as it is now: a Secret that is mounted may change. @throws Error, when there is none. */
  readonly url: () => string;
  readonly clock: Clock;
}

const OPERATION = 'post a notification';
const TIMEOUT_MILLIS = 10_000;
/** Slack cuts longer texts. */
const MOST_CHARACTERS = 3000;

export function webhookChannel({ url, clock }: WebhookChannelOptions): NotificationChannel {
  return {
    post: async (text, signal) => {
      const target = parsed(url);
      const body = JSON.stringify({ text: escaped(cut(text)) });
      const deadline = { clock, millis: TIMEOUT_MILLIS, signal, operation: OPERATION };
      await withDeadline(deadline, async (own) => {
        refuse(await sent(target, body, own));
      });
    },
  };
}

function parsed(url: () => string): URL {
  let text: string;
  try {
    text = url().trim();
  } catch {
    // The error may name what was read.
    throw failure('Invalid', 'the URL of --notify-url cannot be read');
  }
  const target = URL.canParse(text) ? new URL(text) : undefined;
  if (target === undefined || !['http:', 'https:'].includes(target.protocol))
    throw failure('Invalid', 'the URL of --notify-url is not one of https:// or http://');
  return target;
}

async function sent(target: URL, body: string, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { 'content-type': 'application/json' };
    // A redirect would take the text to a host that no flag names.
    const response = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response;
  } catch (error) {
    throw failure('Unavailable', `no answer: ${codeOf(error)}`);
  }
}

function refuse({ ok, status, headers }: Response): void {
  if (ok) return;
  const message = `the webhook answered ${String(status)}`;
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? '');
    const retryAfterMillis = seconds > 0 ? seconds * 1000 : undefined;
    throw new PortError('RateLimited', { operation: OPERATION, message, retryAfterMillis });
  }
  throw failure(status >= 500 ? 'Unavailable' : 'Invalid', message);
}

function failure(code: 'Invalid' | 'Unavailable', message: string): PortError {
  return new PortError(code, { operation: OPERATION, message });
}

/** Messages of errors may have the address. */
function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed';
}

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

/** https://docs.slack.dev/messaging/formatting-message-text: three characters are the format's own. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
