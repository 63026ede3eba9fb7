/** The only page of a running browser, driven by real input. Each `elementExpression` is JavaScript for an element. */
export type Tab = {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Evaluates a JavaScript expression in the page, and awaits it if it is a promise. */
  evaluate(expression: string): Promise<unknown>;
  click(elementExpression: string): Promise<void>;
  type(elementExpression: string, text: string): Promise<void>;
  /** Chooses a file for a file input. */
  chooseFile(elementExpression: string, path: string): Promise<void>;
  /** Closes the browser and waits until its process has exited. */
  close(): Promise<void>;
};

/** A browser that Playwright cannot drive, since it is not one of Playwright's own builds. */
export type Engine = {
  name: string;
  /** The Debian packages that it needs. */
  packages: readonly string[];
  isInstalled(): boolean;
  /** Starts the browser on a profile folder; `onError` is called for each console error and uncaught error of its pages. */
  open(profile: string, onError: (error: string) => void): Promise<Tab>;
};
