import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Migrations up to this number are older than the check. */
export const LAST_UNCHECKED = 22;

/** What a process of an earlier release, which still runs, cannot live with. */
const BREAKING_RULES = [
  'adding-required-field',
  'ban-drop-column',
  'ban-drop-not-null',
  'ban-drop-table',
  'ban-truncate-cascade',
  'changing-column-type',
  'renaming-column',
  'renaming-table',
];
/** What keeps requests waiting while it reads or writes a whole table. */
const BLOCKING_RULES = [
  'adding-field-with-default',
  'adding-foreign-key-constraint',
  'adding-not-nullable-field',
  'constraint-missing-not-valid',
  'disallowed-unique-constraint',
];
/** For a large table the index is made before, by hand (docs/operating.md). */
const WARNING_RULES = ['require-concurrent-index-creation'];
const MAY_BE_IGNORED = [...BLOCKING_RULES, ...WARNING_RULES];
const CONCURRENTLY = /\bCONCURRENTLY\b/gi;

/** Breaking, too, and unknown to squawk. */
const REMOVALS =
  /\bDROP\s+DEFAULT\b|\bDROP\s+(?:FUNCTION|INDEX|VIEW|TYPE|SEQUENCE)\b|\bRENAME\s+VALUE\b|\bTRUNCATE\b/gi;

/** The heading of a version in the changelog. */
const RELEASE = /^## (\d+\.\d+\.\d+) \(/gm;
const CONTRACT = /^-- contract: (\d+\.\d+\.\d+) stopped using .+$/m;
/** Without a rule, squawk would ignore all of them. */
const IGNORED = /squawk-ignore(?:-file)?\b(.*)/g;
const SQUAWK = join(import.meta.dirname, '..', '..', 'node_modules', 'squawk-cli', 'js', 'bin', 'squawk');
const OLDEST_POSTGRES = '15.0';

/** As squawk reports them; lines begin at 0. */
type Violation = { file: string; line: number; rule_name: string; message: string };
type Found = { errors: string[]; warnings: string[] };

/**
 * Checks the migrations in `folder` that are newer than `LAST_UNCHECKED` (docs/decisions/048-migrations.md); `changelog` tells
 * which versions were released.
 */
export async function checkMigrations(folder: string, changelog: string): Promise<Found> {
  const releases = [...changelog.matchAll(RELEASE)].map(([, version]) => version);
  const found: Found = { errors: [], warnings: [] };
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  const checked = names.filter((name) => Number(name.slice(0, 4)) > LAST_UNCHECKED).sort();
  if (checked.length === 0) return found;
  const violations = await lint(checked.map((name) => join(folder, name)));
  for (const name of checked) {
    const text = await readFile(join(folder, name), 'utf8');
    const ofFile = violations.filter(({ file }) => file === join(folder, name));
    const of = (rules: readonly string[]) =>
      ofFile
        .filter(({ rule_name: rule }) => rules.includes(rule))
        .map(({ line, message, rule_name: rule }) => `${name}:${line + 1} ${message} (${rule})`);
    const breaking = [...of(BREAKING_RULES), ...places(name, text, REMOVALS)];
    const release = CONTRACT.exec(text)?.[1];
    for (const [comment, rules = ''] of text.matchAll(IGNORED)) {
      if (!rules.split(',').every((rule) => MAY_BE_IGNORED.includes(rule.trim())))
        found.errors.push(`${name} "${comment}": only ${MAY_BE_IGNORED.join(', ')} can be ignored`);
    }
    if (release !== undefined && !releases.includes(release)) {
      found.errors.push(`${name} names ${release}, which was not released`);
    }
    if (release === undefined) found.errors.push(...breaking.map((problem) => `${problem} ${HOW_TO_BREAK}`));
    found.errors.push(
      ...of(BLOCKING_RULES).map((problem) => `${problem} ${HOW_TO_BLOCK}`),
      ...of(['syntax-error']),
    );
    for (const place of places(name, text, CONCURRENTLY))
      found.errors.push(`${place} cannot be: ${ONE_TRANSACTION}`);
    found.warnings.push(...of(WARNING_RULES));
  }
  return found;
}

const ONE_TRANSACTION = 'all migrations run in one transaction';
const HOW_TO_BREAK =
  'Processes of the last release still use it: release without it first, then write "-- contract: <version> stopped using <it>".';
const HOW_TO_BLOCK = 'For a table that is always small write "-- squawk-ignore <rule>" above it.';

function places(name: string, text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(
    ({ 0: words, index }) => `${name}:${text.slice(0, index).split('\n').length} ${words}`,
  );
}

async function lint(paths: readonly string[]): Promise<Violation[]> {
  const options = ['--reporter', 'json', '--assume-in-transaction', '--pg-version', OLDEST_POSTGRES];
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    // It ends with 1 when it has found something.
    execFile(process.execPath, [SQUAWK, ...options, ...paths], (_, out, err) => {
      resolve({ stdout: out, stderr: err });
    });
  });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`squawk could not check the migrations: ${stderr || stdout}`);
  }
}
