/** What Berth would have saved beside another system: the cost of both by hour. */
import { observation } from './stream.js';
import { setText } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const REFRESH_MILLIS = 60_000;
const HEIGHT = 72;
const TOP = 16;
const AXIS = 16;
/** Periods that are drawn: four days of hours. */
const MOST_PERIODS = 96;
const NAMES = { karpenter: 'Karpenter', nodegroup: 'node groups' };

export class ObservationPanel {
  #root;

  /** @param {HTMLElement} root The section, hidden while nothing is observed. */
  constructor(root) {
    this.#root = root;
  }

  /** Draws what is found now, and again from time to time. */
  follow() {
    const look = async () => this.#draw(await observation());
    void look();
    setInterval(() => void look(), REFRESH_MILLIS);
  }

  #draw(found) {
    this.#root.hidden = found === undefined;
    if (found === undefined) return;
    const { system, since, total, now, periods } = found;
    const name = NAMES[system] ?? system;
    setText(this.#part('observed-system'), name);
    setText(this.#part('observed-saving'), savingText({ name, since, total, now }));
    const shown = periods.slice(-MOST_PERIODS).filter(({ seconds }) => seconds > 0);
    this.#part('observed-chart').replaceChildren(...(shown.length > 0 ? [chart(shown, name)] : []));
  }

  #part(id) {
    return this.#root.querySelector(`#${id}`);
  }
}

function savingText({ name, since, total, now }) {
  const saved = total.currentUsd - total.berthUsd;
  const share = total.currentUsd > 0 ? ` (${((100 * saved) / total.currentUsd).toFixed(0)} %)` : '';
  return [
    `${name}: ${now.currentHourly.toFixed(2)} USD/h, ${String(now.currentNodes)} nodes`,
    `Berth: ${now.berthHourly.toFixed(2)} USD/h, ${String(now.berthNodes)} nodes`,
    `saved since ${new Date(since).toISOString().slice(0, 16).replace('T', ' ')} UTC: ${saved.toFixed(2)} USD${share}`,
  ].join(' · ');
}

/** USD/h of both sides as steps over time. */
function chart(periods, name) {
  const width = 1000;
  const [first, last] = [periods[0], periods.at(-1)];
  const span = Math.max(1, last.to - first.from);
  const x = (time) => ((time - first.from) / span) * width;
  const rate = (usd, { seconds }) => (usd / seconds) * 3600;
  const most = Math.max(
    0.01,
    ...periods.map((period) => Math.max(rate(period.currentUsd, period), rate(period.berthUsd, period))),
  );
  const y = (value) => TOP + (1 - value / most) * HEIGHT;
  const line = (key) =>
    periods
      .map((period) => {
        const at = y(rate(period[key], period)).toFixed(1);
        return `M${x(period.from).toFixed(1)} ${at}H${x(period.to).toFixed(1)}`;
      })
      .join('');
  const svg = make('svg', {
    class: 'observed',
    role: 'img',
    viewBox: `0 0 ${String(width)} ${String(TOP + HEIGHT + AXIS)}`,
    'aria-label': `USD per hour since ${day(first.from)} UTC: ${name}, and below it Berth; highest ${most.toFixed(2)}`,
  });
  const base = make('line', {
    class: 'base',
    x1: '0',
    x2: String(width),
    y1: String(TOP + HEIGHT),
    y2: String(TOP + HEIGHT),
  });
  svg.append(
    base,
    make('path', { class: 'current', d: line('currentUsd') }),
    make('path', { class: 'berth', d: line('berthUsd') }),
    text({ x: '0', y: '10' }, `USD/h, highest ${most.toFixed(2)}`),
    text({ x: '0', y: String(TOP + HEIGHT + 12) }, day(first.from)),
    text({ x: String(width), y: String(TOP + HEIGHT + 12), 'text-anchor': 'end' }, day(last.to)),
    text({ x: String(width), y: '10', 'text-anchor': 'end', class: 'current' }, name),
    text({ x: String(width - 90), y: '10', 'text-anchor': 'end', class: 'berth' }, 'Berth'),
  );
  return svg;
}

function day(time) {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

function text(attributes, words) {
  const made = make('text', attributes);
  made.textContent = words;
  return made;
}

function make(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
