/** The manifest of the kubectl plugin: what krew requires of one, and that it installs the program as it is built. */
import { parse } from 'yaml';
import { readProjectFile } from '../architecture/project-files.js';

interface Plugin {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly {
      readonly bin: string;
      readonly files: readonly { readonly from: string }[];
    }[];
  };
}

const plugin = parse(readProjectFile('manifests/krew/berth.yaml')) as Plugin;
const program = JSON.parse(readProjectFile('package.json')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};

test('it is a Plugin of krew with the version of the program', () => {
  expect(plugin).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
  });
  expect(plugin.metadata.name).toMatch(/^[\w-]+$/);
  expect(plugin.spec.version).toBe(`v${program.version}`);
  expect(plugin.spec.shortDescription.length).toBeLessThanOrEqual(50);
});

test('its entry is the bundle that is also called kubectl-berth', () => {
  expect(program.bin['kubectl-berth']).toBe(program.bin['berth']);
  for (const { bin, files } of plugin.spec.platforms) {
    expect(`dist/${bin}`).toBe(program.bin['kubectl-berth']);
    expect(files.map(({ from }) => from)).toEqual(['dist/*']);
  }
});
