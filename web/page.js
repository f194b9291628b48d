/** The page: joins the stream, the model and the views, and draws at most once a frame. */
import { Chart } from './chart.js';
import { Colours } from './colours.js';
import { costEntries, decisionEntries, drawTotals, KeyedList, pendingEntries } from './lists.js';
import { NodeMap } from './map.js';
import { Model } from './model.js';
import { StoryPanel } from './story.js';
import { follow, timeline } from './stream.js';
import { element, setText } from './words.js';

/** Lists and chart need not keep up with every change. */
const LISTS_MILLIS = 400;
const MOST_COLOURS = 14;

const byID = (id) => document.getElementById(id);
const model = new Model();
const colours = { namespace: new Colours(), pool: new Colours() };
let colourBy = 'namespace';

const map = new NodeMap(byID('map'), model, (pod, box) =>
  colourBy === 'namespace' ? colours.namespace.of(pod.namespace) : colours.pool.of(box.pool),
);
const chart = new Chart(byID('chart'), byID('moment'));
const story = new StoryPanel(byID('story'));
const lists = {
  pending: new KeyedList(byID('pending-list')),
  cost: new KeyedList(byID('cost-list')),
  decisions: new KeyedList(byID('decision-list')),
  legend: new KeyedList(byID('legend')),
};

let status = 'lost';
let isAsked = false;
let listedAt = -Infinity;

/** Draws with the next frame, however often it is asked for before. */
function ask() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    map.draw();
    drawTotals(model);
    if (performance.now() - listedAt >= LISTS_MILLIS) drawLists();
    else setTimeout(ask, LISTS_MILLIS);
  });
}

function drawLists() {
  listedAt = performance.now();
  drawStatus();
  lists.pending.draw(pendingEntries(model));
  lists.cost.draw(costEntries(model, (namespace) => colours.namespace.of(namespace)));
  lists.decisions.draw(decisionEntries(model));
  lists.legend.draw(legendEntries());
  chart.draw(model);
  story.refresh();
}

function drawStatus() {
  const { failures, paused, synced } = model;
  const hasFailed = status === 'live' && failures !== null;
  byID('status').className = `status ${status}${hasFailed ? ' failing' : ''}`;
  const live = synced ? (paused ?? 'live') : 'live, the cluster is still being listed';
  setText(byID('status'), status === 'live' ? live : 'connection lost, trying again');
  byID('failures').hidden = !hasFailed;
  if (hasFailed) setText(byID('failures'), failureText(failures));
}

function failureText({ count, last }) {
  const times = count === 1 ? 'once' : `${String(count)} times`;
  return `Berth failed ${times} in the last ten minutes. The last: ${last.text}`;
}

function legendEntries() {
  const names =
    colourBy === 'namespace'
      ? [...new Set([...model.pods.values()].map(({ namespace }) => namespace))]
      : [...new Set([...model.boxes.values()].map(({ pool }) => pool))];
  const shown = names.sort().slice(0, MOST_COLOURS);
  const entries = shown.map((name) =>
    legendEntry(name, `swatch ${colours[colourBy].of(name)}`, name === '' ? 'other nodes' : name),
  );
  const more = names.length - shown.length;
  return [
    ...entries,
    ...(more > 0 ? [legendEntry(' more', 'swatch', `${String(more)} more`)] : []),
    legendEntry(' planned', 'swatch planned', 'to come'),
  ];
}

function legendEntry(key, className, text) {
  const swatch = element('i', { class: className, 'aria-hidden': 'true' });
  return {
    key: `${key} ${className}`,
    text: `${className} ${text}`,
    make: () => element('li', {}, swatch, text),
  };
}

/** Largest first, so that the namespaces that matter most have colours of their own. */
function chooseColours({ pods }) {
  const counts = new Map();
  for (const { namespace } of pods) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  for (const [namespace] of [...counts].sort((a, b) => b[1] - a[1])) colours.namespace.of(namespace);
}

for (const input of document.querySelectorAll('input[name=colour]')) {
  input.addEventListener('change', () => {
    colourBy = document.querySelector('input[name=colour]:checked').value;
    map.redraw();
    drawLists();
  });
}
addEventListener('resize', ask);

follow({
  onStatus: (now) => {
    status = now;
    drawStatus();
  },
  onSnapshot: (snapshot) => {
    chooseColours(snapshot);
    model.replace(snapshot);
    void timeline().then((points) => {
      model.recall(points);
      ask();
    });
    if (byID('story').hidden) void story.open();
    ask();
  },
  onChange: (change) => {
    model.apply(change);
    ask();
  },
});
