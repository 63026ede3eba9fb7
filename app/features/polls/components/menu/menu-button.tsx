import { EllipsisVertical } from 'lucide-react';
import { lazy, useId, useRef, useState } from 'react';
import { rememberCard, useTakeLostFocus } from '#app/features/polls/hooks/use-take-lost-focus.ts';
import { Icon } from '#app/ui/icon.tsx';
import { LazyDialog } from '#app/ui/lazy-dialog.tsx';
import type { PollView } from '#sync/operations/operation.ts';

/** Loads the menu and the card that is shown after a report, so that reporting works offline from then on. */
const loadMenu = () =>
  Promise.all([
    import('./poll-menu.tsx'),
    import('#app/features/polls/components/card/hidden-card.tsx'),
  ]).then(([menu]) => menu);
const PollMenu = lazy(loadMenu);

type Props = {
  view: PollView;
  /** See `useTakeLostFocus`; none on screens where no card replaces that of a hidden poll. */
  focusKey?: string | undefined;
  className?: string;
};

/** Opens the menu of a poll, which is loaded on demand. Renders nothing for a poll that is removed or not posted yet. */
export function MenuButton({ view, focusKey: keyOfCard, className = '' }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const focusKey = keyOfCard ?? id;
  useTakeLostFocus(button, focusKey);
  const [menu, setMenu] = useState<'unmounted' | 'loading' | 'open' | 'closed'>('unmounted');
  if (view.createOp !== null || view.poll.removedFor !== undefined) return null;
  const preload = () => void loadMenu().catch(() => undefined);
  return (
    <>
      <button
        ref={button}
        type="button"
        // Only once the menu was open: the click that mounts the menu would close it again.
        popoverTarget={menu === 'open' || menu === 'closed' ? id : undefined}
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={menu === 'open'}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => {
          rememberCard(focusKey);
          if (menu === 'unmounted') setMenu('loading');
        }}
        className={`z-1 grid size-11 shrink-0 cursor-pointer place-items-center rounded-full text-muted hover:bg-base-300 ${className}`}
      >
        <Icon icon={EllipsisVertical} />
      </button>
      {menu !== 'unmounted' && (
        <LazyDialog onClose={() => setMenu('unmounted')}>
          <PollMenu
            id={id}
            view={view}
            button={button}
            onToggle={(isOpen) => setMenu(isOpen ? 'open' : 'closed')}
          />
        </LazyDialog>
      )}
    </>
  );
}
