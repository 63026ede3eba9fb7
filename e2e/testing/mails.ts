import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import PostalMime from 'postal-mime';
import type { StartedServer } from '#scripts/run/started-server.ts';

/** The links in the mails to `address`, oldest first. Without SMTP each mail is a file, whose name contains its purpose. */
async function linksMailedTo(dataDir: string, address: string, purpose: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  const mails: { id: number; link: string }[] = [];
  for (const file of files.filter((name) => name.includes(`-${purpose}-`))) {
    const { to, text = '' } = await PostalMime.parse(await readFile(join(folder, file)));
    const link = /https?:\/\/\S+\?token=\S+/.exec(text)?.[0];
    if (link === undefined || !to?.some((recipient) => recipient.address === address)) continue;
    mails.push({ id: Number(/-(\d+)\.eml$/.exec(file)?.[1]), link });
  }
  return mails.sort((a, b) => a.id - b.id).map(({ link }) => link);
}

/** Waits for the mail number `nth` to `address`, counted from 1, and returns its link. */
export async function mailedLink(
  { dataDir }: StartedServer,
  purpose: 'verify' | 'reset' | 'email-changed' | 'second-step-on',
  address: string,
  nth = 1,
): Promise<string> {
  let link: string | undefined;
  await expect
    .poll(async () => {
      link = (await linksMailedTo(dataDir, address, purpose))[nth - 1];
      return link;
    }, `mail ${nth} to ${address}`)
    .toBeDefined();
  return link ?? '';
}
