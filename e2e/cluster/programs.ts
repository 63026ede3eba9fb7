import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findProgram, pathFolders } from '#scripts/browser/find-program.ts';
import { hasExited } from '#scripts/run/children.ts';

/** Debian's folders of system programs, which are only in root's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
/** The user that PostgreSQL's package creates. PostgreSQL and PgBouncer refuse to run as root. */
const SYSTEM_USER = 'postgres';

/** A program that a test may end. */
export type Program = {
  child: ChildProcess;
  output(): string;
  /** Resolves when the program has exited. */
  exited: Promise<unknown>;
  /** Sends the signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<void>;
};

/** The folders to search: those of PostgreSQL, newest first, then the PATH and the folders of system programs. */
function folders(): string[] {
  const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  return [
    ...newestFirst.map((version) => join(POSTGRES_VERSIONS, version, 'bin')),
    ...pathFolders(),
    ...SYSTEM_FOLDERS,
  ];
}

/** The path of a program, if it is installed. */
export const findInstalled = (name: string) => findProgram([name], folders());

function pathOf(name: string): string {
  const path = findInstalled(name);
  if (path === undefined) throw new Error(`${name} is not installed.`);
  return path;
}

/** The user as whom root runs the programs; undefined unless this process runs as root. */
function systemUser(): { uid: number; gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined;
  const idOf = (flag: string) => Number(spawnSync('id', [flag, SYSTEM_USER]).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Changes the owner of a file or folder to the user that the programs run as. */
export async function giveToPrograms(path: string): Promise<void> {
  const user = systemUser();
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

/** Starts a program, as `SYSTEM_USER` when this process runs as root. */
export function startProgram(name: string, args: readonly string[], folder: string): Program {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' };
  const child = spawn(pathOf(name), [...args], {
    ...systemUser(),
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  }
  const exited = once(child, 'close');
  return {
    child,
    output: () => output,
    exited,
    end: async (signal) => {
      if (!hasExited(child)) child.kill(signal);
      await exited;
    },
  };
}

/** Runs a program to its end. Throws an error with the output if the program fails. */
export async function runProgram(name: string, args: readonly string[], folder: string): Promise<void> {
  const program = startProgram(name, args, folder);
  await program.exited;
  if (program.child.exitCode !== 0) throw new Error(`${name} failed:\n${program.output()}`);
}
