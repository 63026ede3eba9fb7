import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type LoadOptions = {
  url: string;
  connections: number;
  seconds: number;
  /** A Lua script for wrk, and its arguments. */
  script?: { path: string; args: readonly (string | number)[] };
  headers?: Readonly<Record<string, string>>;
};

/** Requests per second, and percentiles of their latencies. */
export type Load = { perSecond: number; p50Ms: number; p99Ms: number };

/** Loads a server with wrk. Throws an error if a request fails, or if the status of a response is 400 or higher. */
export async function load(options: LoadOptions): Promise<Load> {
  const { errors, ...result } = await loadAllowingErrors(options);
  if (errors.length > 0) throw new Error(`Not every request succeeded: ${errors.join(', ')}`);
  return result;
}

/** Loads a server with wrk; `errors` are the lines of its output about failed requests and statuses from 400. */
export async function loadAllowingErrors({
  url,
  connections,
  seconds,
  script,
  headers = {},
}: LoadOptions): Promise<Load & { errors: string[] }> {
  const { stdout } = await run('wrk', [
    '--latency',
    // The scripts divide their requests between two threads.
    ...['--timeout', '10s', '--threads', '2'],
    ...['--connections', String(connections), '--duration', `${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(script === undefined ? [] : ['--script', script.path]),
    url,
    ...(script === undefined ? [] : ['--', ...script.args.map(String)]),
  ]);
  return {
    errors: stdout.match(/(?:Non-2xx|Socket errors).*/g) ?? [],
    perSecond: Number(find(stdout, /Requests\/sec:\s+([\d.]+)/)),
    p50Ms: toMs(find(stdout, /50%\s+([\d.]+[mu]?s)/)),
    p99Ms: toMs(find(stdout, /99%\s+([\d.]+[mu]?s)/)),
  };
}

function find(text: string, pattern: RegExp): string {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`The output of wrk does not match ${pattern}:\n${text}`);
  return value;
}

/** wrk prints times as 812.00us, 3.21ms or 1.02s. */
function toMs(text: string): number {
  const value = Number.parseFloat(text);
  if (text.endsWith('us')) return value / 1_000;
  return text.endsWith('ms') ? value : value * 1_000;
}
