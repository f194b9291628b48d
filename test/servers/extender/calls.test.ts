/** Calls that kube-scheduler gives up, and connections that it keeps. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExtenderWorld, wirePod } from './scheduler-calls.js';

const BODY = JSON.stringify({ Pod: wirePod('p'), Nodes: null, NodeNames: ['n1', 'n2'] });

/** A call as it goes over the wire; a length of more than there is leaves it incomplete. */
function request(verb: string, body = BODY, length = body.length): string {
  const headers = ['Host: x', 'Content-Type: application/json', `Content-Length: ${String(length)}`];
  return [`POST /scheduler/${verb} HTTP/1.1`, ...headers, '', body].join('\r\n');
}

describe('calls of kube-scheduler', () => {
  let world: ExtenderWorld;
  let socket: Socket;

  beforeEach(async () => {
    world = await ExtenderWorld.start();
    socket = await opened();
  });

  afterEach(async () => {
    socket.destroy();
    await world.stop();
  });

  async function opened(): Promise<Socket> {
    const connection = connect(Number(new URL(world.url).port), '127.0.0.1');
    await once(connection, 'connect');
    return connection;
  }

  async function ask(verb: string): Promise<string> {
    socket.write(request(verb));
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString();
  }

  /** What the log warns of. */
  function warnings(): readonly unknown[] {
    return world.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
  }

  /** Ends the connection from the client's side, as a call that is cancelled does, until the server has seen it. */
  async function leave(): Promise<void> {
    const before = world.connections;
    socket.end();
    await world.until(() => world.connections < before);
  }

  test('are counted when the connection ends before they are complete, and the log says so', async () => {
    socket.write(request('filter', BODY, BODY.length + 1));
    await sleep(20);
    world.clock.freeze(500);
    await leave();
    expect(world.abandoned).toEqual(['filter']);
    expect(warnings()).toEqual([{ verb: 'filter', millis: 500, requests: 1 }]);
  });

  test('are counted when the connection ends together with the answer', async () => {
    expect(await ask('prioritize')).toContain('HTTP/1.1 200 ');
    await leave();
    expect(world.abandoned).toEqual(['prioritize']);
  });

  test('are not counted when the connection is used again, or ends later', async () => {
    await ask('filter');
    await ask('filter');
    world.clock.freeze(1_001);
    await leave();
    expect(world.abandoned).toEqual([]);
    expect(world.outcomes).toEqual(['filter answered', 'filter answered']);
  });

  test('are not counted when the client has said that it will close the connection', async () => {
    socket.write(request('filter').replace('Host: x', 'Host: x\r\nConnection: close'));
    expect(await text(socket)).toContain('HTTP/1.1 200 ');
    await world.until(() => world.connections === 0);
    expect(world.abandoned).toEqual([]);
  });

  test('have a line in the log once a minute at most, with how many there were', async () => {
    for (let call = 0; call < 3; call++) {
      await ask('filter');
      await leave();
      socket = await opened();
    }
    expect(warnings()).toMatchObject([{ requests: 1 }]);
    world.clock.freeze(60_000);
    world.renewLease();
    await ask('filter');
    await leave();
    expect(warnings()).toMatchObject([{ requests: 1 }, { requests: 3 }]);
    expect(world.abandoned).toHaveLength(4);
  });

  test('have answers whose length is told, so that the connection is kept whatever their size', async () => {
    for (const verb of ['filter', 'prioritize']) {
      const answer = await ask(verb);
      expect(answer).toMatch(/Content-Length: \d+/i);
      expect(answer).not.toMatch(/Transfer-Encoding/i);
      expect(answer).toMatch(/Connection: keep-alive/i);
    }
  });
});

describe('more calls at once than are judged', () => {
  const broken = '{"Pod":{broken,"Nodes":null,"NodeNames":["n1","n2"]}';

  test('are answered without parsing them, on connections that are kept', async () => {
    const world = await ExtenderWorld.start({ maxInFlight: 0 });
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    const answers: string[] = [];
    for (const verb of ['filter', 'prioritize']) {
      socket.write(request(verb, broken));
      const [data] = (await once(socket, 'data')) as [Buffer];
      answers.push(data.toString().split('\r\n\r\n')[1] ?? '');
    }
    expect(answers).toEqual([
      '{"NodeNames":["n1","n2"],"FailedNodes":{},"FailedAndUnresolvableNodes":{}}',
      '[]',
    ]);
    expect(world.passes).toEqual(['overload', 'overload']);
    expect(world.outcomes).toEqual(['filter passed', 'prioritize passed']);
    socket.destroy();
    await world.stop();
  });

  test('are refused like any other where their answer takes the whole body and it is not JSON', async () => {
    const world = await ExtenderWorld.start({ maxInFlight: 0 });
    const response = await fetch(`${world.url}/scheduler/preempt`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: broken,
    });
    expect(response.status).toBe(400);
    expect(world.outcomes).toEqual(['preempt invalid']);
    await world.stop();
  });
});
