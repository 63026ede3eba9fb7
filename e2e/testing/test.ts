import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import { type PushService, startPushService } from './push-service.ts';
import { startNewInstallation, startUnused } from './servers.ts';
import { Watch } from './watch.ts';

/** Somebody with a device of their own. */
type Person = { page: Page; watch: Watch };

/** Opens the browser of one more person; what goes wrong on their pages fails the test. */
export type NewPerson = (options?: BrowserContextOptions) => Promise<Person>;

type Fixtures = {
  newPerson: NewPerson;
  /** A server that no other test uses. Ask for it before `newPerson`, so that it outlives the pages. */
  ownServer: StartedServer;
  /** Whether `ownServer` has just created its database, and not a copy of one. */
  isNewInstallation: boolean;
};

type WorkerFixtures = {
  /** Where the server sends push messages to. */
  pushService: PushService;
  server: StartedServer;
};

/**
 * The test function of all specs: a server a worker, and as many people as a test needs. A spec whose server differed
 * would have workers of its own, which begin when all others have ended.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  pushService: [
    async ({}, use) => {
      const service = await startPushService();
      await use(service);
      await service.close();
    },
    { scope: 'worker' },
  ],

  server: [
    async ({ pushService }, use) => {
      const server = await startUnused({ PUSH_TEST_ORIGIN: pushService.origin });
      await use(server);
      await server.remove();
    },
    { scope: 'worker', timeout: 90_000 },
  ],

  isNewInstallation: [false, { option: true }],

  ownServer: async ({ isNewInstallation }, use) => {
    const server = await (isNewInstallation ? startNewInstallation() : startUnused());
    await use(server);
    await server.remove();
  },

  newPerson: async ({ browser, server }, use, info) => {
    const people: Person[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: server.address, ...options });
      const watch = await Watch.over(context);
      const person = { page: await context.newPage(), watch };
      people.push(person);
      return person;
    });
    if (info.status !== info.expectedStatus) {
      await info.attach('server log', { body: server.log(), contentType: 'text/plain' });
    }
    for (const { page } of people) await page.context().close();
    expect(people.flatMap(({ watch }) => watch.problems)).toEqual([]);
  },
});
