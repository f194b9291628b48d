/** The AWS SDK's way to a wire handler in the same process: no sockets, no clock. */
import { inProcessHandler } from './in-process-handler.js';
import type { SdkRequestHandler } from '../../src/clouds/aws/adapter/index.js';
import type { WireAnswer, WireHandler } from '../../world/wire/wire.js';

/** A requestHandler for SDK clients. An aborted signal comes out as an AbortError, as from the SDK's own handler. */
export function inProcessAws(handle: WireHandler): SdkRequestHandler {
  return inProcessHandler((request, signal) => asAbortError(handle(request, signal), signal));
}

export interface InProcessConfig {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts: number;
  readonly requestHandler: SdkRequestHandler;
}

/** What every SDK client needs to speak to a simulator in this process, without retries of its own. */
export function inProcessConfig(handle: WireHandler, region = 'eu-west-3'): InProcessConfig {
  return {
    region,
    endpoint: 'http://aws.simulator.test',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    maxAttempts: 1,
    requestHandler: inProcessAws(handle),
  };
}

async function asAbortError(answer: Promise<WireAnswer>, signal: AbortSignal): Promise<WireAnswer> {
  try {
    return await answer;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw Object.assign(new Error('Request aborted', { cause: error }), { name: 'AbortError' });
  }
}
