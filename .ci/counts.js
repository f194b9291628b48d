// Reads jest's reports: `counts FILE...` prints how many tests passed and failed, `failed FILE...` the files with failures,
// as paths from test/ on, `titles FILE...` a pattern for the beginnings of the failed tests' names, `failures
// FILE...` their names and what they said. Files that could not run hold no failed test but are failures.
import { readFileSync } from 'node:fs';

const LINES_OF_A_FAILURE = 12;
const FOREIGN_FRAME = /^\s+at .*(node_modules\/|node:|new Promise)/;

const [what, ...files] = process.argv.slice(2);
const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const broken = reports.flatMap(({ testResults }) => testResults.filter(({ status }) => status === 'failed'));
const failures = broken.flatMap(({ assertionResults }) =>
  assertionResults.filter(({ status }) => status === 'failed'),
);
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);
const distinct = (words) => [...new Set(words)];

const ANSWERS = {
  counts: () => {
    const passed = sum((report) => report.numPassedTests);
    const failed = sum((report) => report.numFailedTests + report.numRuntimeErrorTestSuites);
    return `${passed} ${failed}`;
  },
  failed: () => distinct(broken.map(({ name }) => name.replace(/^.*?\/(?=test\/)/, ''))).join(' '),
  titles: () => distinct(failures.map(({ title }) => beginning(title))).join('|'),
  failures: () =>
    failures.map(({ fullName, failureMessages }) => `  ${fullName}\n${told(failureMessages)}`).join('\n'),
};

console.log(ANSWERS[what]());

/** Up to the first colon, as a pattern; a test and the one that compares its outcome share it. */
function beginning(title) {
  return title.split(':')[0].replace(/[^\w ]/g, '.');
}

/** Without the frames of jest and Node: a summary of CI's output has its last lines only. */
function told(messages) {
  const said = messages.join('\n').split('\n');
  const lines = said.filter((line) => !FOREIGN_FRAME.test(line)).slice(0, LINES_OF_A_FAILURE);
  return lines.map((line) => `    ${line}`).join('\n');
}
