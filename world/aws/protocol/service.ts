/** A simulated service apart from its protocol, and a protocol apart from any service. */
import type { WireAnswer, WireRequest } from '../../wire/wire.js';
import type { Fault } from '../faults/fault-plan.js';
import type { ServiceError } from '../model/service-error.js';

export interface Protocol<I, O> {
  /** @throws ServiceError when the request cannot be read. */
  read(request: WireRequest): I;
  answer(action: string, output: O, requestID: string): WireAnswer;
  refuse(error: ServiceError, requestID: string): WireAnswer;
}

export interface Service<I, O> {
  /** As policies spell it: `ec2`. */
  readonly name: string;
  readonly protocol: Protocol<I, O>;
  /** @throws ServiceError when the answer is an error; unknown actions too. */
  readonly act: (action: string, input: I, call: CallContext) => O | Promise<O>;
}

/** A service behind its protocol. */
export interface Endpoint {
  readonly name: string;
  answer(action: string, request: WireRequest, call: CallContext): Promise<WireAnswer>;
  refuse(error: ServiceError, requestID: string): WireAnswer;
}

export interface CallContext {
  readonly requestID: string;
  readonly signal: AbortSignal;
  /** That the call meets. */
  readonly faults: readonly Fault[];
}

export function endpointOf<I, O>({ name, protocol, act }: Service<I, O>): Endpoint {
  return {
    name,
    answer: async (action, request, call) =>
      protocol.answer(action, await act(action, protocol.read(request), call), call.requestID),
    refuse: (error, requestID) => protocol.refuse(error, requestID),
  };
}
