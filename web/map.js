/** The nodes as boxes, filled with their pods: a shelf for each pool. Only boxes near the window hold tiles. */
import { treemap } from './treemap.js';
import { cores, counted, element, memory, price, setText, storyHash } from './words.js';

/** From how many boxes on they are drawn smaller. */
const DENSITIES = [
  { from: 0, name: 'roomy', scale: 1, height: 68, hasDetails: true },
  { from: 100, name: 'compact', scale: 0.66, height: 46 },
  { from: 400, name: 'tiny', scale: 0.42, height: 30 },
];
const NEAR = '400px';
/** Pixels that `on-demand 3a` takes. */
const LEAST_CAPTION = 72;

/** What a box is marked with, and what the legend says of it. */
export const MARKS = [
  { key: 'drifted', sign: '≠' },
  { key: 'cordoned', sign: '⊘' },
];

/** @param {'drifted' | 'cordoned'} key */
export function markOf(key) {
  const sign = MARKS.find((mark) => mark.key === key)?.sign ?? '';
  return element('i', { class: `mark ${key}`, 'aria-hidden': 'true' }, sign);
}

/**
 * `drifted` of a box holds why, `cordoned` whether.
 * @param {any} box
 * @param {'drifted' | 'cordoned'} key
 */
export function isMarked(box, key) {
  return key === 'drifted' ? box.drifted !== undefined : box.cordoned === true;
}

export class NodeMap {
  #root;
  #model;
  #colourOf;
  #views = new Map();
  #shelves = new Map();
  #density = DENSITIES[0];
  #seen;
  #current;
  #shown;

