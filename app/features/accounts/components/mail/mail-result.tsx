import { Check, X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useNavigate } from 'react-router-dom';
import { paths } from '#app/paths.ts';
import { PrimaryLink } from '#app/ui/button.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { MAIL_LINK_REDIRECT_DELAY_MS } from '#shared/accounts/constants.ts';

const STATUS_STYLES = {
  loading: { icon: <SpinnerIcon size={24} />, discClassName: 'bg-base-300' },
  success: { icon: <Icon icon={Check} size={24} />, discClassName: 'bg-success text-success-content' },
  error: { icon: <Icon icon={X} size={24} />, discClassName: 'bg-error text-error-content' },
};

type Props = {
  status: keyof typeof STATUS_STYLES;
  title: string;
  text?: string | undefined;
  /** The target of the button and, after a success, of the automatic redirect. */
  next?: { to: string; label: string };
  /** Shown above that button. */
  children?: ReactNode;
};

export function MailResult({ status, title, text, next, children }: Props) {
  const { icon, discClassName } = STATUS_STYLES[status];
  const navigate = useNavigate();
  const redirectTo = status === 'success' ? next?.to : undefined;
  useEffect(() => {
    if (redirectTo === undefined) return;
    const timer = setTimeout(() => navigate(redirectTo, { replace: true }), MAIL_LINK_REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [redirectTo, navigate]);
  return (
    <section role={status === 'error' ? 'alert' : 'status'} className="grid gap-3 pt-4">
      <span className={`grid size-14 place-items-center rounded-full ${discClassName}`}>{icon}</span>
      <h2 className="text-title">{title}</h2>
      {text !== undefined && <p className="pb-2 text-field text-muted">{text}</p>}
      {children}
      {next !== undefined && (
        <PrimaryLink to={next.to} replace>
          {next.label}
        </PrimaryLink>
      )}
    </section>
  );
}

/** The error for a link from a mail whose token is missing. */
export function IncompleteLink() {
  return (
    <MailResult
      status="error"
      title="This link does not work"
      text="Open the full link from the email again."
      next={{ to: paths.auth.href(), label: 'Back to Login' }}
    />
  );
}
