import { atom } from 'jotai';
import { store } from '#app/lib/store.ts';

const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_KEY = 'theme';
const DEFAULT_THEME: Theme = 'dark';
/** `--color-base-200` of the themes (styles/themes.css), in which browsers draw their own bars. public/early.js has them, too. */
const PAGE_COLORS = { light: '#f6f3ee', dark: '#171310' };

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(THEME_KEY);
    return THEMES.find((theme) => theme === stored) ?? DEFAULT_THEME;
  } catch {
    return DEFAULT_THEME;
  }
}

function prefersLight(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: light)');
}

function applyTheme(theme: Theme): void {
  const isLight = theme === 'light' || (theme === 'system' && prefersLight().matches);
  const name = isLight ? 'light' : 'dark';
  document.documentElement.dataset.theme = name;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', PAGE_COLORS[name]);
}

const currentThemeAtom = atom<Theme>(DEFAULT_THEME);

export const themeAtom = atom(
  (get) => get(currentThemeAtom),
  (_get, set, theme: Theme) => {
    set(currentThemeAtom, theme);
    applyTheme(theme);
    try {
      localStorage.setItem(THEME_KEY, theme);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
  },
);

/** Applies the stored theme, which another tab has changed. */
export function followStoredTheme(): void {
  const theme = storedTheme();
  store.set(currentThemeAtom, theme);
  applyTheme(theme);
}

/** Reads the stored theme, which public/early.js has already applied, and follows changes of the system's theme. */
export function initTheme(): void {
  store.set(currentThemeAtom, storedTheme());
  prefersLight().addEventListener('change', () => applyTheme(store.get(currentThemeAtom)));
}
