/** What `--support-bundle` collects: the findings and Berth's objects, without Secrets, user data, tokens and keys. */
import { plainObject, type Plain } from '../../apis/decode/plain.js';
import { readDocuments } from '../../apis/documents/read-documents.js';
import { hasCode } from '../../ports/port-error.js';
import type { Subject } from './doctor-check.js';
import type { CheckOutcome } from './run-checks.js';
import type { Resource } from './subject/resources.js';
import type { TarFile } from './tar.js';

/** Never Secrets. */
const COLLECTED: readonly (readonly [resource: Resource, isNamespaced: boolean])[] = [
  ['deployments', true],
  ['pods', true],
  ['configmaps', true],
  ['leases', true],
  ['services', true],
  ['mutatingwebhookconfigurations', false],
  ['validatingwebhookconfigurations', false],
  ['nodes', false],
  ['nodeclaims', false],
  ['reservations', false],
  ['policystatuses', false],
  ['decisions', false],
];

const REDACTED = '[redacted]';
/** Names of fields and variables whose values are not for others. */
const SECRET =
  /userdata|token|password|secret|credential|accesskey|keydata|certdata|cabundle|cadata|private/i;
/** It has every field a second time. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What may not be read is named instead. */
export async function supportFiles(
  subject: Subject,
  outcomes: readonly CheckOutcome[],
  version: string,
): Promise<readonly TarFile[]> {
  const files: TarFile[] = [
    { name: 'berth-support/version.txt', text: `${version}\n` },
    { name: 'berth-support/doctor.json', text: jsonLines(outcomes) },
  ];
  for (const [resource, isNamespaced] of COLLECTED)
    files.push(await collected(subject, resource, isNamespaced ? subject.namespace : undefined));
  return files;
}

async function collected({ objects }: Subject, resource: Resource, namespace?: string): Promise<TarFile> {
  try {
    const found = await objects.list(resource, namespace);
    return {
      name: `berth-support/${resource}.json`,
      text: jsonLines(found.map((object) => redacted(object))),
    };
  } catch (error) {
    if (!hasCode(error, 'Forbidden', 'Unavailable', 'TimedOut')) throw error;
    return { name: `berth-support/${resource}.txt`, text: `${error.message}\n` };
  }
}

function jsonLines(values: readonly unknown[]): string {
  return `${JSON.stringify(values, null, 2)}\n`;
}

/** A copy without what is secret; texts that hold documents are read as such. */
export function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (Array.isArray(value)) return value.map(redacted);
  const object = plainObject(value);
  return object === undefined ? value : redactedObject(object);
}

function redactedObject(object: Plain): Plain {
  // `{ name: API_TOKEN, value: … }` of a container's environment.
  const isSecretVariable =
    typeof object['name'] === 'string' && SECRET.test(object['name']) && 'value' in object;
  return Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => key !== LAST_APPLIED && key !== 'managedFields')
      .map(([key, each]) => {
        const isSecret =
          (SECRET.test(key) && typeof each !== 'object') || (isSecretVariable && key === 'value');
        return [key, isSecret ? REDACTED : redacted(each)];
      }),
  );
}

/** Policies in ConfigMaps and documents in annotations. A text that names something secret and cannot be read is left out whole. */
function redactedText(text: string): unknown {
  if (!SECRET.test(text)) return text;
  const { documents, issues } = readDocuments({ source: 'text', text });
  if (documents.length > 0 && issues.length === 0) return documents.map(({ value }) => redactedObject(value));
  return text.includes('\n') || text.startsWith('{') ? REDACTED : text;
}
