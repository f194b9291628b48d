/** The SDK's clients, one for each service, each made when first used; without retries of their own. */
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { PricingClient } from '@aws-sdk/client-pricing';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { StaticCredentials } from './credentials.js';
import type { ServiceName } from './operations.js';
import { SignedService } from './signed-service.js';

export interface ServiceClients {
  readonly 'arc-zonal-shift': SignedService;
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly events: SignedService;
  readonly iam: IAMClient;
  readonly pricing: PricingClient;
  readonly sqs: SQSClient;
  readonly ssm: SSMClient;
  readonly sts: SignedService;
}

/** The part of the SDK's requests that matters here. */
export interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** What the SDK takes as `requestHandler`. */
export interface SdkRequestHandler {
  handle(
    request: SdkRequest,
    options?: { readonly abortSignal?: unknown },
  ): Promise<{ readonly response: SdkResponse }>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

export interface SdkOptions {
  readonly region: string;
  /** Of all services. */
  readonly endpoint: string | undefined;
  /** undefined: the SDK's chain. */
  readonly credentials: StaticCredentials | undefined;
  /** In place of HTTP. */
  readonly requestHandler: SdkRequestHandler | undefined;
  /** Whether sockets have time-outs, in the host's time. */
  readonly hasTimeouts: boolean;
  /** What the HTTP client has to say. */
  readonly warn: (text: string) => void;
}

const CONNECTION_MILLIS = 3_000;
/** CreateFleet answers in seconds; when it does not, it is looked up by tag rather than waited for. */
const REQUEST_MILLIS = 30_000;
/** Between two pieces of an answer. */
const SILENCE_MILLIS = 30_000;

const TIMEOUTS = {
  connectionTimeout: CONNECTION_MILLIS,
  requestTimeout: REQUEST_MILLIS,
  // Without it the SDK says that it waits too long, and waits on.
  throwOnRequestTimeout: true,
  socketTimeout: SILENCE_MILLIS,
};
const NO_TIMEOUTS = { connectionTimeout: 0, requestTimeout: 0, socketTimeout: 0 };

/** The clients; `close` ends their connections. */
export class SdkClients implements ServiceClients {
  readonly #options: SdkOptions;
  readonly #made = new Map<ServiceName, { destroy(): void }>();

  constructor(options: SdkOptions) {
    this.#options = options;
  }

  get 'arc-zonal-shift'(): SignedService {
    return this.#signed('arc-zonal-shift');
  }

  get ec2(): EC2Client {
    return this.#client('ec2', (config) => new EC2Client(config));
  }

  get eks(): EKSClient {
    return this.#client('eks', (config) => new EKSClient(config));
  }

  get events(): SignedService {
    return this.#signed('events');
  }

  get iam(): IAMClient {
    return this.#client('iam', (config) => new IAMClient(config));
  }

  get pricing(): PricingClient {
    const region = pricingRegion(this.#options.region);
    return this.#client('pricing', (config) => new PricingClient({ ...config, region }));
  }

  get sqs(): SQSClient {
    return this.#client('sqs', (config) => new SQSClient(config));
  }

  get ssm(): SSMClient {
    return this.#client('ssm', (config) => new SSMClient(config));
  }

  get sts(): SignedService {
    return this.#signed('sts');
  }

  close(): void {
    for (const client of this.#made.values()) client.destroy();
    this.#made.clear();
  }

  /** Its requests go the way of EKS' client: the same credentials, and the same sockets. */
  #signed(service: 'arc-zonal-shift' | 'events' | 'sts'): SignedService {
    const { region, endpoint } = this.#options;
    return new SignedService({ service, region, endpoint, means: this.eks.config });
  }

  #client<C extends Exclude<ServiceClients[ServiceName], SignedService>>(
    name: ServiceName,
    make: (config: ReturnType<typeof sdkConfig>) => C,
  ): C {
    const known = this.#made.get(name);
    if (known !== undefined) return known as C;
    const client = make(sdkConfig(this.#options));
    refuseWebPages(client);
    this.#made.set(name, client);
    return client;
  }
}

function sdkConfig({ region, endpoint, credentials, requestHandler, hasTimeouts, warn }: SdkOptions) {
  const quiet = (): void => undefined;
  const common = {
    region,
    maxAttempts: 1,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  };
  if (requestHandler !== undefined) return { ...NO_FILES, ...common, requestHandler };
  return {
    ...common,
    requestHandler: {
      ...(hasTimeouts ? TIMEOUTS : NO_TIMEOUTS),
      logger: { trace: quiet, debug: quiet, info: quiet, warn, error: warn },
    },
  };
}

/**
 * All that the SDK would look for in files. In a simulated world a call must not wait for the disk: time could pass meanwhile, and
 * two runs would differ.
 */
const NO_FILES = {
  endpoint: 'http://aws.invalid',
  retryMode: 'standard',
  defaultsMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: () => Promise.resolve(undefined),
  authSchemePreference: [] as string[],
} as const;

/**
 * The price list has few endpoints; each knows the prices of all regions of its partition.
 * https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html
 */
function pricingRegion(region: string): string {
  if (region.startsWith('cn-')) return 'cn-northwest-1';
  if (region.startsWith('eu-')) return 'eu-central-1';
  if (region.startsWith('ap-')) return 'ap-south-1';
  return 'us-east-1';
}

/** The part of an SDK client that is used here. */
interface HasMiddleware {
  readonly middlewareStack: {
    add(
      middleware: (next: Next) => Next,
      where: { readonly step: 'deserialize'; readonly priority: 'low'; readonly name: string },
    ): void;
  };
}

type Next = (args: never) => Promise<{ response: unknown }>;

/** Has the client fail on answers of type text/html, before it looks at them. */
function refuseWebPages(client: HasMiddleware): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers, statusCode } = result.response as {
        readonly headers: Readonly<Record<string, string>>;
        readonly statusCode: number;
      };
      const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
      if (type?.startsWith('text/html') === true)
        throw Object.assign(new Error('the response is a web page'), {
          name: 'WebPage',
          $metadata: { httpStatusCode: statusCode },
        });
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'refuseWebPages' },
  );
}
