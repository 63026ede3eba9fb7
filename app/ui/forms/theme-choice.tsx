import { useAtom } from 'jotai';
import { Monitor, Moon, Sun } from 'lucide-react';
import { type Theme, themeAtom } from '#app/lib/browser/theme.ts';
import { Icon } from '#app/ui/icon.tsx';
import { SegmentedControl } from './segmented-control.tsx';

export const THEME_ICONS = { light: Sun, dark: Moon, system: Monitor };
export const THEME_LABELS: Record<Theme, string> = { light: 'Light', dark: 'Dark', system: 'System' };

const segment = (theme: Theme) => (
  <>
    <Icon icon={THEME_ICONS[theme]} size={16} />
    {THEME_LABELS[theme]}
  </>
);

const SEGMENTS = { light: segment('light'), dark: segment('dark'), system: segment('system') };

export function ThemeChoice() {
  const [theme, setTheme] = useAtom(themeAtom);
  return <SegmentedControl label="Theme" value={theme} segments={SEGMENTS} onChange={setTheme} />;
}
