/** SQS' batch actions: each entry succeeds or fails by itself. */
import type { JsonInput } from '../protocol/json.js';
import { ServiceError } from '../model/service-error.js';
import type { Queue } from './queue.js';

const MAX_ENTRIES = 10;

export function sendBatch(queue: Queue, input: JsonInput): object {
  return eachEntry(input, (entry) => {
    const message = queue.send(entry.required('MessageBody'), entry.integer('DelaySeconds'));
    return { MessageId: message.id, MD5OfMessageBody: message.md5 };
  });
}

export function deleteBatch(queue: Queue, input: JsonInput): object {
  return eachEntry(input, (entry) => {
    queue.delete(entry.required('ReceiptHandle'));
    return {};
  });
}

export function changeVisibilityBatch(queue: Queue, input: JsonInput): object {
  return eachEntry(input, (entry) => {
    queue.changeVisibility(entry.required('ReceiptHandle'), 1000 * (entry.integer('VisibilityTimeout') ?? 0));
    return {};
  });
}

/** @throws ServiceError EmptyBatchRequest, TooManyEntriesInBatchRequest, BatchEntryIdsNotDistinct. */
function eachEntry(input: JsonInput, act: (entry: JsonInput) => object): object {
  const entries = input.objects('Entries');
  if (entries.length === 0)
    throw new ServiceError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MAX_ENTRIES)
    throw new ServiceError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are 10. You have sent ${String(entries.length)}.`,
    );
  if (new Set(entries.map((entry) => entry.required('Id'))).size < entries.length)
    throw new ServiceError('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    const id = entry.required('Id');
    try {
      successful.push({ Id: id, ...act(entry) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failed.push({ Id: id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { Successful: successful, Failed: failed };
}
