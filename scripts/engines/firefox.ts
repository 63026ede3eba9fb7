import puppeteer, { type ElementHandle, type Page } from 'puppeteer-core';
import { findProgram } from '#scripts/browser/find-program.ts';
import type { Engine } from './engine.ts';

const PHONE = { width: 375, height: 812 };
/**
 * Firefox's own messages about failed WebSocket connections, and about image requests that fail or that a reload cancels. Over
 * BiDi they arrive as `pageerror`, like uncaught errors.
 */
const EXPECTED_ERRORS = [
  /can’t establish a connection to the server at ws:/,
  /The connection to ws:\S+ was interrupted/,
  /Failed to load ‘\S+\/uploads\/\S+’. A ServiceWorker intercepted the request/,
];

const program = () => findProgram(['firefox-esr', 'firefox']);

async function find(page: Page, elementExpression: string): Promise<ElementHandle<HTMLInputElement>> {
  const handle = (await page.evaluateHandle(elementExpression)).asElement();
  if (handle === null) throw new Error(`Element not found: ${elementExpression}`);
  return handle as ElementHandle<HTMLInputElement>;
}

/** The installed Firefox, driven over WebDriver BiDi. */
export const firefox: Engine = {
  name: 'Firefox',
  packages: ['firefox-esr'],
  isInstalled: () => program() !== undefined,

  async open(profile, onError) {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: program() ?? '',
      userDataDir: profile,
    });
    const page = (await browser.pages())[0] ?? (await browser.newPage());
    // The launch option `defaultViewport` applies only to pages opened later.
    await page.setViewport(PHONE);
    page.on('console', (message) => {
      if (message.type() === 'error') onError(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => {
      const text = String(error);
      if (!EXPECTED_ERRORS.some((pattern) => pattern.test(text))) onError(`uncaught: ${text}`);
    });
    return {
      async goto(url) {
        await page.goto(url);
      },
      async reload() {
        await page.reload();
      },
      evaluate: (expression) => page.evaluate(expression),
      click: async (elementExpression) => (await find(page, elementExpression)).click(),
      type: async (elementExpression, text) => (await find(page, elementExpression)).type(text),
      chooseFile: async (elementExpression, path) => (await find(page, elementExpression)).uploadFile(path),
      close: () => browser.close(),
    };
  },
};
