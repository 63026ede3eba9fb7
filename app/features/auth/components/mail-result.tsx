import { Check, type LucideIcon, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '#app/ui/icon.tsx';

const LOOKS: Record<'good' | 'bad', { icon: LucideIcon; disc: string }> = {
  good: { icon: Check, disc: 'bg-success text-success-content' },
  bad: { icon: X, disc: 'bg-error text-error-content' },
};

type Props = { tone: keyof typeof LOOKS; title: string; text: string; children?: ReactNode };

/** How following a mail's link ended, and where to go from there. */
export function MailResult({ tone, title, text, children }: Props) {
  const { icon, disc } = LOOKS[tone];
  return (
    <section role={tone === 'bad' ? 'alert' : 'status'} className="grid gap-3 pt-4">
      <span className={`grid size-14 place-items-center rounded-full ${disc}`}>
        <Icon of={icon} size={24} />
      </span>
      <h2 className="text-title">{title}</h2>
      <p className="pb-2 text-field text-muted">{text}</p>
      {children}
    </section>
  );
}
