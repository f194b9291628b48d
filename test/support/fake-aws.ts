/** AWS as a test tells it to answer: at the wire, one operation at a time, keeping what it was asked. */
import type { Exchange, ExchangeAnswer, ExchangeRequest } from './in-process-handler.js';

export interface AskedOfAws {
  readonly operation: string;
  /** Fields of the form, or of the JSON body. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
}

type Answering = (asked: AskedOfAws, signal: AbortSignal) => ExchangeAnswer | Promise<ExchangeAnswer>;
export type FakeAnswer = ExchangeAnswer | Error | Answering;

export class FakeAws {
  readonly asked: AskedOfAws[] = [];
  readonly #answers = new Map<string, FakeAnswer[]>();

  /** The answers of an operation, one after the other; the last stays. */
  answer(operation: string, ...answers: readonly FakeAnswer[]): this {
    this.#answers.set(operation, [...answers]);
    return this;
  }

  askedFor(operation: string): readonly AskedOfAws[] {
    return this.asked.filter((asked) => asked.operation === operation);
  }

  readonly handle: Exchange = async (request, signal) => {
    const asked = read(request);
    this.asked.push(asked);
    const answers = this.#answers.get(asked.operation) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new Error(`nobody said how ${asked.operation} is answered`);
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? await answer(asked, signal) : answer;
  };
}

function read({ headers, body, path }: ExchangeRequest): AskedOfAws {
  const target = headers['x-amz-target'];
  if (target !== undefined) {
    const fields = JSON.parse(body) as Record<string, unknown>;
    return { operation: target.slice(target.indexOf('.') + 1), fields, headers, path };
  }
  const fields = Object.fromEntries(new URLSearchParams(body));
  return { operation: fields['Action'] ?? path, fields, headers, path };
}

/** EC2's answer: what stands inside the document. */
export function ec2Answer(operation: string, inside: string): ExchangeAnswer {
  const namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  return {
    status: 200,
    headers: { 'content-type': 'text/xml;charset=UTF-8' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<${operation}Response xmlns="${namespace}">${inside}<requestId>r-1</requestId></${operation}Response>`,
  };
}

/** EC2's list of things, each given as what stands inside its item. */
export function ec2List(name: string, items: readonly string[]): string {
  return `<${name}>${items.map((item) => `<item>${item}</item>`).join('')}</${name}>`;
}

/** `<a>1</a><b>2</b>`; undefined values are left out. */
export function xml(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(fields)
    .map(([name, value]) => (value === undefined ? '' : `<${name}>${String(value)}</${name}>`))
    .join('');
}

export function ec2Error(code: string, status = 400, message = 'because'): ExchangeAnswer {
  return {
    status,
    headers: { 'content-type': 'text/xml;charset=UTF-8', 'x-amzn-requestid': 'r-2' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>r-2</RequestID></Response>`,
  };
}

export function jsonAnswer(value: object, status = 200): ExchangeAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(value) };
}
