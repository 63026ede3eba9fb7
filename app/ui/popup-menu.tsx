import type { LucideIcon } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

export type MenuItem = {
  icon: LucideIcon;
  label: string;
  isDestructive?: boolean;
  /** Given only for an action that takes a moment: whether it is running. The menu remains open until it has ended. */
  isBusy?: boolean;
} & (
  | { onSelect(): void }
  /** Opens in a new tab, or is saved as a file. */
  | { href: string; isDownload?: boolean }
);

type Props = {
  /** The `popoverTarget` of the button. */
  id: string;
  label: string;
  items: readonly MenuItem[];
  button: RefObject<HTMLButtonElement | null>;
  /** Whether the menu opens when it is mounted. */
  opensOnMount?: boolean;
  onToggle(isOpen: boolean): void;
};

const GAP_PX = 4;
const ITEM_PX = 48;
const PADDING_PX = 8;
const WIDTH_PX = 208;
const ITEM_CLASSES =
  'flex min-h-12 w-full cursor-pointer items-center gap-3 rounded-control px-3 text-left font-semibold text-field hover:bg-base-300 focus-visible:bg-base-300 aria-disabled:cursor-default aria-disabled:text-muted';

/** The actions of a row or card. The arrow keys move between them, Esc closes the menu. */
export function PopupMenu({ id, label, items, button, opensOnMount = false, onToggle }: Props) {
  const menu = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (opensOnMount) menu.current?.showPopover();
  }, [opensOnMount]);

  const isBusy = items.some((item) => item.isBusy);
  // The cleanup closes the menu once the action has ended.
  useEffect(() => (isBusy ? () => menu.current?.hidePopover() : undefined), [isBusy]);

  /** Places the menu below its button, or above it if there is no room. Its size is estimated until it is shown. */
  function placeMenu() {
    const anchor = button.current?.getBoundingClientRect();
    const menuElement = menu.current;
    if (anchor === undefined || menuElement === null) return;
    const height = menuElement.offsetHeight || items.length * ITEM_PX + 2 * PADDING_PX;
    const topBelow = anchor.bottom + GAP_PX;
    const hasRoomBelow = topBelow + height <= window.innerHeight;
    const top = hasRoomBelow ? topBelow : Math.max(GAP_PX, anchor.top - GAP_PX - height);
    menuElement.style.top = `${top + window.scrollY}px`;
    menuElement.style.left = `${Math.max(GAP_PX, anchor.right - (menuElement.offsetWidth || WIDTH_PX))}px`;
  }

  function menuItems() {
    return [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  }

  function onKeyDown(event: KeyboardEvent) {
    // A card around the menu has shortcuts of its own.
    event.stopPropagation();
    const itemElements = menuItems();
    const focusedIndex = itemElements.findIndex((item) => item.matches(':focus'));
    const nextIndices: Record<string, number> = {
      ArrowDown: (focusedIndex + 1) % itemElements.length,
      // With the focus on no item (-1), the last item gets it.
      ArrowUp: Math.max(focusedIndex, 0) - 1,
      Home: 0,
      End: -1,
    };
    const nextIndex = nextIndices[event.key];
    if (event.key === 'Tab') menu.current?.hidePopover();
    if (nextIndex === undefined) return;
    event.preventDefault();
    itemElements.at(nextIndex)?.focus();
  }

  return (
    <div
      ref={menu}
      id={id}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      popover="auto"
      onKeyDown={onKeyDown}
      onBeforeToggle={placeMenu}
      onToggle={({ newState }) => {
        onToggle(newState === 'open');
        if (newState !== 'open') return;
        placeMenu();
        menuItems()[0]?.focus({ preventScroll: true });
      }}
      className="absolute inset-auto m-0 w-max min-w-52 max-w-[calc(100vw-8px)] rounded-image border border-base-300 bg-base-100 p-2 text-base-content shadow-floating"
    >
      {items.map((item) => (
        <Item key={item.label} item={item} onClose={() => menu.current?.hidePopover()} />
      ))}
    </div>
  );
}

function Item({ item, onClose }: { item: MenuItem; onClose(): void }) {
  const content = (
    <>
      <Icon icon={item.icon} />
      <span className="wrap-anywhere">{item.isBusy ? 'One moment…' : item.label}</span>
    </>
  );
  const attributes = {
    role: 'menuitem',
    tabIndex: -1,
    className: `${ITEM_CLASSES} ${item.isDestructive ? 'text-error' : ''}`,
  };
  if ('href' in item) {
    const target = item.isDownload ? { download: true } : { target: '_blank', rel: 'noopener' };
    return (
      <a href={item.href} onClick={onClose} {...target} {...attributes}>
        {content}
      </a>
    );
  }
  return (
    <button
      type="button"
      aria-disabled={item.isBusy}
      onClick={() => {
        if (item.isBusy === undefined) onClose();
        item.onSelect();
      }}
      {...attributes}
    >
      {content}
    </button>
  );
}
