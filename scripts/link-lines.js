/**
 * Keeps the line numbers in docs true. A link such as `](../src/domain/pod.ts#L35 "PodSpec")` names the symbol that it
 * points at; the number is rewritten to the line that exports it. `--check` only says which links are off (exit 1).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINK = /\]\(([^)#\s]+)#L(\d+) "([A-Za-z_]+)"\)/g;

/** The line, counted from 1, on which the file exports the symbol; undefined when it does not. */
function lineOf(path, symbol) {
  const declares = new RegExp(`^export (?:(?:async )?function|class|const|interface|type) ${symbol}\\b`);
  const index = readFileSync(path, 'utf8')
    .split('\n')
    .findIndex((line) => declares.test(line));
  return index < 0 ? undefined : index + 1;
}

const check = process.argv.includes('--check');
const wrong = [];
for (const name of readdirSync('docs').filter((file) => file.endsWith('.md'))) {
  const document = join('docs', name);
  const text = readFileSync(document, 'utf8');
  const linked = text.replace(LINK, (link, target, line, symbol) => {
    const found = lineOf(join(dirname(document), target), symbol);
    if (found === undefined) throw new Error(`${document}: ${target} does not export ${symbol}`);
    if (found !== Number(line))
      wrong.push(`${document}: ${target}#L${line} is not ${symbol}, which is on line ${found}`);
    return `](${target}#L${found} "${symbol}")`;
  });
  if (!check) writeFileSync(document, linked);
}
if (check && wrong.length > 0) {
  process.stderr.write(`${wrong.join('\n')}\nrun: make generate\n`);
  process.exitCode = 1;
}
