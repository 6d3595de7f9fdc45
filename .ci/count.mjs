// Adds up what Jest wrote into the given files: a test that ran in several runs counts once, as failed if it ever failed.
// A suite that could not be loaded counts as one failed test. Prints "N passed, N failed"; exit code 1 for a failure or for no tests.
import { existsSync, readFileSync } from 'node:fs';

const failedByTest = new Map();
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) continue; // that run ended before Jest started, which its exit code says
  for (const suite of JSON.parse(readFileSync(file, 'utf8')).testResults) {
    const outcomes = suite.assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
    if (suite.status === 'failed' && !outcomes.some(({ status }) => status === 'failed')) outcomes.push({ fullName: '', status: 'failed' });
    const namesakes = new Map(); // two tests of a suite may bear one name
    for (const { fullName, status } of outcomes) {
      namesakes.set(fullName, (namesakes.get(fullName) ?? 0) + 1);
      const test = `${suite.name}\n${fullName}\n${namesakes.get(fullName)}`;
      failedByTest.set(test, failedByTest.get(test) === true || status === 'failed');
    }
  }
}
const failed = [...failedByTest.values()].filter(Boolean).length;
const passed = failedByTest.size - failed;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
