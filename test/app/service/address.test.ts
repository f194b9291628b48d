/** Addresses that servers listen on. */
import { isLoopback, parseAddress } from '../../../src/app/service/options/address.js';

describe('parseAddress', () => {
  test.each([
    ['127.0.0.1:9444', { host: '127.0.0.1', port: 9444 }],
    [':9443', { host: '', port: 9443 }],
    ['0.0.0.0:9443', { host: '0.0.0.0', port: 9443 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('reads %s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  test.each(['', '9443', 'host:', 'host:65536', 'host:-1', '::1:80', 'a:b:1'])('refuses "%s"', (text) => {
    expect(() => parseAddress(text)).toThrow(RangeError);
  });
});

describe('isLoopback', () => {
  test.each(['127.0.0.1:1', '127.8.8.8:1', 'localhost:1', '[::1]:1'])('says yes to %s', (text) => {
    expect(isLoopback(parseAddress(text))).toBe(true);
  });

  test.each([':1', '10.0.0.1:1', '127.evil.example:1', '[::]:1'])('says no to %s', (text) => {
    expect(isLoopback(parseAddress(text))).toBe(false);
  });
});
