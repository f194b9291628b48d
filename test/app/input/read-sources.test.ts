/** Which files are read for the paths that a user names. */
import { UsageError } from '../../../src/app/command/usage-error.js';
import { readSources } from '../../../src/app/input/read-sources.js';
import { fakeIo, type FakeWorld } from '../support/fake-io.js';

function namesRead(paths: readonly string[], world: FakeWorld): readonly string[] {
  return readSources(paths, fakeIo(world).files).map(({ source }) => source);
}

describe('readSources', () => {
  test('reads the manifests of a directory at any depth, by name, and nothing else', () => {
    const files = {
      'dir/b.yaml': '',
      'dir/a.json': '',
      'dir/nested/c.yml': '',
      'dir/README.md': '',
      'dir/.hidden.yaml': '',
      'dir/.git/d.yaml': '',
    };
    expect(namesRead(['dir'], { files })).toEqual(['dir/a.json', 'dir/b.yaml', 'dir/nested/c.yml']);
    expect(namesRead(['dir/'], { files })).toEqual(['dir/a.json', 'dir/b.yaml', 'dir/nested/c.yml']);
  });

  test('reads a file whatever its name, and standard input for -', () => {
    expect(readSources(['notes.txt', '-'], fakeIo({ files: { 'notes.txt': 'a', '-': 'b' } }).files)).toEqual([
      { source: 'notes.txt', text: 'a' },
      { source: 'stdin', text: 'b' },
    ]);
  });

  test('reads a file once, however often it is named', () => {
    const files = { 'dir/a.yaml': '', 'dir/b.yaml': '' };
    expect(namesRead(['dir/b.yaml', 'dir', 'dir/b.yaml'], { files })).toEqual(['dir/b.yaml', 'dir/a.yaml']);
  });

  test.each<[string, FakeWorld, RegExp]>([
    ['nowhere.yaml', {}, /^nowhere\.yaml: no such file or directory$/],
    ['empty', { directories: ['empty'] }, /^empty: contains no manifests \(\*\.yaml/],
    ['docs', { files: { 'docs/README.md': '' } }, /^docs: contains no manifests/],
  ])('refuses %s with the reason', (path, world, message) => {
    expect(() => namesRead([path], world)).toThrow(UsageError);
    expect(() => namesRead([path], world)).toThrow(message);
  });

  test('gives the reason why a file cannot be read', () => {
    const { files } = fakeIo({ files: { 'secret.yaml': '' } });
    const locked = {
      ...files,
      read: () => {
        throw new Error('permission denied');
      },
    };
    expect(() => readSources(['secret.yaml'], locked)).toThrow(
      'secret.yaml: cannot be read: permission denied',
    );
  });
});
