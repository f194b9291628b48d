/** Serial numbers as DER wants them. */
import * as fc from 'fast-check';
import { serialNumber } from '../../../src/servers/tls/issue-certificate.js';

describe('serialNumber', () => {
  test('is the number of the bytes, positive, as short as DER allows', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const hex = serialNumber(bytes);
        const content = Buffer.from(hex, 'hex');
        const [first = 0, second = 0xff] = content;
        expect(BigInt(`0x${hex}`)).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`) || 1n);
        expect(first).toBeLessThan(0x80);
        expect(first > 0 || second >= 0x80).toBe(true);
      }),
      { examples: [[new Uint8Array(16)], [new Uint8Array(16).fill(0xff)]] },
    );
  });
});
