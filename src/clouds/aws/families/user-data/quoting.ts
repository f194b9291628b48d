/** Texts as one word of a shell, whatever is in them. */

/**
 * One word of a POSIX shell. Within single quotes nothing has a meaning but the quote itself, which is written outside of
 * them (POSIX.1-2017, Shell Command Language, 2.2.2).
 */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What PowerShell takes for a single quote: typographic ones too (about_Quoting_Rules, and its tokenizer's IsSingleQuote). */
const POWERSHELL_QUOTES = /['\u2018\u2019\u201a\u201b]/g;

/** One text of PowerShell, in which a doubled quote stands for one. */
export function powershellQuoted(text: string): string {
  return `'${text.replace(POWERSHELL_QUOTES, '$&$&')}'`;
}
