import { expect, type Page } from '@playwright/test';
import { readQueue } from './testing/device-db.ts';
import { postPoll, register, registerAndOpenHome, waitForServiceWorker } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName, points } from './testing/user-actions.ts';

/** A browser that closes a connection fires `close`, but Safari may not do so after a long sleep. */
const LOSSES = [
  { how: 'with an event', firesEvent: true },
  { how: 'without an event', firesEvent: false },
];

/** Records in `window.connections` every connection that the app opens to a user's database. */
async function recordConnections(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const connections: IDBDatabase[] = [];
    Reflect.set(window, 'connections', connections);
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function openRecorded(name, version) {
      const request = open.call(this, name, version);
      request.addEventListener('success', () => {
        if (name.startsWith('this-or-that-user-')) connections.push(request.result);
      });
      return request;
    };
  });
}

const countConnections = (page: Page) =>
  page.evaluate((): number => Reflect.get(window, 'connections').length);

for (const { how, firesEvent } of LOSSES) {
  test(`a database that the browser closes ${how} is reopened once, and a vote is sent`, {
    tag: firesEvent ? '@core' : [],
  }, async ({ newUser }) => {
    const question = `Lost ${how}?`;
    const { page: maker } = await newUser();
    const { page, monitor } = await newUser();
    await register(maker, newName('mona'));
    await postPoll(maker, question);
    await recordConnections(page);
    const { id } = await registerAndOpenHome(page, newName('nils'));
    await expect(card(page, question)).toContainText('0 votes');
    await waitForServiceWorker(page);
    expect(await countConnections(page)).toBe(1);

    monitor.expectNetworkErrors();
    await page.context().setOffline(true);
    await page.evaluate((fires) => {
      const connections: IDBDatabase[] = Reflect.get(window, 'connections');
      for (const connection of connections) {
        connection.close();
        if (fires) connection.dispatchEvent(new Event('close'));
      }
    }, firesEvent);
    await card(page, question).getByRole('button', { name: 'That' }).click();
    await expect(points(page)).toHaveText('10+1');
    await expect(card(page, question)).toContainText('Waiting to sync');
    expect(await countConnections(page)).toBe(2);
    expect((await readQueue(page, id)).ops).toHaveLength(1);

    await page.context().setOffline(false);
    await expect(points(page)).toHaveText('11', { timeout: 40_000 });
    await expect(card(page, question)).toContainText('100%');
    expect(await readQueue(page, id)).toEqual({ ops: [], images: [] });
  });
}
