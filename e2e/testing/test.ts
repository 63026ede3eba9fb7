import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import { ErrorMonitor } from './error-monitor.ts';
import { type PushService, startPushService } from './push-service.ts';
import { startFromTemplate, startNewInstallation } from './servers.ts';

/** A user's browser context, with one page. */
export type TestUser = { page: Page; monitor: ErrorMonitor };

/** Opens a browser context for another user; unexpected errors on its pages fail the test. */
export type NewUser = (options?: BrowserContextOptions) => Promise<TestUser>;

type Fixtures = {
  newUser: NewUser;
  /** A server that only this test uses. List it before `newUser`, so that it is stopped after the pages are closed. */
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
 * The test function of all specs, with a server for each worker and as many users as a test needs. A spec with another
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

  newUser: async ({ browser, server }, use, info) => {
    const users: TestUser[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: server.address, ...options });
      const monitor = await ErrorMonitor.start(context);
      const user = { page: await context.newPage(), monitor };
      users.push(user);
      return user;
    });
    if (info.status !== info.expectedStatus) {
      await info.attach('server log', { body: server.log(), contentType: 'text/plain' });
    }
    for (const { page } of users) await page.context().close();
    expect(users.flatMap(({ monitor }) => monitor.problems)).toEqual([]);
  },
});
