/** The workflows of GitHub: what they run exists, they may do no more than they must, and a release is signed with all that belongs to it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFiles, projectRoot, readProjectFile } from './project-files.js';

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>;
        readonly needs?: string;
        readonly steps: readonly Step[];
      }
    >
  >;
}

const paths = projectFiles().filter((path) => path.startsWith('.github/workflows/'));
const workflows = paths.map((path) => [path, parse(readProjectFile(path)) as Workflow] as const);

function stepsOf({ jobs }: Workflow): readonly Step[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

describe.each(workflows)('%s', (path, workflow) => {
  const runs = stepsOf(workflow).flatMap(({ run }) => run ?? []);

  test('uses actions by commit, with the version in a comment', () => {
    const uses = [...readProjectFile(path).matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  test('may read the repository, and whatever else a job may do is listed here', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const more = Object.entries(workflow.jobs).flatMap(([job, { permissions = {} }]) =>
      Object.entries(permissions)
        .filter(([, access]) => access === 'write')
        .map(([scope]) => `${job}: ${scope}`),
    );
    const release = ['publish: packages', 'publish: id-token', 'publish: attestations', 'release: contents'];
    expect(more).toEqual(path.endsWith('/release.yaml') ? release : []);
  });

  test('puts no text of an event into a script', () => {
    expect(runs.filter((run) => /\$\{\{(?! matrix\.)/.test(run))).toEqual([]);
  });

  test('runs targets and scripts that there are', () => {
    const makefile = readProjectFile('Makefile');
    const targets = runs.flatMap((run) => [...run.matchAll(/\bmake ([a-z-]+)/g)].map(([, name]) => name));
    expect(targets.filter((name) => !makefile.includes(`\n${name ?? ''}:`))).toEqual([]);
    const files = runs.flatMap((run) =>
      [...run.matchAll(/(?<![\w/])((?:scripts|charts|manifests)\/[\w./-]+)/g)].map(([, file = '']) => file),
    );
    expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
  });
});

describe('the release', () => {
  const release = parse(readProjectFile('.github/workflows/release.yaml')) as Workflow;
  const publish = release.jobs['publish']?.steps ?? [];
  const step = (action: string): Step | undefined =>
    publish.find(({ uses = '' }) => uses.startsWith(`${action}@`));
  const scripts = publish.flatMap(({ run }) => run ?? []).join('\n');

  test('is published after all of `make verify`, and only as the version that the tag names', () => {
    expect(release.jobs['publish']?.needs).toBe('verify');
    const runs = (release.jobs['verify']?.steps ?? []).flatMap(({ run }) => run ?? []);
    expect(runs).toContain('make verify');
    expect(runs.join('\n')).toContain('test "$VERSION" = "v$(node -p');
  });

  test('builds the image for both architectures, with provenance and bill of materials', () => {
    expect(step('docker/build-push-action')).toMatchObject({
      id: 'image',
      with: { platforms: 'linux/amd64,linux/arm64', push: true, provenance: 'mode=max', sbom: true },
    });
  });

  test('attests and signs the digest that was pushed, not a tag that may move', () => {
    const digest = '${{ steps.image.outputs.digest }}';
    const subject = {
      'subject-name': '${{ env.IMAGE }}',
      'subject-digest': digest,
      'push-to-registry': true,
    };
    expect(step('actions/attest-build-provenance')?.with).toEqual(subject);
    expect(step('actions/attest-sbom')?.with).toEqual({ ...subject, 'sbom-path': 'dist/app/sbom.spdx.json' });
    const signed = [...scripts.matchAll(/cosign sign --yes (".*")/g)].map(([, image]) => image);
    expect(signed).toHaveLength(2);
    expect(signed.filter((image) => image?.includes('@$') !== true)).toEqual([]);
    expect(publish.find(({ run }) => run?.includes(`sign --yes ${signed[0] ?? ''}`) === true)?.env).toEqual({
      DIGEST: digest,
    });
  });

  test('attests the files of the release, and writes them all into it', () => {
    const attested = publish.findLast(({ uses = '' }) => uses.startsWith('actions/attest-build-provenance@'));
    const lines = (value: unknown): readonly string[] => String(value).trim().split('\n');
    const uploaded = lines(step('actions/upload-artifact')?.with?.['path']);
    expect(uploaded).toEqual(expect.arrayContaining([...lines(attested?.with?.['subject-path'])]));
    expect(uploaded).toEqual(
      expect.arrayContaining(['dist/krew-berth.yaml', 'dist/app/sbom.spdx.json', 'dist/app/licenses.txt']),
    );
  });

  test('needs no secret but the token of the workflow', () => {
    const secrets = [...readProjectFile('.github/workflows/release.yaml').matchAll(/secrets\.(\w+)/g)];
    expect(new Set(secrets.map(([, name]) => name))).toEqual(new Set(['GITHUB_TOKEN']));
  });
});
