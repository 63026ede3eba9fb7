import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '#app/ui/icon.tsx';
import { Turning } from '#app/ui/spinner.tsx';

const LOOKS = {
  busy: { icon: <Turning size={24} />, disc: 'bg-base-300' },
  good: { icon: <Icon of={Check} size={24} />, disc: 'bg-success text-success-content' },
  bad: { icon: <Icon of={X} size={24} />, disc: 'bg-error text-error-content' },
};

type Props = { tone: keyof typeof LOOKS; title: string; text?: string; children?: ReactNode };

/** How far following a mail's link has come, and where to go from there. */
export function MailResult({ tone, title, text, children }: Props) {
  const { icon, disc } = LOOKS[tone];
  return (
    <section role={tone === 'bad' ? 'alert' : 'status'} className="grid gap-3 pt-4">
      <span className={`grid size-14 place-items-center rounded-full ${disc}`}>{icon}</span>
      <h2 className="text-title">{title}</h2>
      {text !== undefined && <p className="pb-2 text-field text-muted">{text}</p>}
      {children}
    </section>
  );
}
