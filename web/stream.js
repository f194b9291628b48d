/** Keeps the model told by the server, and comes back when the stream breaks. */

/** What is waited for between attempts, once the browser has given up. */
const RETRY_MILLIS = 3000;
/** Ticks come every two seconds: after so long without any the stream is dead. */
const SILENCE_MILLIS = 15_000;

/**
 * Follows `/api/events` for as long as the page lives.
 * @param {{ onSnapshot: (data: any) => void, onChange: (data: any) => void, onStatus: (status: 'live' | 'lost') => void }} listener
 */
export function follow({ onSnapshot, onChange, onStatus }) {
  let source = new EventSource('api/events');
  let heardAt = performance.now();
  const hear = (tell) => (event) => {
    heardAt = performance.now();
    tell(JSON.parse(event.data));
  };
  const listen = () => {
    source.addEventListener(
      'snapshot',
      hear((data) => {
        onStatus('live');
        onSnapshot(data);
      }),
    );
    source.addEventListener('change', hear(onChange));
    source.addEventListener('tick', hear(onChange));
    source.addEventListener('error', () => onStatus('lost'));
  };
  listen();
  setInterval(() => {
    const isSilent = performance.now() - heardAt > SILENCE_MILLIS;
    if (source.readyState !== EventSource.CLOSED && !isSilent) return;
    source.close();
    onStatus('lost');
    heardAt = performance.now();
    source = new EventSource('api/events');
    listen();
  }, RETRY_MILLIS);
}

/** The history. Empty when it cannot be loaded: the page then starts its own. */
export async function timeline() {
  try {
    const answer = await fetch('api/timeline');
    return answer.ok ? (await answer.json()).points : [];
  } catch {
    return [];
  }
}

/** What `--mode observe` found; undefined where nothing is observed, or it cannot be loaded. */
export async function observation() {
  try {
    const answer = await fetch('api/observation');
    return answer.ok ? ((await answer.json()).observation ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The story of an object; undefined when there is none.
 * @param {{ kind: string, namespace: string, name: string }} ref
 */
export async function story({ kind, namespace, name }) {
  const path = [kind, ...(namespace === '' ? [] : [namespace]), name].map(encodeURIComponent).join('/');
  try {
    const answer = await fetch(`api/stories/${path}`);
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}
