import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput, exitCodeOf, onTerminationSignal, spawnNode } from './run/children.ts';
import { ROOT } from './run/root.ts';
import {
  type Counts,
  checkCounts,
  failedTests,
  flakyTests,
  playwrightCounts,
  vitestCounts,
} from './run/test-counts.ts';

/** All end-to-end tests, in place of those tagged @core. */
const isComplete = process.argv.includes('--all');

const reports = mkdtempSync(join(tmpdir(), 'this-or-that-test-'));
const vitestReport = join(reports, 'vitest.json');
const playwrightReport = join(reports, 'playwright.json');

type Step = {
  name: string;
  args: string[];
  env?: Record<string, string>;
  /** The path of the step's JSON report, and the function that counts its tests. */
  report?: string;
  count?: (exitCode: number) => Counts;
};

function bin(...parts: string[]): string {
  return join(ROOT, 'node_modules', ...parts);
}

const TSC = bin('typescript', 'bin', 'tsc');

/** Run in parallel, since several of them use a single core or mostly read files. */
const CHECKS: readonly Step[] = [
  { name: 'build', args: [join('scripts', 'build.ts')] },
  { name: 'types', args: [TSC, '--noEmit'] },
  { name: 'types of the app in a browser', args: [TSC, '--noEmit', '-p', 'app'] },
  { name: 'types of the service worker', args: [TSC, '--noEmit', '-p', join('sync', 'worker')] },
  { name: 'types of the server in Node', args: [TSC, '--noEmit', '-p', 'api'] },
  { name: 'lint and format', args: [bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '.'] },
  {
    name: 'lint of compose.yaml',
    args: [bin('dclint', 'bin', 'dclint.cjs'), '--max-warnings', '0', 'compose.yaml'],
  },
  {
    name: 'lint of the Dockerfile',
    args: [bin('dockerfile-utils', 'bin', 'dockerfile-utils'), 'lint', 'Dockerfile'],
  },
  { name: 'structure', args: [join('scripts', 'check-structure.ts')] },
  { name: 'unused code', args: [bin('knip', 'bin', 'knip.js')] },
  { name: 'licences', args: [join('scripts', 'check-licences.ts')] },
];

/** Run one after the other, since each uses all cores. */
const TESTS: readonly Step[] = [
  {
    name: 'unit and integration tests',
    args: [
      bin('vitest', 'vitest.mjs'),
      'run',
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${vitestReport}`,
    ],
    report: vitestReport,
    count: (exitCode) => vitestCounts(vitestReport, exitCode),
  },
  {
    name: isComplete ? 'end-to-end tests' : 'end-to-end tests tagged @core',
    args: [
      bin('@playwright', 'test', 'cli.js'),
      'test',
      '--config',
      join('e2e', 'playwright.config.ts'),
      '--reporter=dot,json',
      ...(isComplete ? [] : ['--grep', '@core']),
    ],
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport },
    report: playwrightReport,
    count: (exitCode) => playwrightCounts(playwrightReport, exitCode),
  },
];

const running = new Set<ChildProcess>();
onTerminationSignal((signal) => {
  for (const child of running) child.kill(signal);
  rmSync(reports, { recursive: true, force: true });
  process.exit(1);
});

async function run(step: Step): Promise<Counts> {
  const startMs = performance.now();
  const child = spawnNode(step.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...step.env },
  });
  running.add(child);
  const readOutput = collectOutput(child);
  const exitCode = await exitCodeOf(child);
  running.delete(child);

  const counts = (step.count ?? checkCounts)(exitCode);
  const mark = counts.failed === 0 ? 'ok  ' : 'FAIL';
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1).padStart(6);
  const summary = step.count ? `  ${counts.passed} passed, ${counts.failed} failed` : '';
  console.log(`${mark} ${seconds} s  ${step.name}${summary}`);
  for (const test of step.report === undefined ? [] : flakyTests(step.report))
    console.log(`flaky             ${test}`);
  // Failed tests come first, since the whole output is long.
  if (counts.failed > 0)
    console.log(
      ['', ...(step.report === undefined ? [] : failedTests(step.report)), readOutput(), ''].join('\n'),
    );
  return counts;
}

const results = await Promise.all(CHECKS.map(run));
for (const step of TESTS) results.push(await run(step));
const total: Counts = { passed: 0, failed: 0 };
for (const { passed, failed } of results) {
  total.passed += passed;
  total.failed += failed;
}
rmSync(reports, { recursive: true, force: true });
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`\n${total.passed} passed, ${total.failed} failed`);
