import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { SecondaryButton } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';

type Props = {
  label: string;
  ghost?: boolean;
  className?: string;
  /** Asks for a passkey. Shows errors itself, and never rejects. */
  onPress(): Promise<void>;
};

/** A button that asks for a passkey, and says that it waits for one until that is done. */
export function PasskeyButton({ label, onPress, className = '', ...rest }: Props) {
  const [isWaiting, setWaiting] = useState(false);
  async function press() {
    setWaiting(true);
    await onPress();
    setWaiting(false);
  }
  return (
    <SecondaryButton
      className={`min-h-12 ${className}`}
      aria-disabled={isWaiting}
      onClick={() => isWaiting || void press()}
      {...rest}
    >
      <Icon icon={KeyRound} /> {isWaiting ? 'Waiting for your passkey…' : label}
    </SecondaryButton>
  );
}
