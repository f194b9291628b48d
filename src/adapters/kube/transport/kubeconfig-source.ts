/** Reads how to connect from a kubeconfig or from the pod that we run in, again each minute, since tokens are rotated. */
import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { plainObject } from '../../../apis/decode/plain.js';
import type { Clock } from '../../../ports/clock.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import { parseServer, type KubeConnection, type KubeConnectionSource } from './connection.js';

/** As client-go does with token files; certificates and the tokens of plugins are looked at as often. */
const REREAD_MILLIS = 60_000;
/** A credential plugin may ask a slow service, but not forever. */
const LOAD_TIMEOUT_MILLIS = 30_000;

export interface KubeconfigSourceOptions {
  readonly clock: Clock;
  /** Path of a kubeconfig. Else: the environment's KUBECONFIG, ~/.kube/config, the pod's ServiceAccount. */
  readonly file?: string | undefined;
  /** Else the current one. */
  readonly context?: string | undefined;
}

interface Loaded {
  readonly config: KubeConfig;
  readonly connection: KubeConnection;
  /** By the monotonic clock. */
  readonly at: number;
}

export class KubeconfigSource implements KubeConnectionSource {
  readonly #options: KubeconfigSourceOptions;
  #loaded: Loaded | undefined;
  #loading: Promise<KubeConnection> | undefined;

  constructor(options: KubeconfigSourceOptions) {
    this.#options = options;
  }

  current(): Promise<KubeConnection> {
    const loaded = this.#loaded;
    if (loaded === undefined) return this.#load(undefined);
    if (this.#options.clock.monotonic() - loaded.at < REREAD_MILLIS)
      return Promise.resolve(loaded.connection);
    // What cannot be read just now (a file in the middle of being replaced) may well still be valid: the server decides.
    return this.#load(loaded.config).catch(() => loaded.connection);
  }

  async reload(refused: KubeConnection): Promise<KubeConnection> {
    await this.#loading?.catch(() => undefined);
    const known = this.#loaded?.connection;
    return known === undefined || known === refused ? this.#load(undefined) : known;
  }

  /** Everyone who asks while it is being read waits for the same answer. */
  #load(known: KubeConfig | undefined): Promise<KubeConnection> {
    this.#loading ??= this.#read(known).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(known: KubeConfig | undefined): Promise<KubeConnection> {
    try {
      const config = known ?? (await readKubeconfig(this.#options));
      const connection = await this.#limited(connectionOf(config));
      this.#loaded = { config, connection, at: this.#options.clock.monotonic() };
      return connection;
    } catch (error) {
      if (hasCode(error, 'Invalid', 'Unauthorized')) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new PortError('Unauthorized', { operation: 'read credentials', message, cause: error });
    }
  }

  #limited<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.timer(LOAD_TIMEOUT_MILLIS, () => {
        reject(new Error(`no answer within ${String(LOAD_TIMEOUT_MILLIS)} ms`));
      });
      work.then(resolve, reject).finally(cancel);
    });
  }
}

async function readKubeconfig({ file, context }: KubeconfigSourceOptions): Promise<KubeConfig> {
  // Loaded when needed: the package takes a second and 70 MB, which commands that never connect should not pay.
  const { KubeConfig: Config } = await import('@kubernetes/client-node/dist/config.js');
  const config = new Config();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  if (context !== undefined) config.setCurrentContext(context);
  if (file !== undefined) await followTokenFiles(config, file);
  return config;
}

/** The client package reads `token-file` once; what kubectl knows is `tokenFile`, and it is followed. */
async function followTokenFiles(config: KubeConfig, file: string): Promise<void> {
  const users = plainObject(parse(await readFile(file, 'utf8')))?.['users'];
  const tokenFiles = new Map<unknown, string>();
  for (const entry of Array.isArray(users) ? (users as readonly unknown[]) : []) {
    const path = plainObject(plainObject(entry)?.['user'])?.['tokenFile'];
    if (typeof path === 'string') tokenFiles.set(plainObject(entry)?.['name'], path);
  }
  config.users = config.users.map((user) => {
    const path = tokenFiles.get(user.name);
    if (path === undefined) return user;
    const tokenFile = isAbsolute(path) ? path : join(dirname(file), path);
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile } } };
  });
}

async function connectionOf(config: KubeConfig): Promise<KubeConnection> {
  const cluster = config.getCurrentCluster();
  const context = config.getCurrentContext();
  if (cluster === null)
    throw invalid(
      `the kubeconfig has no cluster for its context ${JSON.stringify(context)} (contexts: ${
        config
          .getContexts()
          .map(({ name }) => name)
          .join(', ') || 'none'
      })`,
    );
  // As all fields that a kubeconfig leaves out, it may be null or undefined, whatever the package's types say.
  if (typeof cluster.proxyUrl === 'string')
    throw invalid(`the kubeconfig's cluster ${cluster.name} has proxy-url, which is not supported`);
  const server = parseServer(cluster.server);
  // The package takes http:// only from clusters that skip verification; parseServer has decided about it already.
  if (server.protocol === 'http:') Object.assign(cluster, { skipTLSVerify: true });
  const options: RequestOptions & { servername?: string } = { headers: {} };
  await config.applyToHTTPSOptions(options);
  return {
    server,
    tls: {
      ca: pem(options.ca),
      cert: pem(options.cert),
      key: pem(options.key),
      serverName: options.servername,
      verify: options.rejectUnauthorized !== false,
    },
    headers: headersOf(options),
  };
}

function invalid(message: string): PortError {
  return new PortError('Invalid', { operation: 'read kubeconfig', message });
}

/** The package answers Buffers of PEM. */
function pem(material: RequestOptions['ca'] | RequestOptions['key']): string | undefined {
  return Buffer.isBuffer(material) ? material.toString('utf8') : undefined;
}

function headersOf({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) result[name.toLowerCase()] = String(value).trim();
  }
  if (typeof auth === 'string') {
    result['authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`;
  }
  return result;
}
