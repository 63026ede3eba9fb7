import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { Icon } from './icon.tsx';

type ButtonProps = ComponentProps<'button'>;

export function PrimaryButton({ className = '', ...rest }: ButtonProps) {
  return <button type="button" className={`btn btn-primary ${className}`} {...rest} />;
}

export function PrimaryLink({ className = '', ...rest }: LinkProps) {
  return <Link className={`btn btn-primary ${className}`} {...rest} />;
}

type SecondaryButtonProps = ButtonProps & { ghost?: boolean };

export function SecondaryButton({ ghost = false, className = '', ...rest }: SecondaryButtonProps) {
  return <button type="button" className={`btn ${ghost ? 'btn-ghost' : ''} ${className}`} {...rest} />;
}

export function SecondaryLink({ className = '', ...rest }: LinkProps) {
  return <Link className={`btn ${className}`} {...rest} />;
}

type IconButtonProps = ButtonProps & { icon: LucideIcon; label: string };

export function IconButton({ icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`btn btn-ghost btn-circle ${className}`}
      {...rest}
    >
      <Icon icon={icon} size={24} />
    </button>
  );
}
