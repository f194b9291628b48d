/**
 * Required into Berth by the bench alone. Measures the event loop of the main thread: how long each piece of work holds it, by the
 * clock and by the thread's own processor time, and writes a line every half second to $BERTH_PROBE/loop.jsonl. SIGUSR2 begins a CPU
 * profile, and the next one ends it ($BERTH_PROBE/main-N.cpuprofile).
 */
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');
const fs = require('node:fs');
const { performance } = require('node:perf_hooks');

const FLUSH_MILLIS = 500;
// Threads inherit what is required, but not the environment: they tell the main thread.
const channel = new BroadcastChannel('berth-probe');
channel.unref();
if (!isMainThread)
  setInterval(() => {
    channel.postMessage({ threadId, heapUsed: process.memoryUsage().heapUsed });
  }, FLUSH_MILLIS).unref();

const folder = process.env.BERTH_PROBE;
if (isMainThread && folder !== undefined) {
  const EVERY_MILLIS = 5;
  /** Shorter pieces are counted only. */
  const LEAST_MILLIS = 2;
  const out = fs.openSync(`${folder}/loop.jsonl`, 'w');

  // The first number is the nanoseconds that the thread ran.
  const schedule = fs.openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  const ownMillis = () => {
    const length = fs.readSync(schedule, text, 0, text.length, 0);
    return Number(text.toString('latin1', 0, text.indexOf(32, 0) < 0 ? length : text.indexOf(32, 0))) / 1e6;
  };

  let ticks = 0;
  let pieces = [];
  let last = performance.now();
  let lastOwn = ownMillis();
  const tick = () => {
    const at = performance.now();
    const own = ownMillis();
    ticks++;
    const [wall, cpu] = [at - last - EVERY_MILLIS, own - lastOwn];
    if (wall > LEAST_MILLIS || cpu > LEAST_MILLIS) pieces.push([+wall.toFixed(1), +cpu.toFixed(1)]);
    [last, lastOwn] = [at, own];
    setTimeout(tick, EVERY_MILLIS).unref();
  };
  setTimeout(tick, EVERY_MILLIS).unref();

  /** Thread → bytes. */
  let threads = {};
  channel.onmessage = ({ data }) => {
    threads[data.threadId] = data.heapUsed;
  };

  const flush = () => {
    const { heapUsed, rss, external, heapTotal, arrayBuffers } = process.memoryUsage();
    fs.writeSync(
      out,
      `${JSON.stringify({ at: Date.now(), ticks, pieces, heapUsed, threads, rss, external, heapTotal, arrayBuffers })}\n`,
    );
    threads = {};
    ticks = 0;
    pieces = [];
  };
  setInterval(flush, FLUSH_MILLIS).unref();
  process.on('exit', flush);

  process.on('SIGWINCH', () => require('node:v8').writeHeapSnapshot(`${folder}/main.heapsnapshot`));
  let session;
  let profiles = 0;
  process.on('SIGUSR2', () => {
    if (session === undefined) {
      const { Session } = require('node:inspector');
      session = new Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: 1000 });
      session.post('Profiler.start');
      return;
    }
    const ended = session;
    session = undefined;
    ended.post('Profiler.stop', (_, result) => {
      const file = `${folder}/main-${profiles++}.cpuprofile`;
      if (result !== undefined) fs.writeFileSync(`${file}.part`, JSON.stringify(result.profile));
      if (result !== undefined) fs.renameSync(`${file}.part`, file);
      ended.disconnect();
    });
  });
}
