import { useAtomValue } from 'jotai';
import { Check, Clock, X } from 'lucide-react';
import { dismissToast, openModalsAtom, type Toast, toastsAtom } from '#app/lib/toasts.ts';
import { Icon } from './icon.tsx';

const ICONS = { good: Check, bad: X, waiting: Clock };
const DISCS = {
  good: 'bg-success text-success-content',
  bad: 'bg-error text-error-content',
  waiting: 'bg-neutral-content text-neutral',
};

type Props = {
  /** In a modal dialog: the newest message when it opened. Older ones would lie over its question. */
  modalSince?: number;
};

/** Short messages. The page's region is silent while a modal dialog, which has its own, is open. */
export function ToastRegion({ modalSince }: Props) {
  const toasts = useAtomValue(toastsAtom);
  const modals = useAtomValue(openModalsAtom);
  const forPage = modals === 0 ? toasts : [];
  const shown = modalSince === undefined ? forPage : toasts.filter(({ id }) => id > modalSince);
  return (
    <div role="status" aria-live="polite" className="grid gap-2">
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  return (
    <div className="pointer-events-auto flex animate-enter items-start gap-3 rounded-[18px] bg-neutral p-3 text-neutral-content shadow-floating">
      <span className={`grid size-8 shrink-0 place-items-center rounded-full ${DISCS[toast.tone]}`}>
        <Icon of={ICONS[toast.tone]} size={16} />
      </span>
      <div className="min-w-0 flex-1 self-center">
        <p className="font-display font-bold text-key">{toast.title}</p>
        {toast.text !== null && <p className="text-small opacity-85">{toast.text}</p>}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismissToast(toast.id)}
        className="-m-1.5 grid size-11 shrink-0 cursor-pointer place-items-center rounded-full"
      >
        <Icon of={X} />
      </button>
    </div>
  );
}
