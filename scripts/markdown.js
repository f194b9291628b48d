// Texts in pages that are generated.

/** Text in a cell of a table, without a meaning for Markdown. @param {string} text @returns {string} */
export function cellText(text) {
  return text.replaceAll(/[|[\]<>*_]/g, (sign) => `\\${sign}`);
}
