/** The programs that the documents tell a reader to run, with their arguments, as bash reads them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/app/cli/commands.js';
import { codeInSentences, fencedBlocks, type DocumentCode } from './code-blocks.js';

export interface ProgramCall {
  /** Where the text stands: `FILE:LINE`. */
  readonly place: string;
  /** The program and its arguments. */
  readonly words: readonly string[];
  /** The whole command that a reader would enter, with pipes and redirections. */
  readonly statement: string;
  /** Whether it stands in a sentence, which may only name the program and its command. */
  readonly inSentence: boolean;
  /** What the document shows below the command; undefined where it shows nothing. */
  readonly output?: string;
}

export interface ReadCalls {
  readonly calls: readonly ProgramCall[];
  /** What bash says of texts that it cannot read. */
  readonly complaints: string;
}

/** Programs whose calls in a sentence are looked at; with one word only, the sentence is about the program. */
const IN_SENTENCES = /^(berth|kubectl|helm|make|aws|curl|node|source) /;

/** Every text of the documents that a reader would give to a shell, and the examples of `berth COMMAND --help`. */
export async function documentedCalls(): Promise<ReadCalls> {
  const blocks = fencedBlocks();
  const shell = blocks.filter(({ language }) => language === 'sh').flatMap(statementsOf);
  const consoles = blocks.filter(({ language }) => language === 'console').flatMap(sessionsOf);
  const sentences = codeInSentences()
    .filter(({ text }) => IN_SENTENCES.test(text))
    .map((code) => ({ ...code, inSentence: true }));
  const texts: readonly Text[] = [...shell, ...consoles, ...sentences, ...(await helpExamples())];
  const { calls, complaints } = callsOf(texts.map(({ text }) => text));
  return {
    complaints,
    calls: calls.map(({ index, words }) => {
      const { place = '', text = '', inSentence = false, output } = texts[index] ?? {};
      return { place, words, statement: text, inSentence, ...(output !== undefined && { output }) };
    }),
  };
}

interface Text extends DocumentCode {
  readonly inSentence?: boolean;
  readonly output?: string;
}

/** The arguments of Berth, of a call that starts it: as `berth`, as kubectl's plugin, as a file for Node, also in a pod. */
export function argumentsOfBerth(words: readonly string[]): readonly string[] | undefined {
  const [program, second = '', ...rest] = words;
  if (program === 'berth') return words.slice(1);
  if (program === 'kubectl' && second === 'berth') return rest;
  if (/(^|\/)node$/.test(program ?? '') && second.endsWith('berth.js')) return rest;
  const inPod = program === 'kubectl' && words.includes('exec') ? words.indexOf('--') : -1;
  return inPod < 0 ? undefined : argumentsOfBerth(words.slice(inPod + 1));
}

export type CallRow = readonly [title: string, place: string, call: ProgramCall];

/** A row for `test.each` for each different command, with its first place; its words are those that `wanted` leaves. */
export function callRows(
  calls: readonly ProgramCall[],
  wanted: (words: readonly string[]) => readonly string[] | undefined,
): readonly CallRow[] {
  const rows = new Map<string, CallRow>();
  for (const call of calls) {
    const words = wanted(call.words);
    const title = call.words.join(' ');
    if (words !== undefined && !rows.has(title)) rows.set(title, [title, call.place, { ...call, words }]);
  }
  return [...rows.values()];
}

/** A line that ends in a backslash or in a pipe goes on in the next one. */
function statementsOf({ place, language, text }: DocumentCode): readonly DocumentCode[] {
  const statements = text.split(/(?<![\\|])\n/).map((statement) => statement.trim());
  return statements.filter((statement) => statement !== '').map((each) => ({ place, language, text: each }));
}

/** A console block is commands behind `$`, each with what it prints. */
function sessionsOf({ place, language, text }: DocumentCode): readonly (DocumentCode & { output: string })[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((session) => {
      const [command = '', ...printed] = session.split('\n');
      return { place, language, text: command, output: printed.join('\n') };
    });
}

async function helpExamples(): Promise<readonly DocumentCode[]> {
  const examples: DocumentCode[] = [];
  for (const { name, load } of COMMANDS)
    for (const line of (await load()).details)
      if (line.startsWith(EXAMPLE))
        examples.push({ place: `berth ${name} --help`, language: '', text: line.slice(EXAMPLE.length) });
  return examples;
}

const EXAMPLE = 'Example: ';

/** Each text in a shell of its own. No program is found, so that bash hands all of them to the function that writes them down. */
const RECORDING = `
command_not_found_handle() { printf '%s\\0' "$index" "$#" "$@" >>"$CALLS"; }
fpath=(.)
index=0
for text in "$@"; do
  ( eval "$text" ) </dev/null >/dev/null
  index=$((index + 1))
done
`;

interface IndexedCall {
  /** Of the text. */
  readonly index: number;
  readonly words: readonly string[];
}

function callsOf(texts: readonly string[]): {
  readonly calls: readonly IndexedCall[];
  readonly complaints: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'berth-documents-'));
  try {
    const file = join(folder, 'calls');
    writeFileSync(file, '');
    // Where the completion of fish goes.
    mkdirSync(join(folder, '.config/fish/completions'), { recursive: true });
    const { stderr } = spawnSync('/bin/bash', ['--norc', '-c', RECORDING, 'bash', ...texts], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: join(folder, 'none'), HOME: folder, CALLS: file },
    });
    return { calls: [...recorded(readFileSync(file, 'utf8'))], complaints: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Records are an index, a number of words, and these words, each ended by a zero. */
function* recorded(text: string): Iterable<IndexedCall> {
  const fields = text.split('\0');
  for (let at = 0; at < fields.length - 1;) {
    const count = Number(fields[at + 1]);
    yield { index: Number(fields[at]), words: fields.slice(at + 2, at + 2 + count) };
    at += 2 + count;
  }
}
