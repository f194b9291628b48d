/** Pods are named by namespace, and compete for ports of their node. */
import fc from 'fast-check';
import { hostPortsConflict, podKey, type HostPort } from '../../../src/domain/pods/pod.js';

const anyPort: fc.Arbitrary<HostPort> = fc.record({
  hostIP: fc.constantFrom('0.0.0.0', '127.0.0.1', '10.0.0.1'),
  protocol: fc.constantFrom('TCP', 'UDP'),
  port: fc.constantFrom(80, 443),
});

describe('podKey', () => {
  test('is namespace/name', () => {
    expect(podKey({ namespace: 'default', name: 'web-0' })).toBe('default/web-0');
  });
});

describe('hostPortsConflict', () => {
  test.each<[string, HostPort, boolean]>([
    ['the same address', { hostIP: '10.0.0.1', protocol: 'TCP', port: 80 }, true],
    ['every address', { hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }, true],
    ['another address', { hostIP: '10.0.0.2', protocol: 'TCP', port: 80 }, false],
    ['another protocol', { hostIP: '10.0.0.1', protocol: 'UDP', port: 80 }, false],
    ['another port', { hostIP: '0.0.0.0', protocol: 'TCP', port: 81 }, false],
  ])('of 10.0.0.1:80/TCP with %s', (_, other, conflict) => {
    expect(hostPortsConflict({ hostIP: '10.0.0.1', protocol: 'TCP', port: 80 }, other)).toBe(conflict);
  });

  test('is mutual, and a port conflicts with itself', () => {
    fc.assert(
      fc.property(anyPort, anyPort, (a, b) => {
        expect(hostPortsConflict(a, b)).toBe(hostPortsConflict(b, a));
        expect(hostPortsConflict(a, a)).toBe(true);
      }),
    );
  });
});
