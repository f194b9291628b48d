/** The documents keep their promises: links lead somewhere, decisions are complete, and named commands exist. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { projectFiles, projectRoot, readProjectFile } from './project-files.js';

const documents = projectFiles().filter((path) => path.endsWith('.md'));
const decisions = projectFiles().filter((path) => path.startsWith('docs/adr/'));

/** A link inside the project: the document, the target's path below the root, and the line it points at, if any. */
interface Link {
  readonly from: string;
  readonly to: string;
  readonly line: number | null;
}

function linksOf(document: string): readonly Link[] {
  return [...readProjectFile(document).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#L(\d+))?/g)].map(
    ([, path = '', line]) => ({
      from: document,
      to: posix.join(posix.dirname(document), path),
      line: line === undefined ? null : Number(line),
    }),
  );
}

function leadsSomewhere({ to, line }: Link): boolean {
  if (!existsSync(join(projectRoot, to))) return false;
  return line === null || readProjectFile(to).split('\n').length >= line;
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(document: string): readonly string[] {
  return [...readProjectFile(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** `page#heading` of links to a heading that their page does not have. */
function lostAnchors(document: string): readonly string[] {
  const links = readProjectFile(document).matchAll(/\]\((?!https?:)([^)#\s]*)#(?!L\d)([^)\s]+)\)/g);
  return [...links].flatMap(([, path = '', anchor = '']) => {
    const page = path === '' ? document : posix.join(posix.dirname(document), path);
    const isThere = !page.endsWith('.md') || anchorsOf(page).includes(anchor);
    return isThere ? [] : [`${document}: ${page}#${anchor}`];
  });
}

describe('documents', () => {
  test('link to files and lines that exist', () => {
    const links = documents.flatMap(linksOf);
    expect(links.filter((link) => !leadsSomewhere(link))).toEqual([]);
    expect(links.length).toBeGreaterThan(0);
  });

  test('link to headings that their pages have', () => {
    expect(documents.flatMap(lostAnchors)).toEqual([]);
  });

  test('point at the lines that export what their links name', () => {
    const check = spawnSync('node', ['scripts/link-lines.js', '--check'], {
      cwd: projectRoot,
      encoding: 'utf8',
    });
    expect(check.stderr).toBe('');
    expect(readProjectFile('docs/architecture.md')).toMatch(/#L\d+ "plan"\)/);
  });

  test('can all be reached from README.md, directly or through docs/README.md', () => {
    const linked = ['README.md', 'docs/README.md'].flatMap(linksOf).map(({ to }) => to);
    const pages = documents.filter((path) => path.startsWith('docs/'));
    expect(linksOf('README.md').map(({ to }) => to)).toContain('docs/README.md');
    // A link to a folder, such as docs/adr, shows the pages in it.
    const reached = (page: string): boolean => linked.some((to) => page === to || posix.dirname(page) === to);
    expect(pages.filter((page) => !reached(page))).toEqual([]);
  });

  test('have each heading once', () => {
    const headings = documents.flatMap((path) =>
      [
        ...readProjectFile(path)
          .replace(/^```.*?^```/gms, '')
          .matchAll(/^## (.+)$/gm),
      ].map(([, heading = '']) => `${path}: ${heading}`),
    );
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });

  test('name only targets that the Makefile has', () => {
    const targets = new Set(
      [...readProjectFile('Makefile').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name),
    );
    const named = documents.flatMap((path) =>
      [...readProjectFile(path).matchAll(/`make ([a-z-]+)/g)].map(([, name]) => ({ path, name })),
    );
    expect(named.filter(({ name }) => !targets.has(name))).toEqual([]);
  });
});

describe('decisions', () => {
  test('are numbered without gaps', () => {
    const numbers = decisions.map((path) => Number(/^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]));
    expect(numbers).toEqual(decisions.map((_, index) => index + 1));
  });

  test.each(decisions)('%s says context, decision, consequences and alternatives', (path) => {
    const headings = [...readProjectFile(path).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Context', 'Decision', 'Consequences', 'Alternatives']);
  });
});
