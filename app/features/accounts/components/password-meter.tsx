import { useEffect, useState } from 'react';
import { type PasswordStrength, passwordStrength } from '#app/features/accounts/lib/password-strength.ts';

type Props = { password: string; account: { username: string; email: string } | null };

const BARS = [1, 2, 3, 4] as const;

const FILLS: Readonly<Record<PasswordStrength['bars'], string>> = {
  1: 'bg-error',
  2: 'bg-muted',
  3: 'bg-base-content',
  4: 'bg-success',
};

/** How long the words must stay the same before they are read out. */
const REST_MS = 1_000;

/**
 * Shows the strength of a new password: four bars and a few words, which are read out only once typing rests. Loaded on
 * first input: it includes large word lists.
 */
export default function PasswordMeter({ password, account }: Props) {
  const { bars, label, hint } = passwordStrength(password, account);
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(`${label} ${hint}`), REST_MS);
    return () => clearTimeout(timer);
  }, [label, hint]);
  return (
    <span className="grid gap-1">
      <span aria-hidden="true" className="grid grid-cols-4 gap-[3px]">
        {BARS.map((bar) => (
          <span key={bar} className={`h-2 rounded-full ${bar <= bars ? FILLS[bars] : 'bg-base-300'}`} />
        ))}
      </span>
      <span aria-hidden="true">
        <span className={`font-semibold ${bars === 1 ? 'text-error' : 'text-base-content'}`}>{label}</span>{' '}
        {hint}
      </span>
      <span className="sr-only">{spoken}</span>
    </span>
  );
}
