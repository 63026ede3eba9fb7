import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Builder, Capabilities, type WebDriver, WebElement } from 'selenium-webdriver';
import { freePort } from '#api/testing/servers/free-port.ts';
import { findProgram } from '#scripts/browser/find-program.ts';
import type { Engine, Tab } from './engine.ts';

const BROWSER = join(import.meta.dirname, 'webkit-browser.js');
const LIBRARY_CHECK = "imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2;";
const READY_TIMEOUT_MS = 60_000;
const CHECK_INTERVAL_MS = 50;

/** WebKit's own messages about requests that fail or that a reload cancels, and about an unknown CSP directive. */
const EXPECTED_ERRORS = [
  /^CONSOLE NETWORK ERROR/,
  /^CONSOLE JS ERROR Fetch API cannot load \S+ due to access control checks/,
  /^CONSOLE JS ERROR FetchEvent\.respondWith received an error: no-response: .*\/uploads\//,
  /^CONSOLE JS ERROR Cannot load \S+\/uploads\//,
  // From the `handled` promise of a failed FetchEvent; fetch in the app throws a TypeError instead.
  /^CONSOLE JS ERROR Unhandled Promise Rejection: NetworkError: +A network error occurred\.$/,
  /^CONSOLE SECURITY ERROR Unrecognized Content-Security-Policy directive 'manifest-src'/,
];

const programs = () => ({
  driver: findProgram(['WebKitWebDriver']),
  xvfb: findProgram(['Xvfb']),
  gjs: findProgram(['gjs']),
});

/** Starts a virtual display. */
async function startDisplay(): Promise<{ name: string; process: ChildProcess }> {
  const args = ['-displayfd', '1', '-screen', '0', '1280x1024x24'];
  const display = spawn(programs().xvfb ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [number] = await once(display.stdout, 'data');
  return { name: `:${String(number).trim()}`, process: display };
}

/**
 * Reports console errors: WebKit prints each as a line of the form `http://… CONSOLE JS ERROR message`. Despite the name of the
 * setting in webkit-browser.js it prints to stderr.
 */
function watchConsole(driver: ChildProcess, onError: (error: string) => void): void {
  if (driver.stderr === null) return;
  createInterface(driver.stderr).on('line', (line) => {
    const message = /CONSOLE (?:\w+ )?ERROR .*/.exec(line)?.[0];
    if (message !== undefined && !EXPECTED_ERRORS.some((pattern) => pattern.test(message))) onError(message);
  });
}

async function waitUntilReady(address: string): Promise<void> {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  const isReady = async () => (await fetch(`${address}/status`)).ok;
  while (!(await isReady().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error('WebKitWebDriver did not become ready');
    await sleep(CHECK_INTERVAL_MS);
  }
}

async function find(driver: WebDriver, elementExpression: string): Promise<WebElement> {
  const result = await driver.executeScript(`return ${elementExpression}`);
  if (result instanceof WebElement) return result;
  throw new Error(`Element not found: ${elementExpression}`);
}

const tabOf = (driver: WebDriver): Omit<Tab, 'close'> => ({
  goto: (url) => driver.get(url),
  reload: () => driver.navigate().refresh(),
  evaluate: (expression) => driver.executeScript(`return ${expression}`),
  click: async (elementExpression) => (await find(driver, elementExpression)).click(),
  type: async (elementExpression, text) => (await find(driver, elementExpression)).sendKeys(text),
  chooseFile: async (elementExpression, path) => (await find(driver, elementExpression)).sendKeys(path),
});

/** The installed WebKitGTK, driven over its WebDriver on a virtual display. */
export const webkit: Engine = {
  name: 'WebKit',
  packages: ['webkit2gtk-driver', 'gir1.2-webkit2-4.1', 'gjs', 'xvfb'],

  isInstalled() {
    const { driver, xvfb, gjs } = programs();
    if (driver === undefined || xvfb === undefined || gjs === undefined) return false;
    return spawnSync(gjs, ['-c', LIBRARY_CHECK]).status === 0;
  },

  async open(profile, onError) {
    const display = await startDisplay();
    const port = await freePort();
    const service = spawn(programs().driver ?? '', [`--port=${port}`], {
      env: { ...process.env, DISPLAY: display.name, GDK_BACKEND: 'x11' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    watchConsole(service, onError);
    // The browser's processes share this pipe: when it closes, they have exited and the profile can be opened again.
    const closed = once(service, 'close');
    async function close(): Promise<void> {
      service.kill();
      await closed;
      display.process.kill();
    }
    try {
      const address = `http://127.0.0.1:${port}`;
      await waitUntilReady(address);
      const capabilities = new Capabilities({
        browserName: 'WebKitGTK',
        'webkitgtk:browserOptions': { binary: programs().gjs, args: ['-m', BROWSER, profile] },
      });
      const driver = await new Builder().usingServer(address).withCapabilities(capabilities).build();
      return {
        ...tabOf(driver),
        async close() {
          try {
            await driver.quit();
          } catch (error) {
            // Ends the browser, which may outlive its driver.
            display.process.kill();
            throw error;
          } finally {
            await close();
          }
        },
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
};
