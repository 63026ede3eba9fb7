import { useSetAtom } from 'jotai';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useRootClass } from '#app/lib/browser/use-root-class.ts';
import { newestToastId, openModalCountAtom } from '#app/lib/toasts.ts';
import { CloseButton, MessageStack, type Place, ToastRegion } from './feedback/toast-region.tsx';

type Props = {
  labelledBy: string;
  /** Called for Esc, and for Back on Android. */
  onClose(): void;
  className?: string;
  /** The place where toasts cover neither the title nor the buttons of the dialog. */
  toastPlace?: Place;
  children: ReactNode;
};

/**
 * A modal dialog, open while it is rendered. The focus starts at the element with `data-first-focus`, else at the first element
 * that can have it, and returns to the opener when the dialog closes.
 */
export function Modal({ labelledBy, onClose, className = '', toastPlace = 'modal', children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [newestIdAtOpen] = useState(newestToastId);
  useRootClass('has-modal');
  const setOpenModalCount = useSetAtom(openModalCountAtom);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    setOpenModalCount((count) => count + 1);
    return () => {
      setOpenModalCount((count) => count - 1);
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      // The opener may be disabled by now, because the points are spent.
      if (document.activeElement !== opener) document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, [setOpenModalCount]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={labelledBy}
      // In React, events also bubble to a card around the dialog, which has shortcuts of its own.
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        // A file input inside sends the same event when its picker is cancelled.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      // Browsers close a dialog at a repeated Esc or Back even if the page prevents it. `onClose` decides whether it closes.
      onClose={(event) => {
        event.currentTarget.showModal();
        onClose();
      }}
      className={`m-auto animate-enter bg-base-100 text-base-content backdrop:bg-black/60 ${className}`}
    >
      {children}
      <MessageStack place={toastPlace}>
        <ToastRegion shownAfterId={newestIdAtOpen} />
      </MessageStack>
    </dialog>
  );
}

type SheetDialogProps = { title: ReactNode; onClose(): void; hasCloseButton?: boolean; children: ReactNode };

/** A dialog for a short question: a bottom sheet on a phone, a centred card on a desktop. */
export function SheetDialog({ title, onClose, hasCloseButton = false, children }: SheetDialogProps) {
  const id = useId();
  return (
    <Modal
      labelledBy={id}
      onClose={onClose}
      toastPlace="sheet"
      className="sheet w-full overflow-y-auto rounded-t-card max-md:mb-0 md:w-[26rem] md:rounded-card"
    >
      <div className="grid grid-cols-1 gap-2 p-5 pb-[calc(1.25rem+env(safe-area-inset-bottom))]">
        <div className="flex items-start justify-between gap-2">
          <h2 id={id} className="text-title">
            {title}
          </h2>
          {hasCloseButton && <CloseButton aria-label="Close" onClick={onClose} className="-m-1.5" />}
        </div>
        {children}
      </div>
    </Modal>
  );
}
