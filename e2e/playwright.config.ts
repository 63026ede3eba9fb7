import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { findBrowser } from '#scripts/browser/find-browser.ts';
import { keepTemporaryFilesInMemory } from '#scripts/run/memory-folder.ts';
import { ROOT } from '#scripts/run/root.ts';

keepTemporaryFilesInMemory();

const browser = await findBrowser();

export default defineConfig({
  testDir: import.meta.dirname,
  // The other tests in e2e/ run in Vitest.
  testMatch: '*.spec.ts',
  outputDir: join(ROOT, 'test-results'),
  globalSetup: './testing/global-setup.ts',
  // Each worker has its own server. On two cores a fourth worker saves 5% of the time and makes tests time out.
  workers: 3,
  timeout: 90_000,
  // For timeouts on two busy cores: a test that fails once does not fail the run, but `npm test` lists it as flaky.
  retries: 1,
  // This many failures have a common cause, such as an app that does not start: the run ends early.
  maxFailures: 30,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: browser.executablePath,
      args: browser.args,
      env: { ...process.env, ...browser.env },
    },
    viewport: { width: 375, height: 812 },
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    // Traces make the tests a third slower; TRACE=1 records them.
    trace: process.env.TRACE === undefined ? 'off' : 'retain-on-failure',
  },
});
