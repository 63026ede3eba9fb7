import { useAtomValue } from 'jotai';
import { themeAtom } from '#app/lib/browser/theme.ts';
import { IconButton } from '#app/ui/button.tsx';
import { THEME_ICONS, THEME_LABELS, ThemeChoice } from '#app/ui/forms/theme-choice.tsx';

const THEME_ID = 'theme-menu';

/** The theme button of the header. */
export default function ThemeToggle() {
  const theme = useAtomValue(themeAtom);
  return (
    <div>
      <IconButton
        icon={THEME_ICONS[theme]}
        label={`Theme: ${THEME_LABELS[theme]}`}
        popoverTarget={THEME_ID}
      />
      <div id={THEME_ID} popover="auto" className="header-popover w-max">
        <ThemeChoice />
      </div>
    </div>
  );
}
