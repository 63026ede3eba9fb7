import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import axeCore from 'axe-core';
import { DESKTOP, PHONE } from './screens.ts';

const THEMES = ['dark', 'light'] as const;

/**
 * Injects axe unless the document has it already. The builder would inject it twice for each analysis, so it gets `0`, a script
 * without effect. In its legacy mode it analyses the page itself, and needs no second page with axe.
 */
async function loadAxe(page: Page): Promise<AxeBuilder> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeCore.source);
  return new AxeBuilder({ page, axeSource: '0' }).setLegacyMode().options({ resultTypes: ['violations'] });
}

/**
 * Expects that axe finds no violations on the page in each viewport. It checks all rules in the dark theme, and the contrast of
 * colours also in the light theme. Leaves the page with the viewport of a phone.
 */
export async function expectNoViolations(
  page: Page,
  screenName: string,
  viewports = [PHONE, DESKTOP],
): Promise<void> {
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    // The themes differ only in colours, and colours do not depend on the width, so one viewport covers the light theme.
    for (const theme of viewport === viewports[0] ? THEMES : THEMES.slice(0, 1)) {
      await page.evaluate(async (name) => {
        document.documentElement.setAttribute('data-theme', name);
        // During a transition of colours or of an opening dialog the contrast is too low.
        const animations = document
          .getAnimations()
          .filter(
            ({ playState, effect }) =>
              playState === 'running' && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
          );
        await Promise.allSettled(animations.map(({ finished }) => finished));
      }, theme);
      const axe = await loadAxe(page);
      if (theme !== THEMES[0]) axe.withRules(['color-contrast']);
      const { violations } = await axe.analyze();
      const descriptions = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
      );
      expect.soft(descriptions, `${screenName}, ${theme}, ${viewport.width} px`).toEqual([]);
    }
  }
  await page.setViewportSize(PHONE);
}
