/** User data with texts in it that mean something to the shell that runs it. */
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { parse } from 'yaml';
import { powershellQuoted, shellQuoted } from '../../../../src/clouds/aws/families/user-data/quoting.js';
import { userDataFor } from '../../../../src/clouds/aws/families/user-data.js';
import { readUserData } from '../../../../world/kubelet/user-data.js';
import { userDataQuestion } from './question.js';

const FAMILIES = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2022'] as const;
const NASTY = [
  "x' ; curl evil | sh #",
  'a,b=c',
  '"',
  '$(id)',
  '`id`',
  'a\nb',
  '\u2019; calc',
  '--x',
  '</powershell>',
];
/** Of texts made of such pieces some are label values, most are not. */
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', '1', '.', '-', '_', "'", '"', ',', '=', ' ', '\\', '$', '\u2018'),
    maxLength: 12,
  }),
);
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

/** What a shell makes of these words. */
function wordsOfShell(words: readonly string[]): readonly string[] {
  const out = execFileSync('/bin/sh', ['-s'], {
    input: `printf '%s\\0' ${words.join(' ')}\n`,
    encoding: 'utf8',
  });
  return out.split('\0').slice(0, -1);
}

test('a text in quotes is that one word to a shell, whatever is in it', () => {
  const texts = fc.sample(text, { numRuns: 2000, seed: 7 }).filter((one) => !one.includes('\0'));
  const readable = texts.filter((one) => Buffer.from(one, 'utf8').toString('utf8') === one);
  expect(readable.length).toBeGreaterThan(1000);
  expect(wordsOfShell(readable.map(shellQuoted))).toEqual(readable);
});

test('a text in quotes ends for PowerShell where it ends: every quote in it, typographic ones too, is doubled', () => {
  const quote = /['\u2018\u2019\u201a\u201b]/;
  fc.assert(
    fc.property(text, (one) => {
      const inner = powershellQuoted(one).slice(1, -1);
      let read = '';
      for (let at = 0; at < inner.length; at++) {
        const letter = inner.charAt(at);
        // A quote alone ends the text, and everything behind it is code.
        if (quote.test(letter) && inner.charAt(++at) !== letter) break;
        read += letter;
      }
      expect(read).toBe(one);
    }),
  );
});

describe.each(FAMILIES)('user data of %s', (family) => {
  const labelled = (value: string): ReturnType<typeof userDataFor> =>
    userDataFor(family, userDataQuestion({ labels: new Map([['team', value]]) }));

  test('has the value of a label as it is', () => {
    const labelValue = fc.stringMatching(LABEL_VALUE);
    fc.assert(
      fc.property(labelValue, (value) => {
        const result = labelled(value);
        expect(labelsRead(family, 'text' in result ? result.text : '')).toEqual({ team: value });
      }),
    );
  });

  test('is refused, the label named, when no label can have the value', () => {
    const said = expect.stringContaining('the label team has the value') as string;
    fc.assert(
      fc.property(
        text.filter((value) => !LABEL_VALUE.test(value)),
        (value) => {
          expect(labelled(value)).toEqual({ problem: said });
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ['the label has the key', { labels: new Map([["a' ; id #", 'b']]) }],
    [
      'the taint team has the value',
      { taints: [{ key: 'team', value: "x' ; id #", effect: 'NoSchedule' as const }] },
    ],
    ['the taint has the key', { taints: [{ key: 'a,b', value: '', effect: 'NoSchedule' as const }] }],
  ])('is refused when %s that no label could have', (said, overrides) => {
    const result = userDataFor(family, userDataQuestion(overrides));
    expect(result).toEqual({ problem: expect.stringContaining(`userData: ${said}`) as string });
  });
});

test('the name of a cluster is one word of the shell, whatever an operator calls it', () => {
  const { cluster } = userDataQuestion();
  const hostile = { ...cluster, name: "it's; touch /tmp/x" };
  const al2 = userDataFor('AL2', userDataQuestion({ cluster: hostile }));
  const call = /bootstrap\.sh (.*) \\$/m.exec('text' in al2 ? al2.text : '')?.[1] ?? '';
  expect(wordsOfShell([call])).toEqual([hostile.name]);
  const al2023 = userDataFor('AL2023', userDataQuestion({ cluster: hostile }));
  const config =
    /apiVersion: node\.eks\.aws[^]*?(?=\n--)/.exec('text' in al2023 ? al2023.text : '')?.[0] ?? '';
  expect(parse(config)).toMatchObject({ spec: { cluster: { name: hostile.name } } });
});

/** As the image's bootstrap reads it; of Windows, whose images are not simulated, what the flag says. */
function labelsRead(family: (typeof FAMILIES)[number], userData: string): unknown {
  if (family !== 'Windows2022') return readUserData(userData).labels;
  const list = /--node-labels="([^"]*)"/.exec(userData)?.[1] ?? '';
  return Object.fromEntries(list.split(',').map((pair) => pair.split('=')));
}
