/** The timeline: price, nodes and pending pods over time, and the Decisions below them. */
import { price, setText, storyHash, timeOfDay } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const LANE = 44;
const GAP = 10;
const MARKS = 20;
const AXIS = 16;
/** Decisions that are nearer to each other share a mark. */
const MARK_STEP = 9;

const LANES = [
  { key: 'hourly', label: 'USD/h', text: price, least: 0.01 },
  { key: 'nodes', label: 'nodes', text: String, least: 1 },
  { key: 'pending', label: 'pending', text: String, least: 1 },
];
const TONES = {
  Launch: 'launch',
  Place: 'launch',
  Register: 'launch',
  Nominate: 'launch',
  Accept: 'launch',
  Refuse: 'refuse',
  Freeze: 'refuse',
  Disrupt: 'disrupt',
  Drain: 'disrupt',
  Terminate: 'disrupt',
};

export class Chart {
  #root;
  #moment;
  #svg = make('svg', { class: 'lanes', role: 'img' });
  #lanes;
  #marks = make('g', { class: 'marks' });
  #axis = make('g', { class: 'axis' });
  #cursor = make('line', { class: 'cursor', y1: '0', y2: String(lanesHeight()) });
  #points = [];
  #decisions = [];
  #scale = { from: 0, to: 1, width: 1 };

  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} moment Where the values at the pointer are shown.
   */
  constructor(root, moment) {
    this.#root = root;
    this.#moment = moment;
    this.#lanes = LANES.map((lane, index) => this.#makeLane(lane, index));
    this.#cursor.style.visibility = 'hidden';
    this.#svg.append(...this.#lanes.map(({ group }) => group), this.#marks, this.#axis, this.#cursor);
    root.append(this.#svg);
    root.addEventListener('pointermove', (event) => this.#point(event));
    root.addEventListener('pointerleave', () => this.#leave());
    new ResizeObserver(() => this.draw({ points: this.#points, decisions: this.#decisions })).observe(root);
  }

  draw({ points, decisions }) {
    const width = this.#root.clientWidth;
    if (points.length === 0 || width === 0) return;
    this.#points = points;
    this.#decisions = decisions;
    const [from, to] = [points[0].time, points.at(-1).time];
    this.#scale = { from, to: Math.max(to, from + 1000), width };
    set(this.#svg, {
      viewBox: `0 0 ${String(width)} ${String(lanesHeight() + AXIS)}`,
      height: String(lanesHeight() + AXIS),
      width: String(width),
    });
    for (const lane of this.#lanes) this.#drawLane(lane);
    this.#drawMarks(decisions);
    this.#drawAxis();
    const last = points.at(-1);
    this.#svg.setAttribute(
      'aria-label',
      `Since ${timeOfDay(from)} UTC; now ${LANES.map(({ key, label, text }) => `${text(last[key])} ${label}`).join(', ')}`,
    );
  }

  #makeLane(lane, index) {
    const group = make('g', {
      class: `lane ${lane.key}`,
      transform: `translate(0 ${String(index * (LANE + GAP))})`,
    });
    const [area, line, base] = [
      make('path', { class: 'area' }),
      make('path', { class: 'line' }),
      make('line', { class: 'base' }),
    ];
    const label = make('text', { class: 'label', x: '0', y: '10' });
    label.textContent = lane.label;
    const peak = make('text', { class: 'peak', y: '10', 'text-anchor': 'end' });
    group.append(base, area, line, label, peak);
    return { ...lane, group, area, line, base, peak };
  }

  #drawLane({ key, text, least, area, line, base, peak }) {
    const most = this.#points.reduce((max, point) => Math.max(max, point[key]), least);
    const y = (value) => (LANE - (value / most) * (LANE - 14)).toFixed(1);
    let path = '';
    // A value holds until the next: steps, not slopes.
    for (const point of this.#points) {
      const x = this.#x(point.time).toFixed(1);
      path += path === '' ? `M${x} ${y(point[key])}` : `H${x}V${y(point[key])}`;
    }
    const end = this.#scale.width;
    set(line, { d: path });
    set(area, { d: `${path}V${String(LANE)}H${this.#x(this.#points[0].time).toFixed(1)}Z` });
    set(base, { x1: '0', x2: String(end), y1: String(LANE), y2: String(LANE) });
    set(peak, { x: String(end) });
    setText(peak, `peak ${text(most)}`);
  }

  #drawMarks(decisions) {
    const { from, to } = this.#scale;
    const groups = new Map();
    for (const decision of decisions) {
      if (decision.time < from || decision.time > to) continue;
      const column = Math.round(this.#x(decision.time) / MARK_STEP);
      const key = `${String(column)} ${TONES[decision.action] ?? 'launch'}`;
      groups.set(key, [...(groups.get(key) ?? []), decision]);
    }
    this.#marks.replaceChildren(...[...groups].map(([key, group]) => mark(key, group)));
  }

  #drawAxis() {
    const { from, to, width } = this.#scale;
    const count = Math.max(1, Math.floor(width / 160));
    const times = Array.from({ length: count + 1 }, (_, index) => from + ((to - from) * index) / count);
    this.#axis.replaceChildren(
      ...times.map((time, index) => {
        const anchor = index === 0 ? 'start' : index === count ? 'end' : 'middle';
        const label = make('text', {
          x: String(this.#x(time)),
          y: String(lanesHeight() + 12),
          'text-anchor': anchor,
        });
        label.textContent = timeOfDay(time);
        return label;
      }),
    );
  }

  #x(time) {
    const { from, to, width } = this.#scale;
    return ((time - from) / (to - from)) * width;
  }

  #point({ clientX }) {
    if (this.#points.length === 0) return;
    const { from, to, width } = this.#scale;
    const x = Math.min(Math.max(clientX - this.#root.getBoundingClientRect().left, 0), width);
    const time = from + (x / width) * (to - from);
    const point = this.#points.findLast((each) => each.time <= time) ?? this.#points[0];
    set(this.#cursor, { x1: String(x), x2: String(x) });
    this.#cursor.style.visibility = 'visible';
    const values = LANES.map(({ key, label, text }) => `${text(point[key])} ${label}`);
    setText(this.#moment, `${timeOfDay(point.time)} · ${values.join(' · ')}`);
  }

  #leave() {
    this.#cursor.style.visibility = 'hidden';
    setText(this.#moment, '');
  }
}

function lanesHeight() {
  return LANES.length * (LANE + GAP) + MARKS;
}

/** One mark for Decisions of one kind at about one time; it leads to the latest of them. */
function mark(key, group) {
  const [column, tone] = key.split(' ');
  const row = { launch: 0, refuse: 1, disrupt: 2 }[tone] ?? 0;
  const link = make('a', {
    href: storyHash({ kind: 'Decision', name: group.at(-1).name }),
    tabindex: '-1',
    class: tone,
  });
  const radius = Math.min(4, 2 + Math.log2(group.length) / 2);
  const dot = make('circle', {
    cx: String(Number(column) * MARK_STEP),
    cy: String(lanesHeight() - MARKS + 3 + row * 6.5),
    r: String(radius),
  });
  const title = make('title');
  const shown = group.slice(-5).map(({ action, reason, subject }) => `${action}: ${reason} ${subject}`);
  title.textContent = [...shown, ...(group.length > 5 ? [`and ${String(group.length - 5)} more`] : [])].join(
    '\n',
  );
  link.append(title, dot);
  return link;
}

function make(tag, attributes = {}) {
  const made = document.createElementNS(SVG, tag);
  set(made, attributes);
  return made;
}

function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value);
}
