import { expect, type Page } from '@playwright/test';
import { DAY_MS, MINUTE_MS } from '#shared/time.ts';
import { readQueue, setFeedFetchedAt, updateCachedPoll } from './testing/device-db.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, points } from './testing/user-actions.ts';

const DAYS_AHEAD = 'days-ahead';

/** Shifts a page's `Date` by the number of days in its local storage. Timers are unaffected, as on a real device. */
async function shiftClock(page: Page): Promise<void> {
  await page.addInitScript(
    ([key, dayMs]) => {
      const { now } = Date;
      const shiftMs = Number(localStorage.getItem(key)) * dayMs;
      globalThis.Date = class extends Date {
        constructor(...parts: unknown[]) {
          if (parts.length === 0) super(now() + shiftMs);
          else super(...(parts as [number]));
        }
        static override now(): number {
          return now() + shiftMs;
        }
      } as DateConstructor;
    },
    [DAYS_AHEAD, DAY_MS] as const,
  );
}

test('devices whose clocks are 8 days fast or slow show polls by the server’s time and can vote', {
  tag: '@core',
}, async ({ newUser, server }) => {
  const [open, closing] = ['Open to all clocks?', 'Closing for all clocks?'];
  const { page: maker } = await newUser();
  const { page: otherPage } = await newUser();
  await register(maker, newName('olaf'));
  await postPoll(maker, open);
  await register(otherPage, newName('pia'));
  const { id: closingId } = await postPoll(otherPage, closing);

  const devices = await Promise.all(
    [8, -8].map(async (days) => {
      const localStorage = [{ name: DAYS_AHEAD, value: String(days) }];
      const storageState = { cookies: [], origins: [{ origin: server.address, localStorage }] };
      const { page, monitor } = await newUser({ storageState });
      monitor.expectNetworkErrors();
      await shiftClock(page);
      const { id } = await registerAndOpenHome(page, newName('quin'));
      return { page, userId: id };
    }),
  );
  const onEachDevice = (work: (page: Page, userId: number) => Promise<void>) =>
    Promise.all(devices.map(({ page, userId }) => work(page, userId)));

  await test.step('open polls show the time left', () =>
    onEachDevice(async (page) => {
      for (const question of [open, closing]) {
        await expect(card(page, question)).toContainText('3 days left');
        await expect(card(page, question).getByRole('button', { name: 'That' })).toBeVisible();
      }
      await waitForServiceWorker(page);
    }));

  await test.step('the dot on Refresh depends on the device’s clock at the fetch', () =>
    onEachDevice(async (page, userId) => {
      const becomeVisible = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      const dot = page.getByRole('button', { name: 'Refresh, there may be new polls' });
      await becomeVisible();
      // An unwanted dot would have appeared by then.
      await page.waitForTimeout(250);
      await expect(dot).toHaveCount(0);
      await setFeedFetchedAt(page, userId, (await page.evaluate(() => Date.now())) - 6 * MINUTE_MS);
      await becomeVisible();
      await expect(dot).toBeVisible();
    }));

  await test.step('a poll that has closed in the meantime is shown as expired, even offline', () =>
    onEachDevice(async (page, userId) => {
      await page.context().setOffline(true);
      const closesAt = new Date(Date.now() - MINUTE_MS).toISOString();
      await updateCachedPoll(page, userId, closingId, { closesAt });
      await page.reload();
      await expect(card(page, closing)).toContainText('Expired');
      await expect(card(page, closing).getByRole('button', { name: 'That' })).toHaveCount(0);
      await expect(card(page, open)).toContainText('3 days left');
    }));

  await test.step('a waiting vote survives a correction of the clock', () =>
    onEachDevice(async (page) => {
      await card(page, open).getByRole('button', { name: 'That' }).click();
      await expect(points(page)).toHaveText('10+1');
      await page.evaluate((key) => localStorage.removeItem(key), DAYS_AHEAD);
      await page.reload();
      await expect(card(page, open)).toContainText('Waiting to sync');
    }));

  await test.step('the vote is sent once the device is online again', () =>
    onEachDevice(async (page, userId) => {
      const results = page.waitForResponse((response) =>
        response.url().endsWith(`/api/questions/${closingId}`),
      );
      await page.context().setOffline(false);
      await expect(points(page)).toHaveText('11');
      await expect(card(page, open)).toContainText('100%');
      // The closed poll is fetched for its results.
      expect((await results).status()).toBe(200);
      expect((await readQueue(page, userId)).ops).toEqual([]);
    }));
});
