import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import axeCore from 'axe-core';
import { DESKTOP, PHONE } from './screens.ts';

const THEMES = ['dark', 'light'] as const;

/** Axe in the page, once a document: the builder would send and compile its source twice for each look. */
async function axeIn(page: Page): Promise<AxeBuilder> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeCore.source);
  return new AxeBuilder({ page, axeSource: '0' }).setLegacyMode().options({ resultTypes: ['violations'] });
}

/** Names what axe finds wrong on what is shown, in both themes. */
export async function expectNoViolations(
  page: Page,
  place: string,
  viewports = [PHONE, DESKTOP],
): Promise<void> {
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    // Between the widths all but the colours differs, between the themes nothing else does.
    for (const theme of viewport === viewports[0] ? THEMES : THEMES.slice(0, 1)) {
      await page.evaluate(async (name) => {
        document.documentElement.setAttribute('data-theme', name);
        // Half way from one colour to another, or of an opening dialog, the contrast is too low.
        const ending = document
          .getAnimations()
          .filter(
            ({ playState, effect }) =>
              playState === 'running' && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
          );
        await Promise.allSettled(ending.map(({ finished }) => finished));
      }, theme);
      const axe = await axeIn(page);
      if (theme !== THEMES[0]) axe.withRules(['color-contrast']);
      const { violations } = await axe.analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      expect.soft(found, `${place}, ${theme}, ${viewport.width} px`).toEqual([]);
    }
  }
  await page.setViewportSize(PHONE);
}
