/** Amounts, prices and times as the page writes them, and the few pieces of DOM that all views are made of. */

/** @param {number} usd */
export function price(usd) {
  return usd >= 100 ? usd.toFixed(2) : usd.toFixed(4);
}

/** @param {number} millis CPU in thousandths of a core. */
export function cores(millis) {
  return String(Number((millis / 1000).toFixed(2)));
}

/** @param {number} bytes */
export function memory(bytes) {
  const gibi = bytes / 2 ** 30;
  return gibi >= 1 ? `${String(Number(gibi.toFixed(1)))}Gi` : `${String(Math.round(bytes / 2 ** 20))}Mi`;
}

/**
 * `1 pod`, `3 pods`.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Time of day in UTC, as logs have it: `14:05:09`.
 * @param {number} millis Since 1970.
 */
export function timeOfDay(millis) {
  return new Date(millis).toISOString().slice(11, 19);
}

/**
 * How long something lasted: `45s`, `12m`, `3h`, `9d`.
 * @param {number} millis
 */
export function duration(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 120) return `${String(seconds)}s`;
  if (seconds < 7200) return `${String(Math.floor(seconds / 60))}m`;
  if (seconds < 172_800) return `${String(Math.floor(seconds / 3600))}h`;
  return `${String(Math.floor(seconds / 86_400))}d`;
}

/**
 * The address of an object's story.
 * @param {{ kind: string, namespace?: string, name: string }} ref
 */
export function storyHash({ kind, namespace = '', name }) {
  const parts = namespace === '' ? [kind, name] : [kind, namespace, name];
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/**
 * The object whose story an address names; undefined for any other address.
 * @param {string} hash
 */
export function refOf(hash) {
  const parts = hash.startsWith('#/') ? hash.slice(2).split('/').map(decoded) : [];
  if (parts.length === 2) return { kind: parts[0], namespace: '', name: parts[1] };
  if (parts.length === 3) return { kind: parts[0], namespace: parts[1], name: parts[2] };
  return undefined;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * An element with properties and children; texts are texts, whatever they hold.
 * @param {string} tag
 * @param {Record<string, string | undefined>} [attributes]
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/**
 * Changes a text only where it is another, so that nothing is laid out for nothing.
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}
