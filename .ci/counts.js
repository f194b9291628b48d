// Reads jest's reports: `counts FILE...` prints how many tests passed and failed, `failed FILE...` the files with failures,
// as paths below the project's root. Files that could not run hold no failed test but are failures.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [what, ...files] = process.argv.slice(2);
const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);

if (what === 'counts') {
  const passed = sum((report) => report.numPassedTests);
  const failed = sum((report) => report.numFailedTests + report.numRuntimeErrorTestSuites);
  console.log(passed, failed);
} else {
  const broken = reports.flatMap(({ testResults }) =>
    testResults.filter(({ status }) => status === 'failed'),
  );
  console.log([...new Set(broken.map(({ name }) => relative(process.cwd(), name)))].join(' '));
}
