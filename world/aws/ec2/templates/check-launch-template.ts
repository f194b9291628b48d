/** What EC2 refuses when a launch template is written. */
import type { QueryNode } from '../../protocol/query.js';
import { ServiceError } from '../../model/service-error.js';

/** Before base64 (EC2 user guide, user data). */
const MAX_USER_DATA_BYTES = 16_384;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** @throws ServiceError InvalidLaunchTemplateName.MalformedException. */
export function checkTemplateName(name: string): string {
  if (/^[a-zA-Z0-9().\-/_]{3,128}$/.test(name)) return name;
  throw new ServiceError(
    'InvalidLaunchTemplateName.MalformedException',
    `A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following characters: ( ) . / - _ (was ${name})`,
  );
}

/** @throws ServiceError MissingParameter when there is nothing in it; InvalidUserData.Malformed. */
export function checkTemplateData(data: QueryNode): QueryNode {
  if (data.isEmpty)
    throw new ServiceError('MissingParameter', 'The request must contain the parameter LaunchTemplateData');
  decodeUserData(data.text('UserData') ?? '');
  return data;
}

/** The text of user data. @throws ServiceError InvalidUserData.Malformed, when it is not base64 or too long. */
export function decodeUserData(encoded: string): string {
  if (!BASE64.test(encoded))
    throw new ServiceError('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_USER_DATA_BYTES)
    throw new ServiceError('InvalidUserData.Malformed', 'User data is limited to 16384 bytes');
  return bytes.toString();
}
