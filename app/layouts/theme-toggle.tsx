import { useAtom } from 'jotai';
import { Monitor, Moon, Sun } from 'lucide-react';
import { type Theme, themeAtom } from '#app/lib/theme.ts';
import { Icon } from '#app/ui/icon.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { Segments } from '#app/ui/segments.tsx';

const THEME_ID = 'theme-menu';
const ICONS = { light: Sun, dark: Moon, system: Monitor };
const LABELS: Record<Theme, string> = { light: 'Light', dark: 'Dark', system: 'System' };
const ORDER: readonly Theme[] = ['light', 'dark', 'system'];

/** Light, Dark or System, as a row. */
export function ThemeChoice() {
  const [theme, setTheme] = useAtom(themeAtom);
  return (
    <Segments
      label="Theme"
      value={theme}
      onChange={setTheme}
      segments={ORDER.map((value) => ({
        value,
        label: (
          <>
            <Icon of={ICONS[value]} size={16} />
            {LABELS[value]}
          </>
        ),
      }))}
    />
  );
}

/** The desktop header's theme button; on a phone the row stands in the menu. */
export default function ThemeToggle() {
  const [theme] = useAtom(themeAtom);
  return (
    <div className="max-md:hidden">
      <IconButton icon={ICONS[theme]} label={`Theme: ${LABELS[theme]}`} popoverTarget={THEME_ID} />
      <div id={THEME_ID} popover="auto" className="header-popover w-80">
        <ThemeChoice />
      </div>
    </div>
  );
}
