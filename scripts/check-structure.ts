import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checkMigrations } from './migrations/check-migrations.ts';
import { ROOT } from './run/root.ts';
import { COVERAGE_PATH, checkCoverage } from './spec-coverage/check-coverage.ts';
import { crowdedFolders, hardCodedApiPath, misplacement } from './structure/file-rules.ts';
import { findForbiddenImports } from './structure/import-rules.ts';

const MIGRATIONS = 'api/db/migrations';
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'test-results', 'playwright-report', '.git']);

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name) || entry.name.endsWith('.log')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield relative(ROOT, path);
  }
}

const paths = new Set(walk(ROOT));
const read = (path: string) => (paths.has(path) ? readFileSync(join(ROOT, path), 'utf8') : null);

const errors = [...paths].flatMap((path) => {
  const text = /\.tsx?$/.test(path) ? read(path) : null;
  const reasons = [misplacement(path), hardCodedApiPath(path, text ?? '')];
  return reasons.filter((reason) => reason !== null).map((reason) => `${path} ${reason}`);
});
const coverage = checkCoverage(read(COVERAGE_PATH) ?? '', read);
errors.push(...coverage.map(({ line, message }) => `${COVERAGE_PATH}:${line} ${message}`));
errors.push(...crowdedFolders(paths));
errors.push(...(await findForbiddenImports(ROOT)));
const migrations = await checkMigrations(join(ROOT, MIGRATIONS), read('CHANGELOG.md') ?? '');
errors.push(...migrations.errors.map((error) => `${MIGRATIONS}/${error}`));
for (const warning of migrations.warnings) console.warn(`warning: ${MIGRATIONS}/${warning}`);

for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log(`${paths.size} files checked: no violations`);
