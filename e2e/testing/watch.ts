import type { BrowserContext, ConsoleMessage } from '@playwright/test';

type Expectation = { text: RegExp; url: RegExp };

/** A visitor's first question is who they are, and 401 is the answer. */
const ALWAYS_EXPECTED: Expectation = { text: /status of 401/, url: /\/api\/user$/ };

/** What a browser says of itself about a request that found no server. */
const LOSS =
  /net::ERR_(INTERNET_DISCONNECTED|CONNECTION_\w+|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED|NETWORK_CHANGED|ADDRESS_UNREACHABLE|FAILED)|closed before receiving a handshake response/;

/**
 * Listens to all pages of a context. A console error, an uncaught error or a CSP report is a problem, except the
 * browser's own lines about statuses and losses that the test has announced.
 */
export class Watch {
  readonly problems: string[] = [];
  readonly #expected: Expectation[] = [ALWAYS_EXPECTED];
  readonly #faults: RegExp[] = [];

  private constructor(context: BrowserContext) {
    context.on('console', (message) => this.#onConsole(message));
    context.on('weberror', (error) =>
      this.#onFault(`uncaught: ${error.error().stack || error.error().message}`),
    );
  }

  static async over(context: BrowserContext): Promise<Watch> {
    const watch = new Watch(context);
    await context.exposeFunction('reportPolicyBreak', (what: string) => {
      watch.problems.push(`CSP report: ${what}`);
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const what = `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`;
        Reflect.get(window, 'reportPolicyBreak')(what);
      });
    });
    return watch;
  }

  /** Announces that calls matching `url` are going to be answered with `status`. */
  expectStatus(status: number, url: RegExp): void {
    this.#expected.push({ text: new RegExp(`status of ${status}\\b`), url });
  }

  /** Announces that the server is going to be out of reach. */
  expectLosses(): void {
    this.#expected.push({ text: LOSS, url: /./ });
  }

  /** Announces that the test itself provokes an uncaught error with these words. */
  expectFault(words: RegExp): void {
    this.#faults.push(words);
  }

  #onFault(what: string): void {
    if (!this.#faults.some((words) => words.test(what))) this.problems.push(what);
  }

  #onConsole(message: ConsoleMessage): void {
    if (message.type() !== 'error') return;
    const text = message.text();
    const { url } = message.location();
    const isBrowsersOwn = /^(Failed to load resource|WebSocket connection to )/.test(text);
    const isExpected = this.#expected.some((each) => each.text.test(text) && each.url.test(url));
    if (!(isBrowsersOwn && isExpected)) this.#onFault(`console: ${text} (${url})`);
  }
}
