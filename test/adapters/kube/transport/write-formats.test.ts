import { pathSegment } from '../../../../src/adapters/kube/transport/write-formats.js';
import { PortError } from '../../../../src/ports/port-error.js';

describe('pathSegment', () => {
  test('keeps a name in one part of the path', () => {
    expect(pathSegment('system:node/a b')).toBe('system%3Anode%2Fa%20b');
  });

  test.each(['', '.', '..'])('refuses %j, which would name something else', (name) => {
    expect(() => pathSegment(name)).toThrow(PortError);
  });
});
