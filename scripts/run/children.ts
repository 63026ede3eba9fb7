import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { isBuildCurrent } from './build-stamp.ts';
import { ROOT } from './root.ts';

const TERMINATION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Starts a script with the Node that runs this process, since the one in the PATH may be older. */
export function spawnNode(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [...args], { cwd: ROOT, stdio: 'inherit', ...options });
}

/** Ends a child process when this process exits, even because of an error. */
export function endWithProcess(child: ChildProcess): void {
  process.once('exit', () => child.kill());
}

/** Whether a child process has exited or was killed. */
export function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Waits for a child process to exit; resolves with its exit code, or 1 if it was killed by a signal. */
export function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Calls `end` at the first signal of each kind that terminates a process; returns a function that stops listening. */
export function onTerminationSignal(end: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of TERMINATION_SIGNALS) process.once(signal, end);
  return () => {
    for (const signal of TERMINATION_SIGNALS) process.off(signal, end);
  };
}

/** Collects the output of a child process with piped output; returns a function that reads what it has printed so far. */
export function collectOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  }
  return () => Buffer.concat(chunks).toString().trimEnd();
}

/**
 * Builds the app unless the last build is current. The build runs in a separate process, so that its memory is released.
 * `onStart` is called before a build.
 */
export async function ensureBuild(onStart = () => {}): Promise<void> {
  if (isBuildCurrent()) return;
  onStart();
  const child = spawnNode([join(ROOT, 'scripts', 'build.ts')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const readOutput = collectOutput(child);
  const stopListening = onTerminationSignal((signal) => {
    child.kill(signal);
    process.exit(1);
  });
  const code = await exitCodeOf(child);
  stopListening();
  if (code !== 0) throw new Error(`${readOutput()}\nThe build failed.`);
}
