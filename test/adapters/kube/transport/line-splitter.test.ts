import fc from 'fast-check';
import { LineSplitter } from '../../../../src/adapters/kube/transport/watch/resource-watch.js';

describe('LineSplitter', () => {
  test('gives the same lines wherever the bytes are cut', () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !text.includes('\n') && text.trim() !== '');
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const splitter = new LineSplitter(100_000);
        const got = edges.slice(1).flatMap((end, index) => splitter.push(bytes.subarray(edges[index], end)));
        expect(got).toEqual(lines);
      }),
    );
  });

  test('leaves out empty lines, and what has no end yet', () => {
    const splitter = new LineSplitter(100);
    expect(splitter.push(Buffer.from('\n\r\n one\n\ntw'))).toEqual([' one']);
    expect(splitter.push(Buffer.from('o\n'))).toEqual(['two']);
  });

  test('refuses a line without an end', () => {
    const splitter = new LineSplitter(10);
    splitter.push(Buffer.from('12345\n12345'));
    expect(() => splitter.push(Buffer.from('678901'))).toThrow('a line is longer than 10 bytes');
  });
});
