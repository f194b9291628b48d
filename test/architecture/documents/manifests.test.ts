/** Every manifest in the documents is one: Berth reads policies as a cluster's, and what others name has to exist. */
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readManifests } from '../../../src/app/input/read-manifests.js';
import { OPTION_TABLE } from '../../../src/app/service/options/option-table.js';
import { AWS_OPTIONS } from '../../../src/clouds/aws/options.js';
import { decodeCapacityBuffer } from '../../../src/apis/autoscaling/capacity-buffer.js';
import { readInstanceTypes } from '../../../src/clouds/kwok/instance-types.js';
import { HELD_TAINT_KEY } from '../../../src/domain/nodes/held-taint.js';
import { runBerth } from '../../app/support/run-berth.js';
import { projectFiles, projectRoot, readProjectFile } from '../project-files.js';
import { fencedBlocks } from './code-blocks.js';

interface Parsed {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name: string };
}

const blocks = fencedBlocks();

function rowsOf(language: string): readonly (readonly [place: string, text: string])[] {
  return blocks.filter((block) => block.language === language).map(({ place, text }) => [place, text]);
}

/** All documents of a text. @throws Error for what is no YAML. */
function documentsOf(text: string): readonly Parsed[] {
  return parseAllDocuments(text).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS() as Parsed;
  });
}

test('fenced blocks have a language that is looked at, and plain ones are what a program prints', () => {
  const looked = ['sh', 'console', 'yaml', 'json', 'hcl', 'text', 'mermaid', ''];
  expect(blocks.filter(({ language }) => !looked.includes(language))).toEqual([]);
});

describe('YAML', () => {
  const rows = rowsOf('yaml');
  const isKustomization = (text: string): boolean => documentsOf(text)[0]?.kind === 'Kustomization';
  const isFragment = (text: string): boolean => documentsOf(text).some(({ kind }) => kind === undefined);
  const isBuffer = (text: string): boolean => documentsOf(text)[0]?.kind === 'CapacityBuffer';
  const manifests = rows.filter(([, text]) => !isFragment(text) && !isKustomization(text) && !isBuffer(text));

  test.each(manifests)('%s has policies without a mistake', (place, text) => {
    const { policies, issues, leftAside } = readManifests([{ source: place, text }]);
    expect(issues).toEqual([]);
    expect([...leftAside]).toEqual([]);
    const { nodePools, nodeClasses, nodeOverlays, podDefaults } = policies;
    const found = [...nodePools, ...nodeClasses, ...nodeOverlays, ...podDefaults].length;
    expect(found).toBe(documentsOf(text).length);
  });

  test.each(rows.filter(([, text]) => isFragment(text)))('%s is a part of a pod', (place, text) => {
    const pod = `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec:\n  containers: [{ name: web }]\n`;
    const { cluster, issues } = readManifests([{ source: place, text: pod + text.replaceAll(/^/gm, '  ') }]);
    expect(issues.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(cluster.pods).toHaveLength(1);
    expect(text).toContain(`key: ${HELD_TAINT_KEY},`);
  });

  test.each(rows.filter(([, text]) => isBuffer(text)))('%s is a CapacityBuffer', (_place, text) => {
    const [buffer] = documentsOf(text) as readonly [Parsed];
    const metadata = { ...buffer.metadata, uid: 'a', resourceVersion: '1', generation: 1 };
    const { value, findings } = decodeCapacityBuffer(buffer.apiVersion ?? '', { ...buffer, metadata });
    expect(findings).toEqual([]);
    expect(value?.template).toBeDefined();
  });

  test.each(rows.filter(([, text]) => isKustomization(text)))('%s changes what there is', (_place, text) => {
    const [own] = documentsOf(text) as readonly [Kustomization];
    const folders = own.resources.map((path) => path.replace('../berth/', ''));
    const objects = folders.flatMap(objectsOf);
    for (const { name } of own.images)
      expect(JSON.stringify(objects)).toMatch(new RegExp(`"image":"${name}[:"]`));
    for (const { target, patch } of own.patches) {
      expect(objects).toContainEqual(expect.objectContaining({ kind: target.kind }));
      const [patched] = documentsOf(patch) as readonly [Deployment];
      expect(patched).toMatchObject({ kind: target.kind, metadata: { name: target.name } });
      const shipped = objects.find(
        ({ kind, metadata }) => kind === target.kind && metadata?.name === target.name,
      ) as Deployment | undefined;
      const names = shipped?.spec.template.spec.containers.map(({ name }) => name);
      for (const { name, env } of patched.spec.template.spec.containers) {
        expect(names).toContain(name);
        const read = [...OPTION_TABLE, ...AWS_OPTIONS].map((row) => row.env);
        expect(env.filter((variable) => !read.includes(variable.name))).toEqual([]);
      }
    }
  });
});

interface Kustomization extends Parsed {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string }[];
  readonly patches: readonly {
    readonly target: { readonly kind: string; readonly name: string };
    readonly patch: string;
  }[];
}

