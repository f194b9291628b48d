// Prints the actions that were checked, once all suites have ended.
import { existsSync, readFileSync } from 'node:fs';
import { REPORT_FILE } from './report-file.js';

// Jest asks for a default export.
export default class TableReporter {
  onRunComplete() {
    if (!existsSync(REPORT_FILE)) return;
    const rows = JSON.parse(readFileSync(REPORT_FILE, 'utf8'));
    const widths = ['suite', 'action'].map((name) => Math.max(...rows.map((row) => row[name].length)));
    const lines = rows.map(({ suite, action, checked, ok }) =>
      [
        suite.padEnd(widths[0]),
        action.padEnd(widths[1]),
        String(checked).padStart(6),
        ok ? 'ok' : 'NOT OK',
      ].join('  '),
    );
    process.stderr.write(`\nreports/aws.json: suite, action, things checked\n${lines.join('\n')}\n`);
  }
}
