/** The documents of the corpus, and what Berth reads in them. */
import '../../src/app/clouds.js';
import { readDocuments } from '../../src/apis/documents/read-documents.js';
import type { Issue } from '../../src/apis/issue.js';
import { readPolicies, type Policies } from '../../src/apis/policies/read-policies.js';
import { projectFiles, readProjectFile } from '../architecture/project-files.js';

/** Stands at the end of the line that is at fault. */
const MARK = '# <-';

export interface CorpusFile {
  /** File name without its ending. */
  readonly name: string;
  readonly text: string;
  /** Line at fault, counted from 1; 0 when none is marked. */
  readonly markedLine: number;
}

/** The files of `accepted` or `refused`, by name. */
export function corpusFiles(folder: 'accepted' | 'refused'): readonly CorpusFile[] {
  const prefix = `test/corpus/${folder}/`;
  return projectFiles()
    .filter((path) => path.startsWith(prefix))
    .map((path) => {
      const text = readProjectFile(path);
      const markedLine = text.split('\n').findIndex((line) => line.endsWith(MARK)) + 1;
      return { name: path.slice(prefix.length).replace(/\.yaml$/, ''), text, markedLine };
    });
}

export interface CorpusReading {
  readonly policies: Policies;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** Reads a file as a command would. */
export function readCorpusFile({ name, text }: CorpusFile): CorpusReading {
  const { documents, issues } = readDocuments({ source: `${name}.yaml`, text });
  const policies = readPolicies(documents);
  const all = [...issues, ...policies.issues];
  return {
    policies,
    errors: all.filter(({ severity }) => severity === 'error'),
    warnings: all.filter(({ severity }) => severity === 'warning'),
  };
}
