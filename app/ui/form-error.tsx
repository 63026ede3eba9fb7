import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** What is wrong with a form as a whole. It can take the focus. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <div
      role="alert"
      tabIndex={-1}
      data-form-error
      className="flex items-start gap-2 rounded-key bg-base-300 px-3.5 py-3 text-body"
    >
      <Icon of={CircleAlert} className="text-error" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
