import { standInCredentials } from '../../../../../src/clouds/aws/adapter/client/credentials.js';

const LOCAL = { endpoint: 'http://127.0.0.1:4566', isInProcess: false, environment: {} };

test.each(['http://127.0.0.1:4566', 'http://localhost:1', 'http://[::1]:80', 'https://127.8.9.10'])(
  'a simulator at %s is told a made-up name',
  (endpoint) => {
    expect(standInCredentials({ ...LOCAL, endpoint })).toBeDefined();
  },
);

test('calls that stay in the process need no name', () => {
  expect(standInCredentials({ endpoint: undefined, isInProcess: true, environment: {} })).toBeDefined();
});

test.each([undefined, 'https://ec2.eu-west-3.amazonaws.com', 'http://127.evil.example', 'not a URL'])(
  'nobody is made up for the endpoint %s',
  (endpoint) => {
    expect(standInCredentials({ ...LOCAL, endpoint })).toBeUndefined();
  },
);

test.each(['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'])(
  'who set %s meant it, at a loopback address, too',
  (name) => {
    expect(standInCredentials({ ...LOCAL, environment: { [name]: 'x' } })).toBeUndefined();
    expect(standInCredentials({ ...LOCAL, environment: { [name]: '' } })).toBeDefined();
  },
);
