/** The region of an EC2 instance, from a metadata service on loopback. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instanceRegion } from '../../../../../src/clouds/aws/adapter/index.js';

const TOKEN = 'session-token';

describe('the region of the instance', () => {
  let server: Server;
  let asked: string[];
  let region: string;
  let status: number;

  beforeEach(async () => {
    asked = [];
    region = 'eu-west-3';
    status = 200;
    server = createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      response.writeHead(status).end(answerTo(request));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    server.close();
  });

  function answerTo({ method, headers }: IncomingMessage): string {
    if (method === 'PUT') return headers['x-aws-ec2-metadata-token-ttl-seconds'] === '60' ? TOKEN : '';
    return headers['x-aws-ec2-metadata-token'] === TOKEN ? `${region}\n` : '';
  }

  function environment(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    const { port } = server.address() as AddressInfo;
    return { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${String(port)}`, ...more };
  }

  test('is asked for with a session token', async () => {
    expect(await instanceRegion(environment())).toBe('eu-west-3');
    expect(asked).toEqual(['PUT /latest/api/token', 'GET /latest/meta-data/placement/region']);
  });

  test.each(['us-gov-west-1', 'ap-southeast-7', 'us-isob-east-1'])('may be %s', async (name) => {
    region = name;
    expect(await instanceRegion(environment())).toBe(name);
  });

  test.each([
    ['the service refuses', { status: 403, region: 'eu-west-3' }],
    ['the answer is no region', { status: 200, region: '<html>' }],
  ])('is unknown where %s', async (_, answers) => {
    ({ status, region } = answers);
    expect(await instanceRegion(environment())).toBeUndefined();
  });

  test('is not asked for where the environment says so', async () => {
    expect(await instanceRegion(environment({ AWS_EC2_METADATA_DISABLED: 'true' }))).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('is unknown where nothing listens, or the address is none', async () => {
    const settings = environment();
    await new Promise((resolve) => server.close(resolve));
    expect(await instanceRegion(settings)).toBeUndefined();
    expect(await instanceRegion({ AWS_EC2_METADATA_SERVICE_ENDPOINT: 'not an address' })).toBeUndefined();
  });
});
