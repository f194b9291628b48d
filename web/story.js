/** The story of one object, beside the map: opened by the address, closed by Escape. */
import { story as fetchStory } from './stream.js';
import { element, refOf, storyHash, timeOfDay } from './words.js';

/** The minimum interval between two updates. */
const AGAIN_MILLIS = 1500;
const MOST_LINKS = 60;

export class StoryPanel {
  #root;
  #shown = '';
  #text = '';
  #toldAt = 0;
  #opener;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    addEventListener('hashchange', () => void this.open());
    addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && !root.hidden) this.close();
    });
  }

  /** Shows what the address names. */
  async open() {
    const { hash } = location;
    const ref = refOf(hash);
    if (ref === undefined) {
      this.#hide();
      return;
    }
    const isNew = hash !== this.#shown;
    if (isNew && this.#root.hidden) this.#opener = document.activeElement;
    this.#shown = hash;
    this.#toldAt = performance.now();
    const story = await fetchStory(ref);
    if (location.hash !== hash) return;
    const text = JSON.stringify(story ?? '');
    if (!isNew && text === this.#text) return;
    this.#text = text;
    const scroll = isNew ? 0 : this.#root.scrollTop;
    const hadFocus = this.#root.contains(document.activeElement);
    this.#root.replaceChildren(...(story === undefined ? this.#absent(ref) : this.#parts(story)));
    this.#root.hidden = false;
    document.body.classList.add('telling');
    this.#root.scrollTop = scroll;
    if (isNew || hadFocus) this.#root.querySelector('h2').focus({ preventScroll: true });
  }

  /** The cluster has changed. */
  refresh() {
    if (this.#root.hidden || performance.now() - this.#toldAt < AGAIN_MILLIS) return;
    // A selection, or a link that has the focus, stays.
    if (this.#root.querySelector('a:focus') !== null || !getSelection().isCollapsed) return;
    void this.open();
  }

  close() {
    history.pushState(undefined, '', location.pathname + location.search);
    this.#hide();
  }

  #hide() {
    if (this.#root.hidden) return;
    this.#root.hidden = true;
    this.#shown = '';
    document.body.classList.remove('telling');
    if (this.#opener?.isConnected) this.#opener.focus();
  }

  #head({ kind, namespace, name }) {
    const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×');
    close.addEventListener('click', () => this.close());
    const full = namespace === '' ? name : `${namespace}/${name}`;
    const title = element('h2', { id: 'story-title', tabindex: '-1' }, element('small', {}, kind), ' ', full);
    return element('header', {}, title, close);
  }

  #absent(ref) {
    return [
      this.#head(ref),
      element('p', { class: 'headline neutral' }, 'Not found, and there is no Decision about it'),
    ];
  }

  #parts(story) {
    const { subject, headline, tone, facts, why, considered, changes, steps, related } = story;
    return [
      this.#head(subject),
      element('p', { class: `headline ${tone}` }, headline),
      element('dl', { class: 'facts' }, ...facts.flatMap(fact)),
      ...section(
        'Why',
        why.map((text) => element('p', {}, text)),
      ),
      ...section(
        'Considered',
        considered.length === 0 ? [] : [element('ol', { class: 'options' }, ...considered.map(option))],
      ),
      ...section(
        tone === 'bad' ? 'What would have to change' : 'What would change it',
        changes.map((text) => element('p', {}, text)),
      ),
      ...section(
        'What happened',
        steps.length === 0
          ? []
          : [element('ol', { class: 'steps' }, ...steps.map((step) => stepLine(step, subject)))],
      ),
      ...related.flatMap(({ label, refs }) => section(label, links(refs))),
    ];
  }
}

function section(title, children) {
  return children.length === 0 ? [] : [element('section', {}, element('h3', {}, title), ...children)];
}

function fact({ label, value, ref }) {
  const shown = ref === undefined ? value : element('a', { href: storyHash(ref) }, value);
  return [element('dt', {}, label), element('dd', {}, shown)];
}

function option({ name, verdict, chosen }) {
  const parts = [name, verdict]
    .filter((part) => part !== '')
    .map((part, index) => element(index === 0 ? 'b' : 'p', {}, part));
  return element('li', chosen ? { class: 'chosen', 'aria-current': 'true' } : {}, ...parts);
}

function stepLine({ time, title, text, decision, outcome }, subject) {
  const isOwn = decision !== undefined && subject.kind === 'Decision' && subject.name === decision.name;
  const head =
    decision === undefined || isOwn
      ? title
      : element('a', { href: storyHash({ kind: 'Decision', name: decision.name }) }, title);
  return element(
    'li',
    decision === undefined ? {} : { class: 'decision' },
    element('time', { datetime: new Date(time).toISOString() }, timeOfDay(time)),
    element(
      'div',
      {},
      element('b', {}, head),
      ...said(text),
      ...(outcome === '' ? [] : [element('p', { class: 'outcome' }, outcome)]),
    ),
  );
}

function said(text) {
  return text === '' ? [] : [element('p', {}, text)];
}

function links(refs) {
  if (refs.length === 0) return [];
  const shown = refs.slice(0, MOST_LINKS).map((ref) => {
    const name = ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`;
    return element('li', {}, element('a', { href: storyHash(ref) }, name));
  });
  const more = refs.length - shown.length;
  return [
    element(
      'ul',
      { class: 'links' },
      ...shown,
      ...(more > 0 ? [element('li', {}, `and ${String(more)} more`)] : []),
    ),
  ];
}
