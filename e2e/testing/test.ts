import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import { type PushService, startPushService } from './push-service.ts';
import { startFromTemplate, startNewInstallation } from './servers.ts';
import { Watch } from './watch.ts';

/** A person with their own browser context. */
type Person = { page: Page; watch: Watch };

/** Opens a browser context for one more person; unexpected errors on its pages fail the test. */
export type NewPerson = (options?: BrowserContextOptions) => Promise<Person>;

type Fixtures = {
  newPerson: NewPerson;
  /** A server for this test alone. List it before `newPerson`, so that it is stopped after the pages are closed. */
  ownServer: StartedServer;
  /** Whether `ownServer` creates its own database in place of a copy of the template. */
  isNewInstallation: boolean;
};

type WorkerFixtures = {
  /** Receives the push messages of the server. */
  pushService: PushService;
  server: StartedServer;
};

/**
 * The test function of all specs, with a server for each worker and as many people as a test needs. A spec with another
 * server fixture would need its own workers, which Playwright starts only after all others have ended.
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
      const server = await startFromTemplate({ PUSH_TEST_ORIGIN: pushService.origin });
      await use(server);
      await server.remove();
    },
    { scope: 'worker', timeout: 90_000 },
  ],

  isNewInstallation: [false, { option: true }],

  ownServer: async ({ isNewInstallation }, use) => {
    const server = await (isNewInstallation ? startNewInstallation() : startFromTemplate());
    await use(server);
    await server.remove();
  },

  newPerson: async ({ browser, server }, use, info) => {
    const people: Person[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: server.address, ...options });
      const watch = await Watch.start(context);
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
