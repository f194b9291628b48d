/** Bodies are read without parsing their names one by one, and mean what they mean to a parser. */
import fc from 'fast-check';
import { passUnread } from '../../../src/servers/extender/extender-verbs.js';
import { readBody, type WireBody } from '../../../src/servers/extender/wire-body.js';
import { WireError } from '../../../src/servers/extender/wire-fields.js';
import { readNodesRequest } from '../../../src/servers/extender/wire-requests.js';
import { parseJson } from '../../../src/servers/http/parse-json.js';

const MOST = 1000;

const name = fc.stringMatching(/^[a-z0-9][-a-z0-9.]{0,20}$/);
const pod = fc.constantFrom(
  '{"metadata":{"uid":"p"}}',
  '{"a":[{"b":["c"]}]}',
  '{"t":"\\",\\"NodeNames\\":["}',
);

/** Members of an object, some of them nearly what is looked for. */
const member = fc
  .tuple(
    fc.constantFrom(
      'Pod',
      'Nodes',
      'NodeNames',
      'nodenames',
      'x\\"NodeNames',
      'NodeName\\u0073',
      'x,NodeNames',
    ),
    fc.oneof(
      pod,
      fc.array(name, { maxLength: 4 }).map((names) => JSON.stringify(names)),
      fc.constantFrom(
        'null',
        '[]',
        '["a", "b"]',
        '["Ä"]',
        '["a\\n"]',
        '["B"]',
        '[7]',
        '["a",["b"]]',
        '["",""]',
      ),
      fc.constantFrom(
        '{"NodeNames":["c"]}',
        '{"items":[{"metadata":{"name":"n"}}]}',
        `["${'x'.repeat(254)}"]`,
      ),
    ),
  )
  .map(([key, value]) => `"${key}":${value}`);

/** JSON in any order, with keys twice, and such as is damaged. */
const anyBody = fc
  .tuple(
    fc.array(member, { maxLength: 5 }),
    fc.constantFrom(
      (text: string) => text,
      (text: string) => `${text}\n`,
      (text: string) => text.slice(0, -1),
      (text: string) => `${text}}`,
      (text: string) => `[${text}]`,
      (text: string) => text.replace(',', ',,'),
      (text: string) => text.slice(1),
    ),
  )
  .map(([members, damage]) => Buffer.from(damage(`{${members.join(',')}}`)));

function goBody(podText: string, names: readonly string[]): Buffer {
  return Buffer.from(`{"Pod":${podText},"Nodes":null,"NodeNames":${JSON.stringify(names)}}`);
}

/** What is asked, or why that is unknown. */
function requestOf(body: ReturnType<typeof readBody>): object | string {
  if ('cause' in body) return body.cause;
  try {
    const { pod: asked, nodeNames, nodes } = readNodesRequest(body);
    return { pod: asked, nodeNames: nodeNames(), nodes };
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
}

function parsed(bytes: Buffer): ReturnType<typeof readBody> {
  const outcome = parseJson(bytes, MOST);
  return 'cause' in outcome ? outcome : { value: outcome.value };
}

describe('readBody', () => {
  test('reads any body as a parser of the whole of it does', () => {
    fc.assert(
      fc.property(anyBody, (bytes) => {
        expect(requestOf(readBody(bytes, MOST))).toEqual(requestOf(parsed(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps the names of a body as Go writes it as the text that they are', () => {
    fc.assert(
      fc.property(pod, fc.array(name, { minLength: 1, maxLength: 20 }), (podText, names) => {
        const body = readBody(goBody(podText, names), MOST) as WireBody;
        expect(body.names?.bytes.toString()).toBe(JSON.stringify(names).slice(1, -1));
        expect(body.names?.count).toBe(names.length);
        expect(readNodesRequest(body).nodeNames()).toEqual(names);
      }),
    );
  });

  test('counts the names among the values that a body may have', () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${String(index)}`);
    expect(readBody(goBody('{}', names), 60)).toMatchObject({ names: { count: 50 } });
    expect(readBody(goBody('{}', names), 50)).toMatchObject({ cause: 'too-many-values' });
  });
});

describe('passUnread', () => {
  test('answers every name that was asked about, and no scores, whatever else is in the body', () => {
    fc.assert(
      fc.property(fc.constantFrom('{}', 'broken'), fc.array(name, { minLength: 1 }), (podText, names) => {
        const bytes = goBody(podText, names);
        expect(JSON.parse(passUnread('filter', bytes) ?? '')).toEqual({
          NodeNames: names,
          FailedNodes: {},
          FailedAndUnresolvableNodes: {},
        });
        expect(passUnread('prioritize', bytes)).toBe('[]');
      }),
    );
  });

  test('answers nothing where that takes more than names: whole nodes, and victims', () => {
    const whole = Buffer.from('{"Pod":{},"Nodes":{"items":[]},"NodeNames":null}');
    expect(passUnread('filter', whole)).toBeUndefined();
    expect(passUnread('preempt', goBody('{}', ['a']))).toBeUndefined();
  });
});
