import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { Icon } from './icon.tsx';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement>;
type PrimaryButtonProps = ButtonProps & { isInverse?: boolean };

/** The main action of a screen or section. */
export function PrimaryButton({
  isInverse = false,
  className = '',
  type = 'button',
  ...rest
}: PrimaryButtonProps) {
  return (
    <button
      type={type}
      className={`btn btn-primary ${isInverse ? 'btn-inverse' : ''} ${className}`}
      {...rest}
    />
  );
}

export function PrimaryLink({ className = '', ...rest }: LinkProps) {
  return <Link className={`btn btn-primary ${className}`} {...rest} />;
}

type SecondaryButtonProps = ButtonProps & { ghost?: boolean };

export function SecondaryButton({
  ghost = false,
  className = '',
  type = 'button',
  ...rest
}: SecondaryButtonProps) {
  return <button type={type} className={`btn ${ghost ? 'btn-ghost' : ''} ${className}`} {...rest} />;
}

export function SecondaryLink({ className = '', ...rest }: LinkProps) {
  return <Link className={`btn ${className}`} {...rest} />;
}

type IconButtonProps = ButtonProps & { icon: LucideIcon; label: string };

export function IconButton({ icon, label, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`btn btn-ghost btn-circle ${className}`}
      {...rest}
    >
      <Icon icon={icon} size={24} />
    </button>
  );
}
