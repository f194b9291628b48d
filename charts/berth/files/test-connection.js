// What `helm test` runs in a pod: metrics and webhooks answer; without WEBHOOK_URL there are no webhooks. Their certificate is Berth's
// own, of a CA that this pod does not have; that it is asked for a path that it does not serve, and says so, shows that Berth answers.
import { get } from 'node:https';
import process from 'node:process';

const SECONDS = 10;
const { METRICS_URL, WEBHOOK_URL } = process.env;

async function metrics() {
  const answer = await fetch(METRICS_URL, { signal: AbortSignal.timeout(SECONDS * 1000) });
  const page = await answer.text();
  if (!page.includes('berth_build_info')) throw new Error(`${METRICS_URL}: not Berth's metrics`);
}

function webhook() {
  return new Promise((resolve, reject) => {
    const request = get(
      `${WEBHOOK_URL}/`,
      { rejectUnauthorized: false, timeout: SECONDS * 1000 },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 404) resolve();
        else reject(new Error(`${WEBHOOK_URL}: status ${answer.statusCode}, not 404`));
      },
    );
    request.on('timeout', () => request.destroy(new Error(`${WEBHOOK_URL}: no answer in ${SECONDS} s`)));
    request.on('error', reject);
  });
}

let failed = false;
for (const [name, check] of Object.entries({ metrics, ...(WEBHOOK_URL && { webhook }) })) {
  try {
    await check();
    console.log(`${name}: ok`);
  } catch (error) {
    failed = true;
    console.error(`${name}: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
  }
}
process.exitCode = failed ? 1 : 0;
