import { useAtomValue } from 'jotai';
import { Check, Clock, X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect } from 'react';
import {
  dismissToast,
  keepToast,
  openModalCountAtom,
  releaseToast,
  type Toast,
  toastsAtom,
} from '#app/lib/toasts.ts';
import { Icon } from '#app/ui/icon.tsx';

/** The key that moves the focus to the button of the newest toast, which Tab reaches only at the end of the page. */
export const TOAST_KEY = 'F8';

const ICONS = { success: Check, error: X, pending: Clock };
const DISC_CLASSES = {
  success: 'bg-success text-success-content',
  error: 'bg-error text-error-content',
  pending: 'bg-neutral-content text-neutral',
};

type Props = {
  /** In a modal dialog, the id of the newest toast when the dialog opened: older toasts would cover its content. */
  shownAfterId?: number;
};

/** The toasts. While a modal dialog is open, the dialog shows them, and the region of the page is empty. */
export function ToastRegion({ shownAfterId }: Props) {
  const toasts = useAtomValue(toastsAtom);
  const openModalCount = useAtomValue(openModalCountAtom);
  const pageToasts = openModalCount === 0 ? toasts : [];
  const shownToasts = shownAfterId === undefined ? pageToasts : toasts.filter(({ id }) => id > shownAfterId);
  return (
    <div role="status" aria-live="polite" className="grid gap-2">
      {shownToasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast: { id, tone, title, text, action } }: { toast: Toast }) {
  // When a dialog opens or closes, the toast moves to another region, without an event.
  useEffect(() => () => releaseToast(id), [id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers offer nothing, they only keep the toast
    <div
      onFocus={() => keepToast(id)}
      onPointerEnter={() => keepToast(id)}
      onBlur={({ currentTarget }) => currentTarget.matches(':hover') || releaseToast(id)}
      onPointerLeave={({ currentTarget }) => currentTarget.matches(':focus-within') || releaseToast(id)}
      className="pointer-events-auto flex animate-enter items-start gap-3 rounded-[18px] bg-neutral p-3 text-neutral-content shadow-floating **:outline-neutral-content"
    >
      <span className={`grid size-8 shrink-0 place-items-center rounded-full ${DISC_CLASSES[tone]}`}>
        <Icon icon={ICONS[tone]} size={16} />
      </span>
      <div className="min-w-0 flex-1 self-center">
        <p className="font-display font-bold text-label">{title}</p>
        {text !== null && <p className="text-small opacity-85">{text}</p>}
      </div>
      {action !== null && (
        <button
          type="button"
          aria-keyshortcuts={TOAST_KEY}
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
          className="min-h-11 cursor-pointer px-2 font-semibold text-body underline underline-offset-3"
        >
          {action.label}
        </button>
      )}
      <CloseButton aria-label="Dismiss" onClick={() => dismissToast(id)} className="-m-1.5" />
    </div>
  );
}

export function CloseButton({ className = '', ...rest }: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className={`grid size-11 shrink-0 cursor-pointer place-items-center rounded-full ${className}`}
      {...rest}
    >
      <Icon icon={X} />
    </button>
  );
}

const PLACES = {
  // Above the bottom nav on a phone, bottom right on a desktop.
  bottom: 'z-40 md:right-5 md:left-auto md:w-[26rem]',
  // The submit button of a full-screen form is at the bottom.
  top: 'top-place z-40 md:right-5 md:left-auto md:w-[26rem]',
  // The vote buttons of the deck are at the bottom of a phone's screen.
  deck: 'z-40 max-md:top-[calc(8px+env(safe-area-inset-top))] max-md:bottom-auto md:right-5 md:left-auto md:w-[26rem]',
  // For a dialog that fills the screen of a phone: on a phone above its footer, on a desktop at the top, away from its buttons.
  modal: 'z-40 max-md:bottom-[calc(9.25rem+env(safe-area-inset-bottom))] md:top-2 md:bottom-auto',
  // A sheet leaves the top of the screen free.
  sheet: 'top-place z-40',
  connection: 'bottom-place-lowest z-15 md:right-5 md:left-auto md:w-[26rem]',
};

export type Place = keyof typeof PLACES;

/** A stack of messages over the page. */
export function MessageStack({ place, children }: { place: Place; children: ReactNode }) {
  return (
    <div
      className={`bottom-place pointer-events-none fixed inset-x-3 mx-auto grid max-w-[26rem] gap-2 ${PLACES[place]}`}
    >
      {children}
    </div>
  );
}
