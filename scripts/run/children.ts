import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { isBuildCurrent } from './build-stamp.ts';
import { ROOT } from './root.ts';

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Starts a script with the Node that runs this one (the machine's own may be older). */
export function spawnNode(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [...args], { cwd: ROOT, stdio: 'inherit', ...options });
}

/** The exit code of a child; 1 when a signal ended it. */
export function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Runs `end` at the first signal that asks this process to end; answers how to stop listening. */
export function onEndingSignal(end: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
  };
}

/** Gathers what a child with piped output prints; answers how to read it. */
export function collectOutput(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  }
  return () => Buffer.concat(chunks).toString().trimEnd();
}

/**
 * Builds the app in a process of its own, whose memory goes with it, unless the last build is current. `onStart` is called
 * before a build.
 */
export async function ensureBuild(onStart = () => {}): Promise<void> {
  if (isBuildCurrent()) return;
  onStart();
  const child = spawnNode([join(ROOT, 'scripts', 'build.ts')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = collectOutput(child);
  const stopListening = onEndingSignal((signal) => {
    child.kill(signal);
    process.exit(1);
  });
  const code = await exitCodeOf(child);
  stopListening();
  if (code !== 0) throw new Error(`${printed()}\nThe build failed.`);
}
