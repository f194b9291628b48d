/** Reads objects in Kubernetes' protobuf encoding (k8s.io/apimachinery/pkg/runtime/serializer/protobuf) as JSON has them. */
import { ApiError } from '../objects/api-error.js';
import { textAt, type JsonObject } from '../objects/json.js';
import { MESSAGES, type FieldType, type MessageName } from './messages.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const MAGIC = Buffer.from('k8s\0');

/** @throws ApiError 415 for kinds and fields that are not in the table */
export function decodeProtobuf(bytes: Buffer): JsonObject {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw refused('a body without its magic number');
  const envelope = readMessage('Unknown', bytes.subarray(MAGIC.length));
  const [apiVersion, kind] = [
    textAt(envelope, 'typeMeta', 'apiVersion'),
    textAt(envelope, 'typeMeta', 'kind'),
  ];
  if (!Object.hasOwn(MESSAGES, kind)) throw refused(`a ${kind}`);
  const raw = Buffer.from(textAt(envelope, 'raw'), 'base64');
  return { apiVersion, kind, ...readMessage(kind as MessageName, raw) };
}

/** A field on the wire: a number, or bytes. */
interface WireField {
  readonly number: number;
  readonly value: number | Buffer;
}

function* fieldsOf(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw refused('a message that is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) yield { number, value: varint() };
    else if (type === 2) {
      const length = varint();
      if (length < 0 || at + length > bytes.length) throw refused('a message that is cut off');
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    } else throw refused(`wire type ${String(type)}`);
  }
}

function readMessage(message: MessageName, bytes: Buffer): JsonObject {
  const object: Record<string, unknown> = {};
  for (const { number, value } of fieldsOf(bytes)) {
    const [name, type] = MESSAGES[message]?.[number] ?? ['', 'skip'];
    if (name === '') refuseContent(message, number, value);
    else put(object, name, type, value);
  }
  return object;
}

function put(object: Record<string, unknown>, name: string, type: FieldType, value: number | Buffer): void {
  if (type === 'skip') return;
  const [shape, of] = type.split(' ', 2);
  if (shape === 'list')
    object[name] = [
      ...((object[name] as readonly unknown[] | undefined) ?? []),
      readValue(of as FieldType, value),
    ];
  else if (shape === 'inline') Object.assign(object, readValue(of as FieldType, value));
  else if (shape === 'map')
    object[name] = { ...(object[name] as object | undefined), ...readEntry(of as FieldType, value) };
  else {
    const read = readValue(type, value);
    const isEmpty = read === '' || ((read === 0 || read === false) && !type.endsWith('!'));
    if (!isEmpty) object[name] = read;
  }
}

/** A map's entry is a message of key and value. */
function readEntry(type: FieldType, value: number | Buffer): JsonObject {
  let key = '';
  let read: unknown = type === 'string' || type === 'bytes' ? '' : undefined;
  for (const field of fieldsOf(asBytes(value))) {
    if (field.number === 1) key = asBytes(field.value).toString();
    else read = readValue(type, field.value);
  }
  return { [key]: read };
}

/** Types that are no messages, or plain values in JSON, without their `!`. */
const READERS: Readonly<Record<string, (value: number | Buffer) => unknown>> = {
  string: (value) => asBytes(value).toString(),
  bytes: (value) => asBytes(value).toString('base64'),
  int: (value) => value,
  bool: (value) => value !== 0,
  Quantity: (value) => textAt(readMessage('Quantity', asBytes(value)), 'string'),
  IntOrString: (value) => {
    const { type, intVal = 0, strVal = '' } = readMessage('IntOrString', asBytes(value));
    return type === 1 ? strVal : intVal;
  },
};

function readValue(type: FieldType, value: number | Buffer): unknown {
  const read = READERS[type.replace('!', '')];
  return read === undefined ? readMessage(type as MessageName, asBytes(value)) : read(value);
}

function asBytes(value: number | Buffer): Buffer {
  if (typeof value === 'number') throw refused('a number where bytes belong');
  return value;
}

/** What is not in the table says something, unless it is empty. */
function refuseContent(message: string, number: number, value: number | Buffer): void {
  if (value !== 0 && (typeof value === 'number' || value.length > 0))
    throw refused(`field ${String(number)} of ${message}`);
}

function refused(what: string): ApiError {
  const message = `${what} cannot be read as protobuf here; application/json can`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}
