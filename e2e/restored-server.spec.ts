import { join } from 'node:path';
import { expect } from '@playwright/test';
import { exitCodeOf, spawnNode } from '#scripts/run/children.ts';
import { ROOT } from '#scripts/run/root.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

test('an open feed is fetched again after the server was restored', async ({ newUser, server }) => {
  const question = 'Restored or begun anew?';
  const { page: maker } = await newUser();
  await register(maker, newName('maxim'));
  await postPoll(maker, question);
  const { page, monitor } = await newUser({ serviceWorkers: 'block' });
  monitor.expectNetworkErrors();
  // The first requests after the restart have the old epoch.
  monitor.expectStatus(409, /\/api\//);
  await register(page, newName('rita'));
  await page.goto('/home');
  await expect(card(page, question)).toBeVisible();

  await server.stop();
  // A restore gives the database a new epoch.
  const renewal = spawnNode([join(ROOT, 'scripts', 'renew-epoch.ts')], {
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: server.dataDir },
    stdio: 'ignore',
  });
  expect(await exitCodeOf(renewal)).toBe(0);
  const feedResponse = page.waitForResponse(
    // Not a 304: the page has emptied its cache, which also contained the ETag of the feed.
    (response) => response.url().includes('/api/questions?') && response.status() === 200,
  );
  await server.start();
  await feedResponse;
  await expect(card(page, question)).toBeVisible();
});
