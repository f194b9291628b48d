import { Agents } from '../../../../src/adapters/kube/transport/agents.js';
import {
  parseServer,
  type KubeConnection,
  type TlsMaterial,
} from '../../../../src/adapters/kube/transport/connection.js';

function connection(tls: Partial<TlsMaterial> = {}, token = 'one'): KubeConnection {
  return {
    server: parseServer('https://cluster.example'),
    tls: { verify: true, ...tls },
    headers: { authorization: `Bearer ${token}` },
  };
}

describe('Agents', () => {
  test('share sockets while certificates stay the same, whatever the token', () => {
    const agents = new Agents();
    const agent = agents.agentFor('request', connection({ cert: 'a' }, 'one'));
    expect(agents.agentFor('request', connection({ cert: 'a' }, 'two'))).toBe(agent);
  });

  test('never send a request over a socket of an earlier certificate or trust', () => {
    const agents = new Agents();
    const changes: Partial<TlsMaterial>[] = [
      {},
      { cert: 'b' },
      { ca: 'c' },
      { serverName: 'd' },
      { verify: false },
    ];
    const all = changes.map((tls) => agents.agentFor('request', connection(tls)));
    expect(new Set(all).size).toBe(changes.length);
  });

  test('keep watches apart from requests, which wait when there are too many', () => {
    const agents = new Agents();
    expect(agents.agentFor('watch', connection()).maxSockets).toBe(Infinity);
    expect(agents.agentFor('request', connection()).maxSockets).toBe(64);
  });

  test('verify the server unless a kubeconfig says otherwise, and speak nothing older than TLS 1.2', () => {
    expect(new Agents().agentFor('request', connection())).toMatchObject({
      options: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    });
    expect(new Agents().agentFor('request', connection({ verify: false }))).toMatchObject({
      options: { rejectUnauthorized: false },
    });
  });
});
