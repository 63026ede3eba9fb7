import type { BrowserContext, ConsoleMessage } from '@playwright/test';

/** A message of the browser about a failed request to `url`. */
type ExpectedMessage = { text: RegExp; url: RegExp };

/** In a browser where somebody has logged in before, a page first asks who is logged in; without a session the response is 401. */
const ALWAYS_EXPECTED: ExpectedMessage = { text: /status of 401/, url: /\/api\/user$/ };

/** Chromium's console messages about requests that did not reach the server. */
const NETWORK_ERROR =
  /net::ERR_(INTERNET_DISCONNECTED|CONNECTION_\w+|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED|NETWORK_CHANGED|ADDRESS_UNREACHABLE|FAILED)|closed before receiving a handshake response/;

/**
 * Records the console errors, uncaught errors and CSP violations of all pages of a context as problems. Left out are errors, and
 * messages of the browser about failed requests, that the test expects.
 */
export class ErrorMonitor {
  readonly problems: string[] = [];
  readonly #expectedMessages: ExpectedMessage[] = [ALWAYS_EXPECTED];
  readonly #expectedErrors: RegExp[] = [];

  private constructor(context: BrowserContext) {
    context.on('console', (message) => this.#onConsole(message));
    context.on('weberror', (error) =>
      this.#reportUnlessExpected(`uncaught: ${error.error().stack || error.error().message}`),
    );
  }

  static async start(context: BrowserContext): Promise<ErrorMonitor> {
    const monitor = new ErrorMonitor(context);
    await context.exposeFunction('reportCspViolation', (description: string) => {
      monitor.problems.push(`CSP report: ${description}`);
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const description = `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`;
        Reflect.get(window, 'reportCspViolation')(description);
      });
    });
    return monitor;
  }

  /** Expects responses with `status` to calls that match `url`. */
  expectStatus(status: number, url: RegExp): void {
    this.#expectedMessages.push({ text: new RegExp(`status of ${status}\\b`), url });
  }

  /** Expects the browser's messages about requests that do not reach the server. */
  expectNetworkErrors(): void {
    this.#expectedMessages.push({ text: NETWORK_ERROR, url: /./ });
  }

  /** Expects uncaught errors whose text matches `pattern`, and console errors with the same text. */
  expectUncaughtError(pattern: RegExp): void {
    this.#expectedErrors.push(pattern);
  }

  #reportUnlessExpected(description: string): void {
    if (!this.#expectedErrors.some((pattern) => pattern.test(description))) this.problems.push(description);
  }

  #onConsole(message: ConsoleMessage): void {
    if (message.type() !== 'error') return;
    const text = message.text();
    const { url } = message.location();
    const isBrowserMessage = /^(Failed to load resource|WebSocket connection to )/.test(text);
    const isExpected = this.#expectedMessages.some(
      (expected) => expected.text.test(text) && expected.url.test(url),
    );
    if (!(isBrowserMessage && isExpected)) this.#reportUnlessExpected(`console: ${text} (${url})`);
  }
}
