/** The code in the documents: fenced blocks, and what stands between backticks in a sentence. */
import { projectFiles, readProjectFile } from '../project-files.js';

export interface DocumentCode {
  /** `FILE:LINE`. */
  readonly place: string;
  /** After the opening fence; '' for code in a sentence. */
  readonly language: string;
  readonly text: string;
}

/** CHANGELOG.md is about versions that were. */
const documents = projectFiles().filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');

/** All fenced blocks of all documents, without their indentation. */
export function fencedBlocks(): readonly DocumentCode[] {
  return documents.flatMap((document) => piecesOf(document).blocks);
}

/** All code between backticks, outside of fenced blocks. */
export function codeInSentences(): readonly DocumentCode[] {
  return documents.flatMap((document) => piecesOf(document).spans);
}

interface Pieces {
  readonly blocks: readonly DocumentCode[];
  readonly spans: readonly DocumentCode[];
}

const FENCE = /^( *)```(\w*)/;

function piecesOf(document: string): Pieces {
  const blocks: DocumentCode[] = [];
  const spans: DocumentCode[] = [];
  let open: { readonly indent: number; readonly lines: string[] } | undefined;
  for (const [index, line] of readProjectFile(document).split('\n').entries()) {
    const place = `${document}:${String(index + 1)}`;
    const fence = FENCE.exec(line);
    if (open !== undefined && fence === null) open.lines.push(line.slice(open.indent));
    else if (open !== undefined) open = undefined;
    else if (fence === null) spans.push(...spansOf(line, place));
    else {
      const lines: string[] = [];
      open = { indent: (fence[1] ?? '').length, lines };
      blocks.push({
        place,
        language: fence[2] ?? '',
        get text() {
          return lines.map((each) => `${each}\n`).join('');
        },
      });
    }
  }
  return { blocks, spans };
}

/** In tables a `|` of code is written `\|`. */
function spansOf(line: string, place: string): readonly DocumentCode[] {
  return [...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => ({
    place,
    language: '',
    text: text.replaceAll('\\|', '|'),
  }));
}
