/** Who Berth says it is. */

export interface StaticCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Any of them makes the SDK find credentials, or fail with the reason. */
const VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** For a simulator, which does not check credentials. */
const ANY_CREDENTIALS: StaticCredentials = { accessKeyId: 'berth', secretAccessKey: 'berth' };

export interface CredentialsQuestion {
  readonly endpoint: string | undefined;
  /** Calls never leave this process. */
  readonly isInProcess: boolean;
  readonly environment: Environment;
}

/**
 * Made-up credentials for a simulator, that is, in this process or on a loopback address where the environment names none;
 * else undefined: the SDK's chain finds them (environment, web identity, container, profile, instance metadata).
 */
export function standInCredentials(question: CredentialsQuestion): StaticCredentials | undefined {
  const { endpoint, isInProcess, environment } = question;
  if (isInProcess) return ANY_CREDENTIALS;
  if (endpoint === undefined || !isLoopback(endpoint)) return undefined;
  return VARIABLES.some((name) => (environment[name] ?? '') !== '') ? undefined : ANY_CREDENTIALS;
}

function isLoopback(endpoint: string): boolean {
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
