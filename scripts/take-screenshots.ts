import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import sharp from 'sharp';
import { findBrowser } from './browser/find-browser.ts';
import { ensureBuild } from './run/children.ts';
import { ROOT } from './run/root.ts';
import { seedServer } from './run/seed-server.ts';
import { startServer } from './run/started-server.ts';

const FOLDER = join(ROOT, 'docs', 'images');
/** The screenshots in the manifest, which browsers show in the installation dialog. */
const MANIFEST_FOLDER = join(ROOT, 'app', 'public', 'screenshots');
const WEBP_QUALITY = 78;
const PHONE = { viewport: { width: 375, height: 812 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 };
const COLOURS = 256;

type Theme = 'dark' | 'light';

/** Build machines often have few fonts. Prefers Inter, which is similar to the system fonts of most phones. */
async function writeFontsConfig(folder: string): Promise<string> {
  const path = join(folder, 'fonts.conf');
  const alias = ['system-ui', 'sans-serif'].map(
    (family) =>
      `<alias binding="same"><family>${family}</family><prefer><family>Inter</family><family>Open Sans</family></prefer></alias>`,
  );
  await writeFile(
    path,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><include ignore_missing="yes">${process.env.FONTCONFIG_FILE ?? '/etc/fonts/fonts.conf'}</include>${alias.join('')}</fontconfig>`,
  );
  return path;
}

async function save(page: Page, name: string, manifestName?: string): Promise<void> {
  // By then toasts have disappeared and the animation of points has finished.
  await page.waitForTimeout(6_000);
  const png = await page.screenshot({ animations: 'disabled' });
  const reduced = await sharp(png)
    .png({ palette: true, colours: COLOURS, effort: 10, compressionLevel: 9 })
    .toBuffer();
  await writeFile(join(FOLDER, `${name}.png`), reduced);
  console.log(`${name}.png  ${Math.round(reduced.length / 1000)} kB`);
  if (manifestName === undefined) return;
  const webp = await sharp(png).webp({ quality: WEBP_QUALITY, effort: 6 }).toBuffer();
  await writeFile(join(MANIFEST_FOLDER, `${manifestName}.webp`), webp);
  console.log(`${manifestName}.webp  ${Math.round(webp.length / 1000)} kB`);
}

async function signUp(page: Page, username: string): Promise<void> {
  await page.goto('/auth?tab=signup&next=%2Fhome');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(`${username}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill('seen in the images');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await page.waitForURL(/\/home$/);
}

async function open(browser: Browser, baseURL: string, device: typeof PHONE | typeof DESKTOP, theme: Theme) {
  const context = await browser.newContext({ ...device, baseURL, locale: 'en-GB' });
  await context.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
  return context.newPage();
}

async function vote(page: Page, question: string, caption: string): Promise<void> {
  const card = page.getByRole('article', { name: question });
  await card.getByRole('button', { name: caption }).click();
  await card.getByText('%').first().waitFor();
}

async function takePhone(browser: Browser, address: string, theme: Theme): Promise<void> {
  const page = await open(browser, address, PHONE, theme);
  await signUp(page, theme === 'dark' ? 'lea.b' : 'olu');
  await page.getByRole('article', { name: 'First cup of the day?' }).waitFor();
  await save(page, `home-mobile-${theme}`, theme === 'dark' ? 'polls-narrow' : undefined);
  if (theme === 'dark') await takeVoted(page);
  await page.context().close();
}

async function takeVoted(page: Page): Promise<void> {
  await vote(page, 'First cup of the day?', 'Coffee');
  // The result of the vote, the whole next card, and the beginning of the one after it.
  const next = page.getByRole('article', { name: 'Two free days in June' });
  await next.evaluate((card) => card.scrollIntoView({ block: 'end' }));
  await page.evaluate(() => window.scrollBy(0, 90));
  await save(page, 'voted-mobile-dark', 'voted-narrow');
}

async function takeDesktop(browser: Browser, address: string, theme: Theme): Promise<void> {
  const page = await open(browser, address, DESKTOP, theme);
  await signUp(page, theme === 'dark' ? 'nora' : 'paul');
  await vote(page, 'First cup of the day?', 'Coffee');
  await page.evaluate(() => window.scrollTo(0, 0));
  await save(page, `home-desktop-${theme}`, theme === 'dark' ? 'polls-wide' : undefined);
  await page.context().close();
}

await ensureBuild();
for (const folder of [FOLDER, MANIFEST_FOLDER]) await mkdir(folder, { recursive: true });
const scratch = await mkdtemp(join(tmpdir(), 'this-or-that-images-'));
const program = await findBrowser();
const browser = await chromium.launch({
  ...program,
  env: { ...program.env, FONTCONFIG_FILE: await writeFontsConfig(scratch) },
});
const server = await startServer().catch(async (error: unknown) => {
  await browser.close();
  throw error;
});
try {
  await seedServer(server.address);
  for (const theme of ['dark', 'light'] as const) {
    await takePhone(browser, server.address, theme);
    await takeDesktop(browser, server.address, theme);
  }
} finally {
  await browser.close();
  await server.remove();
  await rm(scratch, { recursive: true, force: true });
}
