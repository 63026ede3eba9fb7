import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';
import { Icon } from './icon.tsx';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement>;
type KeyProps = ButtonProps & { tone?: 'primary' | 'ink' };

/** The one action of a place, as a key that can be pressed down. */
export function Key({ tone = 'primary', className = '', type = 'button', ...rest }: KeyProps) {
  return <button type={type} className={`key key-${tone} ${className}`} {...rest} />;
}

type QuietProps = ButtonProps & { ghost?: boolean };

export function QuietButton({ ghost = false, className = '', type = 'button', ...rest }: QuietProps) {
  const look = ghost ? 'btn-ghost' : 'border-0 bg-base-300';
  return (
    <button type={type} className={`btn h-auto min-h-11 gap-2 text-body ${look} ${className}`} {...rest} />
  );
}

type IconProps = ButtonProps & { icon: LucideIcon; label: string };

export function IconButton({ icon, label, className = '', type = 'button', ...rest }: IconProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`btn btn-ghost btn-square rounded-full ${className}`}
      {...rest}
    >
      <Icon of={icon} size={24} />
    </button>
  );
}
