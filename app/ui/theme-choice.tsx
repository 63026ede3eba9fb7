import { useAtom } from 'jotai';
import { Monitor, Moon, Sun } from 'lucide-react';
import { type Theme, themeAtom } from '#app/lib/theme.ts';
import { Icon } from './icon.tsx';
import { SegmentedControl } from './segmented-control.tsx';

export const THEME_ICONS = { light: Sun, dark: Moon, system: Monitor };
export const THEME_LABELS: Record<Theme, string> = { light: 'Light', dark: 'Dark', system: 'System' };
const ORDER: readonly Theme[] = ['light', 'dark', 'system'];

export function ThemeChoice() {
  const [theme, setTheme] = useAtom(themeAtom);
  return (
    <SegmentedControl
      label="Theme"
      value={theme}
      onChange={setTheme}
      segments={ORDER.map((value) => ({
        value,
        label: (
          <>
            <Icon icon={THEME_ICONS[value]} size={16} />
            {THEME_LABELS[value]}
          </>
        ),
      }))}
    />
  );
}