  /**
   * @param {HTMLElement} root
   * @param {import('./model.js').Model} model
   * @param {(pod: any, box: any) => string} colourOf The class of a tile's colour.
   */
  constructor(root, model, colourOf) {
    this.#root = root;
    this.#model = model;
    this.#colourOf = colourOf;
    this.#seen = new IntersectionObserver((entries) => this.#onSeen(entries), { rootMargin: NEAR });
    root.addEventListener('click', (event) => this.#onClick(event));
    root.addEventListener('keydown', (event) => this.#onKey(event));
    root.addEventListener('focusin', ({ target }) => this.#makeCurrent(target.closest('.box')));
  }

  /** Draws what has changed. */
  draw() {
    const model = this.#model;
    if (model.rearranged) this.#arrange();
    for (const id of model.dirty) {
      const view = this.#views.get(id);
      const box = model.boxes.get(id);
      if (view !== undefined && box !== undefined) this.#drawBox(view, box);
    }
    model.dirty.clear();
    model.rearranged = false;
    for (const shelf of this.#shelves.values()) this.#drawShelf(shelf);
  }

  /** Draws everything again, since colours mean something else. */
  redraw() {
    for (const id of this.#model.boxes.keys()) this.#model.dirty.add(id);
    this.draw();
  }

  #arrange() {
    const boxes = [...this.#model.boxes.values()].sort(byAge);
    this.#density = DENSITIES.findLast(({ from }) => boxes.length >= from) ?? DENSITIES[0];
    this.#root.dataset.density = this.#density.name;
    for (const [id, view] of this.#views) if (!this.#model.boxes.has(id)) this.#forget(id, view);
    const pools = [...new Set(boxes.map(({ pool }) => pool))].sort();
    for (const [pool, shelf] of this.#shelves) if (!pools.includes(pool)) this.#dropShelf(pool, shelf);
    for (const pool of pools) {
      const shelf = this.#shelfOf(pool);
      shelf.ids = boxes.filter((box) => box.pool === pool).map(({ id }) => id);
      place(this.#root, shelf.section, pools.indexOf(pool));
      shelf.ids.forEach((id, index) => place(shelf.list, this.#viewOf(id).item, index));
    }
    if (this.#current === undefined) this.#makeCurrent(this.#root.querySelector('.box'));
  }

  #shelfOf(pool) {
    const known = this.#shelves.get(pool);
    if (known !== undefined) return known;
    const name = pool === '' ? 'other nodes' : pool;
    const link =
      pool === '' ? name : element('a', { href: storyHash({ kind: 'NodePool', name: pool }) }, name);
    const meta = element('span', { class: 'meta' });
    const list = element('ul', { class: 'shelf', 'aria-label': `Nodes of ${name}` });
    const section = element('div', { class: 'pool' }, element('h3', {}, link, ' ', meta), list);
    const shelf = { section, list, meta, ids: [] };
    this.#shelves.set(pool, shelf);
    return shelf;
  }

  #dropShelf(pool, { section }) {
    section.remove();
    this.#shelves.delete(pool);
  }

  #drawShelf({ ids, meta }) {
    const boxes = ids.flatMap((id) => this.#model.boxes.get(id) ?? []);
    const sum = boxes.reduce((total, box) => total + (box.price ?? 0), 0);
    setText(meta, `${counted(boxes.length, 'node')}${sum > 0 ? ` · ${price(sum)} USD/h` : ''}`);
  }

  #viewOf(id) {
    const known = this.#views.get(id);
    if (known !== undefined) return known;
    const tiles = element('span', { class: 'tiles' });
    const marks = element('span', { class: 'marks', 'aria-hidden': 'true' });
    const caption = element('span', { class: 'caption' });
    const where = element('span', { class: 'caption where' });
    const frame = element('span', { class: 'frame' }, tiles, marks);
    const link = element('a', { class: 'box', tabindex: '-1' }, frame, caption, where);
    link.dataset.box = id;
    const parts = { link, frame, tiles, marks, caption, where };
    const view = { item: element('li', {}, link), ...parts, isNear: false, drawn: new Map() };
    this.#views.set(id, view);
    this.#seen.observe(link);
    this.#model.dirty.add(id);
    return view;
  }

  #forget(id, { item, link }) {
    this.#seen.unobserve(link);
    item.remove();
    this.#views.delete(id);
    if (this.#current === link) this.#current = undefined;
  }

  #drawBox(view, box) {
    const { link, frame, marks, caption, where } = view;
    const pods = this.#model.podsIn(box.id);
    const width = Math.round(Math.max(56, 12 + 32 * (box.cpu / 1000) ** 0.55) * this.#density.scale);
    link.className = `box ${box.phase.toLowerCase()}`;
    link.href = storyHash(
      box.node === undefined ? { kind: 'NodeClaim', name: box.claim } : { kind: 'Node', name: box.node },
    );
    const label = describe(box, pods);
    if (link.getAttribute('aria-label') !== label) {
      link.setAttribute('aria-label', label);
      link.title = label;
    }
    frame.style.width = `${String(width)}px`;
    setText(caption, box.type === '' ? box.phase.toLowerCase() : box.type);
    setText(where, [box.capacityType, shortZone(box.zone)].filter((part) => part !== '').join(' '));
    const room = `${String(Math.max(width, LEAST_CAPTION))}px`;
    caption.style.maxWidth = this.#density.hasDetails ? room : `${String(width)}px`;
    where.style.maxWidth = room;
    const marked = MARKS.filter(({ key }) => isMarked(box, key)).map(({ key }) => key);
    if (marks.dataset.shown !== marked.join(' ')) {
      marks.dataset.shown = marked.join(' ');
      marks.replaceChildren(...marked.map(markOf));
    }
    view.aspect = width / this.#density.height;
    if (view.isNear) this.#drawTiles(view, box, pods);
  }

  #drawTiles(view, box, pods) {
    const items = pods.map((pod) => ({
      key: pod.key,
      share: pod.share,
      className: this.#tileClass(pod, box),
      title: tileTitle(pod),
    }));
    if (box.held.share > 0) {
      const title = `Room held for ${counted(box.held.pods, 'pod')}`;
      items.push({ key: '', share: box.held.share, className: 'tile planned held', title });
    }
    const places = treemap(
      items.map(({ share }) => share),
      view.aspect,
    );
    const keys = new Set(items.map(({ key }) => key));
    for (const [key, tile] of view.drawn) {
      if (keys.has(key)) continue;
      tile.remove();
      view.drawn.delete(key);
    }
    items.forEach((item, index) => {
      const tile = view.drawn.get(item.key) ?? this.#newTile(view, item.key);
      const { left, top, width, height } = places[index];
      if (tile.className !== item.className) tile.className = item.className;
      if (tile.title !== item.title) tile.title = item.title;
      tile.style.left = percent(left);
      tile.style.top = percent(top);
      tile.style.width = percent(width);
      tile.style.height = percent(height);
    });
  }

  #newTile(view, key) {
    const tile = document.createElement('i');
    tile.dataset.pod = key;
    view.tiles.append(tile);
    view.drawn.set(key, tile);
    return tile;
  }

  /**
   * Dims the pods of other namespaces; undefined shows all alike.
   * @param {string | undefined} namespace
   */
  show(namespace) {
    if (this.#shown === namespace) return;
    this.#shown = namespace;
    this.redraw();
  }

  #tileClass(pod, box) {
    const state = pod.node === undefined ? ' planned' : pod.state === 'Leaving' ? ' leaving' : '';
    const dimmed = this.#shown === undefined || this.#shown === pod.namespace ? '' : ' dimmed';
    return `tile ${this.#colourOf(pod, box)}${state}${pod.daemon ? ' daemon' : ''}${dimmed}`;
  }

  #onSeen(entries) {
    for (const { target, isIntersecting } of entries) {
      const id = target.dataset.box;
      const view = this.#views.get(id);
      const box = this.#model.boxes.get(id);
      if (view === undefined || view.isNear === isIntersecting) continue;
      view.isNear = isIntersecting;
      if (isIntersecting && box !== undefined) this.#drawTiles(view, box, this.#model.podsIn(id));
      else if (!isIntersecting) {
        view.tiles.replaceChildren();
        view.drawn.clear();
      }
    }
  }

  #onClick(event) {
    const key = event.target.closest('.tile')?.dataset.pod;
    if (!key) return;
    event.preventDefault();
    const [namespace, name] = key.split('/');
    location.hash = storyHash({ kind: 'Pod', namespace, name });
  }

  /** Arrows go from box to box; the whole map is one stop of the tab key. */
  #onKey(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const from = event.target.closest('.box');
    if (step === undefined || from === null) return;
    event.preventDefault();
    const all = [...this.#root.querySelectorAll('.box')];
    const index = all.indexOf(from);
    const isVertical = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    const to = isVertical ? besideRow(all, index, step) : all[index + step];
    to?.focus();
  }

  #makeCurrent(link) {
    if (!link || link === this.#current) return;
    this.#current?.setAttribute('tabindex', '-1');
    link.setAttribute('tabindex', '0');
    this.#current = link;
  }
}

function byAge(a, b) {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function place(parent, child, index) {
  if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
}

/** The nearest box in the next row up or down. */
function besideRow(all, index, step) {
  const { left, top } = all[index].getBoundingClientRect();
  const candidates = step > 0 ? all.slice(index + 1) : all.slice(0, index).reverse();
  const first = candidates.find((box) => box.getBoundingClientRect().top !== top);
  const row = first?.getBoundingClientRect().top;
  const inRow = candidates.filter((box) => box.getBoundingClientRect().top === row);
  const distance = (box) => Math.abs(box.getBoundingClientRect().left - left);
  return inRow.sort((a, b) => distance(a) - distance(b))[0];
}

function describe(box, pods) {
  const { name, type, capacityType, zone, phase, disruption, price: usd, drifted, cordoned } = box;
  const planned = pods.filter(({ node }) => node === undefined).length;
  const going = disruption === undefined ? phase : `${phase}: ${disruption}`;
  return [
    `${name}: ${going}`,
    [type, capacityType, zone].filter((part) => part !== '').join(' '),
    usd === undefined ? '' : `${price(usd)} USD/h`,
    `${counted(pods.length - planned, 'pod')}${planned > 0 ? `, ${String(planned)} planned` : ''}`,
    cordoned ? 'cordoned' : '',
    drifted === undefined ? '' : `drifted: ${drifted}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** The zone without its region: `3a` of eu-west-3a, `iah-1a` of us-east-1-iah-1a. */
function shortZone(zone) {
  return /^[a-z]+(?:-[a-z]+)+-(\d+[a-z]|\d+-[a-z]+-\d+[a-z])$/.exec(zone)?.[1]?.replace(/^\d+-/, '') ?? zone;
}

function tileTitle({ key, cpu, memory: bytes, state, daemon }) {
  const said = state === 'Bound' ? (daemon ? ' · DaemonSet' : '') : ` · ${state.toLowerCase()}`;
  return `${key} · ${cores(cpu)} cpu, ${memory(bytes)}${said}`;
}

function percent(part) {
  return `${(100 * part).toFixed(2)}%`;
}
