import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import type { TestApp } from './test-app.ts';

/** Sends what is queued, to files, and returns the newest mail to `address`. */
export async function mailTo({ deps }: Pick<TestApp, 'deps'>, address: string): Promise<Email> {
  await deps.mails.runDue();
  const folder = join(deps.env.dataDir, 'mail');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(
    files.map(async (name) => ({
      id: Number(/-(\d+)\.eml$/.exec(name)?.[1]),
      mail: await PostalMime.parse(await readFile(join(folder, name))),
    })),
  );
  const own = mails.filter(({ mail }) => mail.to?.some((to) => to.address === address));
  const newest = own.sort((one, other) => one.id - other.id).at(-1);
  if (newest === undefined) throw new Error(`No mail to ${address}.`);
  return newest.mail;
}

/** The token in the link of a mail. */
export function tokenIn({ text = '' }: Email): string {
  return /\?token=([A-Za-z0-9_-]+)/.exec(text)?.[1] ?? '';
}
