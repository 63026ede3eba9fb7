import { useSetAtom } from 'jotai';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { newestToastId, openModalsAtom } from '#app/lib/toasts.ts';
import { BottomStack } from './bottom-stack.tsx';
import { ToastRegion } from './toast-region.tsx';

type Props = { labelledBy: string; onClose(): void; className?: string; children: ReactNode };

/**
 * A modal dialog; open as long as it is rendered. Esc closes it, and the focus goes back where it was. It begins at
 * what is marked `data-first-focus`, otherwise at the first button.
 */
export function Modal({ labelledBy, onClose, className = '', children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [openedAfter] = useState(newestToastId);
  const countModals = useSetAtom(openModalsAtom);
  useEffect(() => {
    const opener = document.activeElement;
    const page = document.documentElement;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    countModals((count) => count + 1);
    page.classList.add('overflow-hidden');
    return () => {
      countModals((count) => count - 1);
      page.classList.remove('overflow-hidden');
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      // What opened it can be disabled by now (the points are spent).
      if (document.activeElement !== opener) document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, [countModals]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={labelledBy}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`m-auto animate-enter bg-base-100 text-base-content backdrop:bg-black/60 ${className}`}
    >
      {children}
      <BottomStack layer="modal">
        <ToastRegion modalSince={openedAfter} />
      </BottomStack>
    </dialog>
  );
}
