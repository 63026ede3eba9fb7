import { expect, type Page } from '@playwright/test';
import { DAY_MS, MINUTE_MS } from '#shared/time.ts';
import { changePoll, dateFeed, readQueue } from './testing/device-db.ts';
import { card, newName, points } from './testing/people.ts';
import { joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

const DAYS_OFF = 'days-off';

/** Lets a page's clock be off by what its storage says. Timers go as ever: on a device with a wrong date they do. */
async function letClockBeWrong(page: Page): Promise<void> {
  await page.addInitScript(
    ([key, dayMs]) => {
      const { now } = Date;
      const offMs = Number(localStorage.getItem(key)) * dayMs;
      globalThis.Date = class extends Date {
        constructor(...parts: unknown[]) {
          if (parts.length === 0) super(now() + offMs);
          else super(...(parts as [number]));
        }
        static override now(): number {
          return now() + offMs;
        }
      } as DateConstructor;
    },
    [DAYS_OFF, DAY_MS] as const,
  );
}

test('devices 8 days ahead and behind show polls by the clock of the server, and their votes arrive', async ({
  newPerson,
  server,
}) => {
  const [open, closing] = ['Open to all clocks?', 'Closing for all clocks?'];
  const { page: maker } = await newPerson();
  const { page: other } = await newPerson();
  await register(maker, newName('olaf'));
  await postPoll(maker, open);
  await register(other, newName('pia'));
  const { id: closingId } = await postPoll(other, closing);

  const devices = await Promise.all(
    [8, -8].map(async (days) => {
      const localStorage = [{ name: DAYS_OFF, value: String(days) }];
      const storageState = { cookies: [], origins: [{ origin: server.address, localStorage }] };
      const { page, watch } = await newPerson({ storageState });
      watch.expectLosses();
      await letClockBeWrong(page);
      const { id } = await joinIn(page, newName('quin'));
      return { page, userId: id };
    }),
  );
  const onEach = (work: (page: Page, userId: number) => Promise<void>) =>
    Promise.all(devices.map(({ page, userId }) => work(page, userId)));

  await test.step('what is open is open, with the time that is left', () =>
    onEach(async (page) => {
      for (const question of [open, closing]) {
        await expect(card(page, question)).toContainText('3 days left');
        await expect(card(page, question).getByRole('button', { name: 'That' })).toBeVisible();
      }
      await untilKept(page);
    }));

  await test.step('the dot on Refresh tells how long ago the feed was fetched, by the same clock', () =>
    onEach(async (page, userId) => {
      const comeBack = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      const dot = page.getByRole('button', { name: 'Refresh, there may be new polls' });
      await comeBack();
      await page.waitForTimeout(250);
      await expect(dot).toHaveCount(0);
      await dateFeed(page, userId, (await page.evaluate(() => Date.now())) - 6 * MINUTE_MS);
      await comeBack();
      await expect(dot).toBeVisible();
    }));

  await test.step('what has closed meanwhile is closed, and that without a network', () =>
    onEach(async (page, userId) => {
      await page.context().setOffline(true);
      const closesAt = new Date(Date.now() - MINUTE_MS).toISOString();
      await changePoll(page, userId, closingId, { closesAt });
      await page.reload();
      await expect(card(page, closing)).toContainText('Expired');
      await expect(card(page, closing).getByRole('button', { name: 'That' })).toHaveCount(0);
      await expect(card(page, open)).toContainText('3 days left');
    }));

  await test.step('a vote waits, and outlives a clock that is put right', () =>
    onEach(async (page) => {
      await card(page, open).getByRole('button', { name: 'That' }).click();
      await expect(points(page)).toHaveText('10+1');
      await page.evaluate((key) => localStorage.removeItem(key), DAYS_OFF);
      await page.reload();
      await expect(card(page, open)).toContainText('Waiting to sync');
    }));

  await test.step('it arrives as soon as there is a network', () =>
    onEach(async (page, userId) => {
      const results = page.waitForResponse((answer) => answer.url().endsWith(`/api/questions/${closingId}`));
      await page.context().setOffline(false);
      await expect(points(page)).toHaveText('11');
      await expect(card(page, open)).toContainText('100%');
      // What has closed is fetched for its results.
      expect((await results).status()).toBe(200);
      expect((await readQueue(page, userId)).ops).toEqual([]);
    }));
});
