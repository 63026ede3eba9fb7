import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import { startNewInstallation, startUnused } from './servers.ts';
import { Watch } from './watch.ts';

/** Somebody with a device of their own. */
type Person = { page: Page; watch: Watch };

type Fixtures = {
  /** Opens the browser of one more person; what goes wrong on their pages fails the test. */
  newPerson: (options?: BrowserContextOptions) => Promise<Person>;
  /** A server that no other test uses. Ask for it before `newPerson`, so that it outlives the pages. */
  ownServer: StartedServer;
  /** Whether `ownServer` has just created its database, and not a copy of one. */
  isNewInstallation: boolean;
};

/** The test function of all specs: a server a worker, and as many people as a test needs. */
export const test = base.extend<Fixtures, { server: StartedServer }>({
  server: [
    async ({}, use) => {
      const server = await startUnused();
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
