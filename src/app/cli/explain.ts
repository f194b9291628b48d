/** `berth explain FIELD`: what a field of a policy means. */
import { explainField, type UnknownField } from '../../apis/schema/explain-field.js';
import type { CliIo } from './cli-io.js';
import type { Arguments, Command } from './command.js';
import { EXIT_OK } from './exit-codes.js';
import { OUTPUT_FLAG, outputOf } from './output-format.js';
import { jsonText, yamlText } from './render/document-text.js';
import { explanationText } from './render/explanation-text.js';
import { terminalOf } from './render/terminal.js';
import { UsageError } from './usage-error.js';

export const EXPLAIN: Command = {
  name: 'explain',
  summary: 'Explain a field of a policy: type, default, allowed values and meaning',
  usage: 'KIND[.FIELD…] [-o table|json|yaml]',
  maxWords: 1,
  flags: [OUTPUT_FLAG],
  details: ['Example: berth explain nodepool.spec.disruption.budgets'],
  run,
};

function run(args: Arguments, io: CliIo): number {
  const [path] = args.words;
  if (path === undefined)
    throw new UsageError('which field? Name one as KIND[.FIELD…]', { aboutFlags: true });
  const explanation = explainField(path);
  if (!explanation.found) throw new UsageError(unknownText(explanation));
  // What is undefined is not printed.
  const document = { ...explanation, found: undefined };
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(document));
      break;
    case 'yaml':
      io.stdout.write(yamlText(document));
      break;
    case 'table':
      io.stdout.write(explanationText(explanation, terminalOf(io)));
      break;
  }
  return EXIT_OK;
}

function unknownText({ message, guess, allowed }: UnknownField): string {
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
  return `${message}${hint}${allowed.length === 0 ? '' : ` (there are: ${allowed.join(', ')})`}`;
}
