/** The region of the EC2 instance that this process runs on, from its metadata service (IMDSv2). */
import { request } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';

/** The address of the service on every instance; AWS_EC2_METADATA_SERVICE_ENDPOINT names another one, as for AWS' SDKs. */
const ENDPOINT = 'http://169.254.169.254';
/** Of each of the two requests. Elsewhere than on EC2, or behind a hop limit of 1, nothing answers. */
const TIMEOUT_MILLIS = 1000;
const TOKEN_SECONDS = '60';

type Environment = Readonly<Record<string, string | undefined>>;

/** undefined: there is no such service here, it may not be asked, or it does not answer in time. */
export async function instanceRegion(environment: Environment = process.env): Promise<string | undefined> {
  if (environment['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined;
  const endpoint = environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? ENDPOINT;
  try {
    const seconds = { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS };
    const token = await answer('PUT', new URL('/latest/api/token', endpoint), seconds);
    const path = new URL('/latest/meta-data/placement/region', endpoint);
    const region = await answer('GET', path, { 'x-aws-ec2-metadata-token': token });
    return /^[a-z]{2}(-[a-z]+)+-\d{1,2}$/.test(region) ? region : undefined;
  } catch {
    // A missing region is reported with the flag that gives it.
    return undefined;
  }
}

function answer(method: string, url: URL, headers: Readonly<Record<string, string>>): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLIS);
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false, signal }, (response) => {
      text(response).then((body) => {
        if (response.statusCode === 200) resolve(body.trim());
        else reject(new Error(`${url.pathname}: status ${String(response.statusCode)}`));
      }, reject);
    })
      .on('error', reject)
      .end();
  });
}
