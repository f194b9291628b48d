/** What the API server refuses, as the Status that kubectl prints (apimachinery's pkg/api/errors). */
import { compact, type JsonObject } from './json.js';

/** What a Status says it is about: the resource `pods` of group ``, or where a whole object is wrong, its kind. */
export interface Subject {
  readonly group: string;
  readonly resource: string;
}

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string | undefined;
}

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export class ApiError extends Error {
  /** The HTTP status. */
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: StatusDetails;

  /** A Status without a reason has no details either. */
  constructor(code: number, reason: string | undefined, message: string, details: StatusDetails = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** As it goes over the wire. */
  status(): JsonObject {
    const { code, reason, message, details } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason !== undefined && { reason, details: compact({ ...details }) }),
      code,
    };
  }
}

/** `deployments.apps`, `pods`. */
export function qualified({ group, resource }: Subject): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function detailsOf({ group, resource }: Subject, name: string): StatusDetails {
  return { name, ...(group !== '' && { group }), kind: resource };
}

export function notFound(subject: Subject, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualified(subject)} "${name}" not found`, detailsOf(subject, name));
}

/** The path names nothing that is served. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource');
}

export function alreadyExists(subject: Subject, name: string): ApiError {
  const message = `${qualified(subject)} "${name}" already exists`;
  return new ApiError(409, 'AlreadyExists', message, detailsOf(subject, name));
}

export function conflict(subject: Subject, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, detailsOf(subject, name));
}

export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(subject: Subject, name: string, why: string): ApiError {
  const named = name === '' ? '' : ` "${name}"`;
  const message = `${qualified(subject)}${named} is forbidden: ${why}`;
  return new ApiError(403, 'Forbidden', message, detailsOf(subject, name));
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function methodNotAllowed(method: string): ApiError {
  const message = `the server does not allow this method on the requested resource: ${method}`;
  return new ApiError(405, 'MethodNotAllowed', message);
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

/** A JSON patch whose test failed, or that does not fit the object. */
export function unprocessable(): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError(422, 'Invalid', message);
}
