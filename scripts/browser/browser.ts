/** How to launch a Chromium: its program, extra arguments, and the environment that it needs. */
export type Browser = { executablePath: string; args: string[]; env: Record<string, string> };
