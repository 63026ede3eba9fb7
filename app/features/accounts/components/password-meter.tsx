import { type PasswordStrength, passwordStrength } from '#app/features/accounts/lib/password-strength.ts';

type Props = { password: string; account: { username: string; email: string } | null };

const BARS = [1, 2, 3, 4] as const;

const FILLS: Readonly<Record<PasswordStrength['bars'], string>> = {
  1: 'bg-error',
  2: 'bg-muted',
  3: 'bg-base-content',
  4: 'bg-success',
};

/** Shows the strength of a new password: four bars and a few words. Loaded on first input: it includes large word lists. */
export default function PasswordMeter({ password, account }: Props) {
  const { bars, label, hint } = passwordStrength(password, account);
  return (
    <span className="grid gap-1">
      <span aria-hidden="true" className="grid grid-cols-4 gap-0.5">
        {BARS.map((bar) => (
          <span key={bar} className={`h-1 rounded-full ${bar <= bars ? FILLS[bars] : 'bg-base-300'}`} />
        ))}
      </span>
      <span>
        <span className={`font-semibold ${bars === 1 ? 'text-error' : 'text-base-content'}`}>{label}</span>{' '}
        {hint}
      </span>
    </span>
  );
}
