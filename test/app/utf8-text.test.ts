/** Bytes as text. */
import { utf8Text } from '../../src/app/process-io.js';

describe('utf8Text', () => {
  test('gives the text, its byte order mark included', () => {
    expect(utf8Text(Buffer.from('\uFEFFgrün: ✓\n'))).toBe('\uFEFFgrün: ✓\n');
    expect(utf8Text(Buffer.alloc(0))).toBe('');
  });

  test('names the first line that is something else', () => {
    const bytes = Buffer.concat([Buffer.from('a: ü\nb: '), Buffer.from([0xfc]), Buffer.from('\nc: d\n')]);
    expect(() => utf8Text(bytes)).toThrow('line 2 is not UTF-8: save it as UTF-8');
    expect(() => utf8Text(Buffer.from([0x61, 0x0a, 0xc3]))).toThrow('line 2 is not UTF-8');
  });

  test('knows UTF-16 by its mark', () => {
    expect(() => utf8Text(Buffer.from('\uFEFFa: b', 'utf16le'))).toThrow('it is UTF-16: save it as UTF-8');
  });
});
