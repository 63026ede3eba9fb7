import { expect, type Page } from '@playwright/test';
import { readQueue } from './testing/device-db.ts';
import { card, newName, points } from './testing/people.ts';
import { joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

/** How a browser loses a connection: it says so, or it does not (as Safari after a long sleep). */
const LOSSES = [
  { how: 'with a word', isSaid: true },
  { how: 'without a word', isSaid: false },
];

/** Keeps every connection that the app opens to a user's database. */
async function watchConnections(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const connections: IDBDatabase[] = [];
    Reflect.set(window, 'connections', connections);
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function openWatched(name, version) {
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

for (const { how, isSaid } of LOSSES) {
  test(`a database that the browser closes ${how} is opened again once, and a vote arrives`, async ({
    newPerson,
  }) => {
    const question = `Lost ${how}?`;
    const { page: maker } = await newPerson();
    const { page, watch } = await newPerson();
    await register(maker, newName('mona'));
    await postPoll(maker, question);
    await watchConnections(page);
    const { id } = await joinIn(page, newName('nils'));
    await expect(card(page, question)).toContainText('0 votes');
    await untilKept(page);
    expect(await countConnections(page)).toBe(1);

    watch.expectLosses();
    await page.context().setOffline(true);
    await page.evaluate((says) => {
      const connections: IDBDatabase[] = Reflect.get(window, 'connections');
      for (const connection of connections) {
        connection.close();
        if (says) connection.dispatchEvent(new Event('close'));
      }
    }, isSaid);
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
