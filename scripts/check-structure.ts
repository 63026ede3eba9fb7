import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { checkProject } from './structure/check-project.ts';
import { COVERAGE_PATH } from './structure/coverage-rules.ts';

const ROOT = join(import.meta.dirname, '..');
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'test-results', 'playwright-report', '.git']);
const SOURCE = /\.tsx?$/;

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name) || entry.name.endsWith('.log')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

const files = new Map<string, string>();
for (const path of walk(ROOT)) {
  const name = relative(ROOT, path).split(sep).join('/');
  files.set(name, SOURCE.test(name) || name === COVERAGE_PATH ? readFileSync(path, 'utf8') : '');
}

const violations = checkProject(files);
for (const { path, line, message } of violations) console.error(`${path}:${line} ${message}`);
const sources = [...files.keys()].filter((path) => SOURCE.test(path)).length;
if (violations.length > 0) {
  console.error(
    `\n${violations.length} against the house rules in ${sources} source files (CONTRIBUTING.md)`,
  );
  process.exitCode = 1;
} else {
  console.log(`${sources} source files keep the house rules`);
}