interface Deployment extends Parsed {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly name: string;
          readonly env: readonly { readonly name: string }[];
        }[];
      };
    };
  };
}

/** Of a file, or of a folder with a kustomization.yaml and of all that it names. */
function objectsOf(path: string): readonly Parsed[] {
  if (path.endsWith('.yaml')) return documentsOf(readProjectFile(path));
  const [{ resources }] = documentsOf(readProjectFile(`${path}/kustomization.yaml`)) as readonly [
    Kustomization,
  ];
  return resources.flatMap((each) => objectsOf(posix.join(path, each)));
}

describe('JSON', () => {
  const block = (document: string): unknown => {
    const [, text = ''] = rowsOf('json').find(([place]) => place.startsWith(document)) ?? [];
    return JSON.parse(text);
  };

  test('stands in two pages', () => {
    expect(rowsOf('json').map(([place]) => place.split(':')[0])).toEqual([
      'docs/explanations.md',
      'docs/kwok.md',
    ]);
  });

  test('the instance types of docs/kwok.md can be read', () => {
    expect(readInstanceTypes(block('docs/kwok.md'))).toEqual([
      expect.objectContaining({ name: 's-4x-amd64-linux' }),
    ]);
  });

  test('the proof in docs/explanations.md has the fields that a plan has', async () => {
    const shown = block('docs/explanations.md') as Readonly<Record<string, unknown>>;
    const files = Object.fromEntries(
      projectFiles()
        .filter((path) => /^manifests\/examples\/(shared|minimal-m5)\//.test(path))
        .map((path) => [path, readProjectFile(path)]),
    );
    const flags = ['-f', 'manifests/examples', '--duals', '-o', 'json'];
    const { stdout } = await runBerth(['plan', ...flags], { files });
    const { cost } = JSON.parse(stdout) as {
      readonly cost: { readonly duals: Readonly<Record<string, unknown>> };
    };
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(Object.keys(cost.duals)));
  });
});

test.each(rowsOf('hcl'))(
  '%s is a module with variables that it has, and all that it needs',
  (_place, text) => {
    const [, source = ''] = /source\s*=\s*"\.\/([^"]+)"/.exec(text) ?? [];
    const module = readdirSync(join(projectRoot, source))
      .filter((name) => name.endsWith('.tf'))
      .map((name) => readProjectFile(`${source}/${name}`))
      .join('\n');
    const variables = [...module.matchAll(/^variable "(\w+)" \{\n(.*?)^\}/gms)];
    const needed = variables
      .filter(([, , body = '']) => !/^ {2}default /m.test(body))
      .map(([, name]) => name);
    const given = [...text.matchAll(/^ {2}(\w+)\s*=/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'source');
    expect(variables.map(([, name]) => name)).toEqual(expect.arrayContaining(given));
    expect(given).toEqual(expect.arrayContaining(needed));
    expect(needed.length).toBeGreaterThan(0);
  },
);
