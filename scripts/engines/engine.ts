/** The only page of a running browser, driven by real input. An `element` is a JavaScript expression for one. */
export type Tab = {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** The value of a JavaScript expression in the page; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  click(element: string): Promise<void>;
  type(element: string, text: string): Promise<void>;
  /** Chooses a file for a file input. */
  chooseFile(element: string, path: string): Promise<void>;
  /** Ends the browser and waits until its process is gone. */
  close(): Promise<void>;
};

/** A browser engine that Playwright cannot drive as it is installed. */
export type Engine = {
  name: string;
  /** The Debian packages that it takes. */
  packages: readonly string[];
  isInstalled(): boolean;
  /** Starts the browser on a profile folder; `onError` hears each console error and uncaught error of its pages. */
  open(profile: string, onError: (error: string) => void): Promise<Tab>;
};
