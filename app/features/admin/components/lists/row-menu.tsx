import { EllipsisVertical } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Icon } from '#app/ui/icon.tsx';
import { type MenuItem, PopupMenu } from '#app/ui/popup-menu.tsx';

type Props = { label: string; items: readonly MenuItem[]; isDisabled?: boolean };

/** The menu of a row, with the button that opens it. */
export function RowMenu({ label, items, isDisabled = false }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        disabled={isDisabled}
        className="grid size-11 cursor-pointer place-items-center rounded-full hover:bg-base-300 disabled:cursor-not-allowed disabled:bg-transparent disabled:opacity-40"
      >
        <Icon icon={EllipsisVertical} className="md:rotate-90" />
      </button>
      <PopupMenu id={id} label={label} items={items} button={button} onToggle={setOpen} />
    </>
  );
}
