import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import PostalMime from 'postal-mime';
import type { StartedServer } from '#scripts/run/started-server.ts';

/** Without SMTP each mail is a file, whose name says what it is for. */
async function linksTo(dataDir: string, address: string, purpose: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  const own: { id: number; link: string }[] = [];
  for (const file of files.filter((name) => name.includes(`-${purpose}-`))) {
    const { to, text = '' } = await PostalMime.parse(await readFile(join(folder, file)));
    const link = /https?:\/\/\S+\?token=\S+/.exec(text)?.[0];
    if (link === undefined || !to?.some((each) => each.address === address)) continue;
    own.push({ id: Number(/-(\d+)\.eml$/.exec(file)?.[1]), link });
  }
  return own.sort((one, other) => one.id - other.id).map(({ link }) => link);
}

/** The link in the `count`th mail to `address`, as soon as it is there. */
export async function mailedLink(
  { dataDir }: StartedServer,
  purpose: 'verify' | 'reset' | 'email-change' | 'email-changed' | 'second-step-on',
  address: string,
  count = 1,
): Promise<string> {
  let link: string | undefined;
  await expect
    .poll(async () => {
      link = (await linksTo(dataDir, address, purpose))[count - 1];
      return link;
    }, `mail ${count} to ${address}`)
    .toBeDefined();
  return link ?? '';
}
