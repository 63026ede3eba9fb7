import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { Icon } from './icon.tsx';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement>;
type PrimaryButtonProps = ButtonProps & { tone?: 'primary' | 'ink' };

/** The main action of a screen or section. */
export function PrimaryButton({
  tone = 'primary',
  className = '',
  type = 'button',
  ...rest
}: PrimaryButtonProps) {
  return <button type={type} className={`button button-${tone} ${className}`} {...rest} />;
}

export function PrimaryLink({ className = '', ...rest }: LinkProps) {
  return <Link className={`button button-primary ${className}`} {...rest} />;
}

const SECONDARY = 'btn h-auto min-h-11 gap-2 text-body';
const FILLED = 'border-0 bg-base-300';

type SecondaryButtonProps = ButtonProps & { ghost?: boolean };

export function SecondaryButton({
  ghost = false,
  className = '',
  type = 'button',
  ...rest
}: SecondaryButtonProps) {
  return (
    <button type={type} className={`${SECONDARY} ${ghost ? 'btn-ghost' : FILLED} ${className}`} {...rest} />
  );
}

export function SecondaryLink({ className = '', ...rest }: LinkProps) {
  return <Link className={`${SECONDARY} ${FILLED} ${className}`} {...rest} />;
}

type IconButtonProps = ButtonProps & { icon: LucideIcon; label: string };

export function IconButton({ icon, label, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`btn btn-ghost btn-square rounded-full ${className}`}
      {...rest}
    >
      <Icon icon={icon} size={24} />
    </button>
  );
}
