/** The real process as commands see it. */
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSources } from '../../src/app/input/read-sources.js';
import { NODE_FILES, sinkOf } from '../../src/app/process-io.js';

class FakeStream extends EventEmitter {
  readonly written: string[] = [];
  readonly isTTY = true;

  write(text: string): void {
    this.written.push(text);
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('sinkOf', () => {
  test('writes to the stream and knows whether it is a terminal', () => {
    const stream = new FakeStream();
    const sink = sinkOf(stream);
    sink.write('text');
    expect(stream.written).toEqual(['text']);
    expect(sink.isTTY).toBe(true);
  });

  test('falls silent when the reader has gone away', () => {
    const stream = new FakeStream();
    const sink = sinkOf(stream);
    stream.emit('error', failure('EPIPE'));
    sink.write('text');
    expect(stream.written).toEqual([]);
  });

  test('does not hide other failures', () => {
    const stream = new FakeStream();
    sinkOf(stream);
    expect(() => stream.emit('error', failure('ENOSPC'))).toThrow('ENOSPC');
  });
});

describe('NODE_FILES', () => {
  const root = mkdtempSync(join(tmpdir(), 'berth-'));
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  test('finds manifests through links, and does not walk in circles', () => {
    mkdirSync(join(root, 'nested'));
    writeFileSync(join(root, 'nested', 'a.yaml'), 'text');
    symlinkSync(join(root, 'nested', 'a.yaml'), join(root, 'link.yaml'));
    symlinkSync(root, join(root, 'nested', 'up'));
    expect(readSources([root], NODE_FILES)).toEqual([{ source: join(root, 'link.yaml'), text: 'text' }]);
  });

  test('tells files, directories and nothing apart', () => {
    writeFileSync(join(root, 'file'), '');
    const kinds = [root, join(root, 'file'), join(root, 'nothing'), '-'].map((path) => NODE_FILES.kind(path));
    expect(kinds).toEqual(['directory', 'file', 'missing', 'file']);
  });
});
