/** ReceiveMessage: at once, or after a long poll on the clock. */
import type { JsonInput } from '../protocol/json.js';
import { ServiceError } from '../model/service-error.js';
import type { Queue, QueueMessage } from './queue.js';

const MAX_MESSAGES = 10;
const MAX_WAIT_SECONDS = 20;
const MAX_VISIBILITY_SECONDS = 43_200;

/** `{}` when there is nothing. @throws ServiceError InvalidParameterValue; the signal's reason while it waits. */
export async function receiveMessage(queue: Queue, input: JsonInput, signal: AbortSignal): Promise<object> {
  const max = within(input, { name: 'MaxNumberOfMessages', min: 1, max: MAX_MESSAGES }) ?? 1;
  const waitSeconds =
    within(input, { name: 'WaitTimeSeconds', min: 0, max: MAX_WAIT_SECONDS }) ??
    queue.setting('ReceiveMessageWaitTimeSeconds');
  const visibility = within(input, { name: 'VisibilityTimeout', min: 0, max: MAX_VISIBILITY_SECONDS });
  const options = { max, visibilityMillis: visibility === undefined ? undefined : 1000 * visibility };
  const messages = await poll(queue, options, { millis: waitSeconds * 1000, signal });
  if (messages.length === 0) return {};
  const names = [...input.texts('AttributeNames'), ...input.texts('MessageSystemAttributeNames')];
  return { Messages: messages.map((message) => messageJson(message, names)) };
}

async function poll(
  queue: Queue,
  options: { readonly max: number; readonly visibilityMillis: number | undefined },
  { millis, signal }: { readonly millis: number; readonly signal: AbortSignal },
): Promise<readonly QueueMessage[]> {
  let left = millis;
  for (;;) {
    const messages = queue.receive(options);
    if (messages.length > 0 || left <= 0) return messages;
    left -= await queue.wait(left, signal);
  }
}

function within(
  input: JsonInput,
  { name, min, max }: { readonly name: string; readonly min: number; readonly max: number },
): number | undefined {
  const value = input.integer(name);
  if (value === undefined || (value >= min && value <= max)) return value;
  throw new ServiceError(
    'InvalidParameterValue',
    `Value ${String(value)} for parameter ${name} is invalid. Reason: Must be >= ${String(min)} and <= ${String(max)}, if provided.`,
  );
}

function messageJson(message: QueueMessage, names: readonly string[]): object {
  const all = {
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.received),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  };
  const asked = Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name));
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    MD5OfBody: message.md5,
    Body: message.body,
    ...(asked.length > 0 && { Attributes: Object.fromEntries(asked) }),
  };
}
