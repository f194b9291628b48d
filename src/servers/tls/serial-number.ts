/** Random bytes as the serial number of a certificate. */

/**
 * Bytes, most significant first, as the hexadecimal content of a DER INTEGER: as short as it can be, and positive whatever
 * the first bit (RFC 5280 §4.1.2.2). Zero, which is not allowed there, becomes one.
 */
export function serialNumber(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes)
    .toString('hex')
    .replace(/^(00)+/, '');
  if (digits === '') return '01';
  return /^[89a-f]/.test(digits) ? `00${digits}` : digits;
}
