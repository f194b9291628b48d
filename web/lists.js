/** The lists beside the map: pending pods with their reasons, costs, Decisions; and the totals at the top. */
import { counted, duration, element, price, setText, storyHash, timeOfDay } from './words.js';

const MOST_PENDING = 60;
const MOST_COSTS = 12;
const MOST_DECISIONS = 40;

/** Lines by key, so that what has not changed stays in place, focus and all. */
export class KeyedList {
  #root;
  #lines = new Map();

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {readonly { key: string, text: string, make: () => HTMLElement }[]} entries `text`: a line is made anew when it differs.
   */
  draw(entries) {
    const keys = new Set(entries.map(({ key }) => key));
    for (const [key, { line }] of this.#lines) {
      if (keys.has(key)) continue;
      line.remove();
      this.#lines.delete(key);
    }
    entries.forEach(({ key, text, make }, index) => {
      const known = this.#lines.get(key);
      if (known?.text !== text) {
        const line = make();
        known?.line.replaceWith(line);
        this.#lines.set(key, { text, line });
      }
      const { line } = this.#lines.get(key);
      if (this.#root.children[index] !== line)
        this.#root.insertBefore(line, this.#root.children[index] ?? null);
    });
  }
}

/** @param {import('./model.js').Model} model */
export function pendingEntries(model) {
  const pods = model.pending();
  const shown = pods.slice(0, MOST_PENDING).map((pod) => ({
    key: pod.key,
    text: JSON.stringify([
      pod.state,
      pod.reason,
      pod.message,
      pod.planned?.name,
      duration(model.time - pod.createdAt),
    ]),
    make: () => pendingLine(pod, model),
  }));
  if (pods.length === 0) return [note('Every pod has a place.')];
  return pods.length > MOST_PENDING
    ? [...shown, note(`and ${String(pods.length - MOST_PENDING)} more`)]
    : shown;
}

function pendingLine(pod, model) {
  const [namespace, name] = pod.key.split('/');
  const link = element('a', { href: storyHash({ kind: 'Pod', namespace, name }) }, pod.key);
  const age = element('small', {}, duration(model.time - pod.createdAt));
  const why = element('p', {}, whyPending(pod, model));
  return element('li', { class: `pod ${pod.state.toLowerCase()}` }, element('div', {}, link, age), why);
}

function whyPending({ state, reason, message, planned }, model) {
  if (state === 'Refused') return message ?? reason ?? 'no place';
  if (state === 'Waiting')
    return reason === 'Unschedulable'
      ? 'to be planned with the next batch'
      : 'kube-scheduler has not judged it yet';
  const box = model.boxes.get(`${planned.kind}/${planned.name}`);
  const type = box === undefined || box.type === '' ? planned.name : box.type;
  return `planned on ${type}${box === undefined ? '' : `, ${box.phase.toLowerCase()}`}`;
}

export function costEntries({ cost }, colourOf) {
  if (cost === undefined) return [];
  const { rows, idle, total, unpriced } = cost;
  const line = (key, hourly, className, name = key) => ({
    key,
    text: `${price(hourly)} ${price(total)} ${className}`,
    make: () => costLine(name, hourly, total, className),
  });
  const shown = rows.slice(0, MOST_COSTS).map(({ key, hourly }) => line(key, hourly, colourOf(key)));
  const rest = rows.slice(MOST_COSTS).reduce((sum, { hourly }) => sum + hourly, 0);
  return [
    ...shown,
    ...(rest > 0 ? [line(' rest', rest, '', `${String(rows.length - MOST_COSTS)} more`)] : []),
    ...(total > 0 ? [line(' idle', idle, 'idle', 'idle')] : [note('No node has a known price yet.')]),
    ...(unpriced > 0 ? [note(`${counted(unpriced, 'node')} without a known price`)] : []),
  ];
}

function costLine(name, hourly, total, className) {
  const bar = element('i', { class: `fill ${className}` });
  bar.style.width = `${(total > 0 ? (100 * hourly) / total : 0).toFixed(1)}%`;
  return element(
    'li',
    {},
    element('span', {}, name),
    element('b', {}, price(hourly)),
    element('div', { class: 'track', 'aria-hidden': 'true' }, bar),
  );
}

export function decisionEntries({ decisions }) {
  if (decisions.length === 0) return [note('Nothing has been decided yet.')];
  return decisions
    .slice(-MOST_DECISIONS)
    .reverse()
    .map((decision) => ({ key: decision.name, text: decision.outcome, make: () => decisionLine(decision) }));
}

function decisionLine({ name, time, action, reason, subject, message, outcome }) {
  const link = element('a', { href: storyHash({ kind: 'Decision', name }) }, `${action}: ${reason}`);
  const head = element('div', {}, link, element('small', {}, timeOfDay(time)));
  const said = [subject, message].filter((part) => part !== '').join(': ');
  const lines = [
    element('p', {}, said),
    ...(outcome === '' ? [] : [element('p', { class: 'outcome' }, outcome)]),
  ];
  return element('li', { class: action.toLowerCase() }, head, ...lines);
}

function note(text) {
  return { key: ` ${text}`, text, make: () => element('li', { class: 'note' }, text) };
}

/** @param {import('./model.js').Model} model */
export function drawTotals({ now, cost, pods }) {
  const byID = (id) => document.getElementById(id);
  if (now === undefined) return;
  const bound = [...pods.values()].filter(({ node }) => node !== undefined).length;
  setText(byID('nodes'), String(now.nodes));
  setText(byID('coming'), now.coming > 0 ? `${String(now.coming)} starting` : '');
  setText(byID('pods'), String(bound));
  setText(byID('pending'), String(now.pending));
  setText(byID('hourly'), price(now.hourly));
  const share = cost !== undefined && cost.total > 0 ? Math.round((100 * cost.idle) / cost.total) : 0;
  setText(byID('idle'), share > 0 ? `${String(share)}% idle` : '');
  byID('pending').parentElement.parentElement.classList.toggle('some', now.pending > 0);
}
