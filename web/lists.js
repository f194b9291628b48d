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
   * @param {readonly { key: string, text: string, make: () => HTMLElement }[]} entries `text`: a line is replaced when it differs.
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
        const hadFocus = known?.line.contains(document.activeElement) === true;
        known?.line.replaceWith(line);
        if (hadFocus) line.querySelector('a, button')?.focus();
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
  if (pods.length === 0) return [note('No pod is pending.')];
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
  if (state === 'Refused') return message ?? reason ?? 'cannot be scheduled';
  if (state === 'Waiting')
    return reason === 'Unschedulable'
      ? 'waits for the next planning batch'
      : 'waits for kube-scheduler to try it first';
  const box = model.boxes.get(`${planned.kind}/${planned.name}`);
  const type = box === undefined || box.type === '' ? planned.name : box.type;
  return `planned on ${type}${box === undefined ? '' : `, ${box.phase.toLowerCase()}`}`;
}

/**
 * Costs by namespace; the row of a namespace is a button that shows its pods alone.
 * @param {import('./model.js').Model} model
 * @param {{ colourOf: (namespace: string) => string, shown: string | undefined, onChoose: (namespace: string) => void }} options
 */
export function costEntries({ cost }, { colourOf, shown, onChoose }) {
  if (cost === undefined) return [];
  const { rows, idle, total, unpriced } = cost;
  const line = (key, hourly, className, name = key) => ({
    key,
    text: `${price(hourly)} ${price(total)} ${className}`,
    make: () => element('li', {}, costRow('div', {}, { name, hourly, total, className })),
  });
  const choice = ({ key, hourly }) => {
    const pressed = String(key === shown);
    const row = { name: key, hourly, total, className: colourOf(key) };
    const make = () => {
      const button = costRow(
        'button',
        { type: 'button', 'aria-pressed': pressed, title: `Show the pods of ${key}` },
        row,
      );
      button.addEventListener('click', () => onChoose(key));
      return element('li', {}, button);
    };
    return { key, text: `${price(hourly)} ${price(total)} ${row.className} ${pressed}`, make };
  };
  const isListed = ({ key }, index) => index < MOST_COSTS || key === shown;
  const most = rows.filter(isListed).map(choice);
  const others = rows.filter((row, index) => !isListed(row, index));
  const rest = others.reduce((sum, { hourly }) => sum + hourly, 0);
  return [
    ...most,
    ...(rest > 0 ? [line(' rest', rest, '', `${String(others.length)} more`)] : []),
    ...(total > 0 ? [line(' idle', idle, 'idle', 'idle')] : [note('No node has a known price yet.')]),
    ...(unpriced > 0 ? [note(`${counted(unpriced, 'node')} without a known price`)] : []),
  ];
}

/** @param {'div' | 'button'} tag */
function costRow(tag, attributes, { name, hourly, total, className }) {
  const bar = element('i', { class: `fill ${className}` });
  bar.style.width = `${(total > 0 ? (100 * hourly) / total : 0).toFixed(1)}%`;
  return element(
    tag,
    { ...attributes, class: 'row' },
    element('span', {}, name),
    element('b', {}, price(hourly)),
    element('span', { class: 'track', 'aria-hidden': 'true' }, bar),
  );
}

export function decisionEntries({ decisions }) {
  if (decisions.length === 0) return [note('No Decisions yet.')];
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
