/** The page: joins the stream, the model and the views, and draws at most once a frame. */
import { Chart } from './chart.js';
import { Colours } from './colours.js';
import { costEntries, decisionEntries, drawTotals, KeyedList, pendingEntries } from './lists.js';
import { isMarked, markOf, MARKS, NodeMap } from './map.js';
import { Model } from './model.js';
import { ObservationPanel } from './observation.js';
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
/** The namespace whose pods alone are shown; undefined: all. */
let shownNamespace;

const map = new NodeMap(byID('map'), model, (pod, box) =>
  colourBy === 'namespace' ? colours.namespace.of(pod.namespace) : colours.pool.of(box.pool),
);
const chart = new Chart(byID('chart'), byID('moment'));
const story = new StoryPanel(byID('story'));
const observed = new ObservationPanel(byID('observation'));
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
    learnColours();
    map.draw();
    drawTotals(model);
    if (performance.now() - listedAt >= LISTS_MILLIS) drawLists();
    else setTimeout(ask, LISTS_MILLIS);
  });
}

function drawLists() {
  listedAt = performance.now();
  const hasCost = model.cost?.rows.some(({ key }) => key === shownNamespace) === true;
  if (shownNamespace !== undefined && !hasCost) show(undefined);
  drawStatus();
  lists.pending.draw(pendingEntries(model));
  const colourOf = (namespace) => colours.namespace.of(namespace);
  lists.cost.draw(costEntries(model, { colourOf, shown: shownNamespace, onChoose: chooseNamespace }));
  lists.decisions.draw(decisionEntries(model));
  lists.legend.draw(legendEntries());
  chart.draw(model);
  story.refresh();
}

function drawStatus() {
  const { failures, paused, synced } = model;
  const hasFailed = status === 'live' && failures !== null;
  byID('status').className = `status ${status}${hasFailed ? ' failing' : ''}`;
  const live = synced ? (paused ?? 'live') : 'live, still syncing';
  setText(byID('status'), status === 'live' ? live : 'connection lost, reconnecting');
  byID('failures').hidden = !hasFailed;
  if (hasFailed) setText(byID('failures'), failureText(failures));
}

function failureText({ count, last }) {
  const times = count === 1 ? 'once' : `${String(count)} times`;
  return `Berth failed ${times} in the last ten minutes. Latest: ${last.text}`;
}

function legendEntries() {
  const boxes = [...model.boxes.values()];
  const names =
    colourBy === 'namespace'
      ? [...new Set([...model.pods.values()].map(({ namespace }) => namespace))]
      : [...new Set(boxes.map(({ pool }) => pool))];
  const shown = names.sort().slice(0, MOST_COLOURS);
  const entries = shown.map((name) =>
    legendEntry(name, `swatch ${colours[colourBy].of(name)}`, name === '' ? 'other nodes' : name),
  );
  const more = names.length - shown.length;
  return [
    ...entries,
    ...(more > 0 ? [legendEntry(' more', 'swatch', `${String(more)} more`)] : []),
    legendEntry(' planned', 'swatch planned', 'planned'),
    ...MARKS.filter(({ key }) => boxes.some((box) => isMarked(box, key))).map(markEntry),
  ];
}

function markEntry({ key }) {
  return { key: ` ${key}`, text: key, make: () => element('li', {}, markOf(key), key) };
}

function legendEntry(key, className, text) {
  const swatch = element('i', { class: className, 'aria-hidden': 'true' });
  return {
    key: `${key} ${className}`,
    text: `${className} ${text}`,
    make: () => element('li', {}, swatch, text),
  };
}

/** Names that have come get colours; where that changes another's colour, all is drawn again. */
function learnColours() {
  const { pods, boxes } = model;
  const hasChanged = colours.namespace.learn(new Set([...pods.values()].map(({ namespace }) => namespace)));
  if (colours.pool.learn(new Set([...boxes.values()].map(({ pool }) => pool))) || hasChanged) map.redraw();
}

/** Shows the pods of the namespace alone; all again when it was chosen before. */
function chooseNamespace(namespace) {
  show(shownNamespace === namespace ? undefined : namespace);
  drawLists();
}

function show(namespace) {
  shownNamespace = namespace;
  map.show(namespace);
}

for (const input of document.querySelectorAll('input[name=colour]')) {
  input.addEventListener('change', () => {
    colourBy = document.querySelector('input[name=colour]:checked').value;
    map.redraw();
    drawLists();
  });
}
addEventListener('resize', ask);
observed.follow();

follow({
  onStatus: (now) => {
    status = now;
    drawStatus();
  },
  onSnapshot: (snapshot) => {
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
