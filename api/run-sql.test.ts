import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createServerData, PROCESS_TEST_TIMEOUT_MS, runScript } from './testing/servers/server-process.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('#scripts/run-sql.ts'));
const timeout = PROCESS_TEST_TIMEOUT_MS;

const data = await createServerData();
afterAll(() => data.remove());

test('the command runs a statement and prints its rows', { timeout }, async () => {
  const update = await runScript(SCRIPT, data.env, ["update users set points = 7 where username = 'nobody'"]);
  expect(update).toEqual({ code: 0, stdout: '', stderr: 'UPDATE 0\n' });
  const select = await runScript(SCRIPT, data.env, ['select 1 as a, null as b union all select 2, null']);
  expect(select).toEqual({
    code: 0,
    stdout: '{"a":1,"b":null}\n{"a":2,"b":null}\n',
    stderr: 'SELECT 2\n',
  });
  const create = await runScript(SCRIPT, data.env, ['create temp table t (a int)']);
  expect(create).toEqual({ code: 0, stdout: '', stderr: 'CREATE TABLE\n' });
});

test('the command reports a missing or wrong statement in one line', { timeout }, async () => {
  for (const args of [[], [''], ['select', '1']]) {
    expect(await runScript(SCRIPT, data.env, args)).toMatchObject({
      code: 1,
      stderr: 'Name one SQL statement, in quotes: npm run db:sql -- "select 1"\n',
    });
  }
  expect(await runScript(SCRIPT, data.env, ['select 1; select 2'])).toMatchObject({
    code: 1,
    stderr: 'cannot insert multiple commands into a prepared statement\n',
  });
  expect(await runScript(SCRIPT, data.env, ['select * from nothing'])).toMatchObject({
    code: 1,
    stderr: 'relation "nothing" does not exist\n',
  });
});
