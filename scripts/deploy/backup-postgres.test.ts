import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '#scripts/run/root.ts';
import { DAY_MS } from '#shared/time.ts';

const OLD_BACKUP = '2026-01-31T0300';
let folder = '';
const inFolder = (...names: string[]) => join(folder, ...names);
const backups = () => readdirSync(inFolder('backups')).toSorted();

/**
 * Stubs for programs that may not be installed. They write to the paths in their arguments, as passed by the script, and exit
 * with the codes in the environment.
 */
const STUBS = {
  pg_dump: 'echo "$PGDATABASE" > "$(echo "$2" | cut -d= -f2)"; exit "$PG_DUMP_EXIT_CODE"',
  rsync: 'mkdir "$4" && cp "$3"* "$4"; exit "$RSYNC_EXIT_CODE"',
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tot-backup-'));
  for (const name of ['bin', 'backups', 'data', 'data/uploads']) mkdirSync(inFolder(name));
  for (const [name, script] of Object.entries(STUBS)) {
    writeFileSync(inFolder('bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  writeFileSync(inFolder('data', 'uploads', 'a.webp'), 'an image');
  mkdirSync(inFolder('backups', OLD_BACKUP));
  const longAgo = new Date(Date.now() - 20 * DAY_MS);
  utimesSync(inFolder('backups', OLD_BACKUP), longAgo, longAgo);
});
afterEach(() => rm(folder, { recursive: true }));

function backUp(variables: Record<string, string> = {}): number | null {
  const env = {
    PATH: `${inFolder('bin')}:${process.env.PATH}`,
    DATA_DIR: inFolder('data'),
    PGDATABASE: 'polls',
    PG_DUMP_EXIT_CODE: '0',
    RSYNC_EXIT_CODE: '0',
    ...variables,
  };
  return spawnSync('sh', [join(ROOT, 'deploy', 'backup-postgres.sh'), inFolder('backups')], { env }).status;
}

// rsync exits with 24 if images were deleted while it copied them.
test.each(['0', '24'])(
  'a PostgreSQL backup contains database and images and deletes old backups if rsync exits with %s',
  (RSYNC_EXIT_CODE) => {
    expect(backUp({ RSYNC_EXIT_CODE })).toBe(0);
    const [created = '', ...others] = backups();
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d{4}$/);
    expect(others).toEqual(['latest']);
    expect(readFileSync(inFolder('backups', 'latest', 'polls.dump'), 'utf8')).toBe('polls\n');
    expect(readFileSync(inFolder('backups', created, 'uploads', 'a.webp'), 'utf8')).toBe('an image');
  },
);

test('a PostgreSQL backup succeeds without a folder of images', async () => {
  await rm(inFolder('data', 'uploads'), { recursive: true });
  expect(backUp()).toBe(0);
  expect(existsSync(inFolder('backups', 'latest', 'polls.dump'))).toBe(true);
});

test.each([{ PG_DUMP_EXIT_CODE: '1' }, { RSYNC_EXIT_CODE: '12' }])(
  'a failed PostgreSQL backup remains marked as partial and deletes no earlier backup: %o',
  (failure) => {
    expect(backUp(failure)).not.toBe(0);
    expect(backups()).toEqual([OLD_BACKUP, expect.stringMatching(/\.partial$/)]);
  },
);
