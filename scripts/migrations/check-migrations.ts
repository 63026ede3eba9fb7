import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Migrations up to this number were written before this check existed. */
export const LAST_UNCHECKED = 22;

/** Changes that break processes of the previous release, which may still run. */
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
/** Changes that lock a table while they scan or rewrite it, which blocks requests. */
const BLOCKING_RULES = [
  'adding-field-with-default',
  'adding-foreign-key-constraint',
  'adding-not-nullable-field',
  'constraint-missing-not-valid',
  'disallowed-unique-constraint',
];
/** For a large table, operators create the index before the upgrade (docs/operating.md). */
const WARNING_RULES = ['require-concurrent-index-creation'];
const IGNORABLE_RULES = [...BLOCKING_RULES, ...WARNING_RULES];
const CONCURRENTLY = /\bCONCURRENTLY\b/gi;

/** Further breaking changes, for which squawk has no rule. */
const BREAKING_STATEMENTS =
  /\bDROP\s+DEFAULT\b|\bDROP\s+(?:FUNCTION|INDEX|VIEW|TYPE|SEQUENCE)\b|\bRENAME\s+VALUE\b|\bTRUNCATE\b/gi;

/** The heading of a released version in the changelog. */
const RELEASE = /^## (\d+\.\d+\.\d+) \(/gm;
/** Allows a breaking change: names the release that stopped using what the migration removes. */
const CONTRACT = /^-- contract: (\d+\.\d+\.\d+) stopped using .+$/m;
/** Lets squawk ignore the rules that the comment lists, or all rules if it lists none. */
const IGNORE_COMMENT = /squawk-ignore(?:-file)?\b(.*)/g;
const SQUAWK = join(import.meta.dirname, '..', '..', 'node_modules', 'squawk-cli', 'js', 'bin', 'squawk');
const OLDEST_POSTGRES = '15.0';

/** A violation as reported by squawk; the first line is 0. */
type Violation = { file: string; line: number; rule_name: string; message: string };
type Problems = { errors: string[]; warnings: string[] };

/**
 * Checks the migrations in `folder` that are newer than `LAST_UNCHECKED` (docs/decisions/048-migrations.md). `changelog` is the
 * text of the changelog, which lists the released versions.
 */
export async function checkMigrations(folder: string, changelog: string): Promise<Problems> {
  const releases = [...changelog.matchAll(RELEASE)].map(([, version]) => version);
  const problems: Problems = { errors: [], warnings: [] };
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  const checked = names.filter((name) => Number(name.slice(0, 4)) > LAST_UNCHECKED).sort();
  if (checked.length === 0) return problems;
  const violations = await lint(checked.map((name) => join(folder, name)));
  for (const name of checked) {
    const text = await readFile(join(folder, name), 'utf8');
    const fileViolations = violations.filter(({ file }) => file === join(folder, name));
    const violationsOf = (rules: readonly string[]) =>
      fileViolations
        .filter(({ rule_name: rule }) => rules.includes(rule))
        .map(({ line, message, rule_name: rule }) => `${name}:${line + 1} ${message} (${rule})`);
    const breaking = [...violationsOf(BREAKING_RULES), ...findPositions(name, text, BREAKING_STATEMENTS)];
    const release = CONTRACT.exec(text)?.[1];
    for (const [comment, rules = ''] of text.matchAll(IGNORE_COMMENT)) {
      if (!rules.split(',').every((rule) => IGNORABLE_RULES.includes(rule.trim())))
        problems.errors.push(`${name} "${comment}": only ${IGNORABLE_RULES.join(', ')} can be ignored`);
    }
    if (release !== undefined && !releases.includes(release)) {
      problems.errors.push(`${name} names ${release}, which is not a released version`);
    }
    if (release === undefined)
      problems.errors.push(...breaking.map((problem) => `${problem} ${HOW_TO_REMOVE}`));
    problems.errors.push(
      ...violationsOf(BLOCKING_RULES).map((problem) => `${problem} ${HOW_TO_IGNORE}`),
      ...violationsOf(['syntax-error']),
    );
    for (const position of findPositions(name, text, CONCURRENTLY))
      problems.errors.push(`${position} is not possible: ${ONE_TRANSACTION}`);
    problems.warnings.push(...violationsOf(WARNING_RULES));
  }
  return problems;
}

const ONE_TRANSACTION = 'all migrations run in one transaction';
const HOW_TO_REMOVE =
  'Processes of the previous release may still use it: stop using it in one release, then remove it in a later one with the comment "-- contract: <version> stopped using <it>".';
const HOW_TO_IGNORE = 'If the table is always small, write "-- squawk-ignore <rule>" above the statement.';

function findPositions(name: string, text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(
    ({ 0: words, index }) => `${name}:${text.slice(0, index).split('\n').length} ${words}`,
  );
}

async function lint(paths: readonly string[]): Promise<Violation[]> {
  const options = ['--reporter', 'json', '--assume-in-transaction', '--pg-version', OLDEST_POSTGRES];
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    // squawk exits with 1 if it finds a violation, so the exit code is ignored.
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
