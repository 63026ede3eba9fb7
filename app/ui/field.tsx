import { CircleAlert } from 'lucide-react';
import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import { Icon } from './icon.tsx';

type Props = InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  error?: string | null;
  /** Marks the field although its words stand in the hint. */
  isBad?: boolean;
  hint?: ReactNode;
  /** Stands at the end inside the field. */
  end?: ReactNode;
  /** Stands beside the label, but comes after the field when one moves by Tab. */
  aside?: ReactNode;
};

/** A labelled field; its error stands beside it and what was typed stays. */
export function Field({
  label,
  error = null,
  isBad = false,
  hint,
  end,
  aside,
  className = '',
  ...rest
}: Props) {
  const id = useId();
  const isMarked = isBad || error !== null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
      <label htmlFor={id} className="font-semibold text-body">
        {label}
      </label>
      <div className="relative order-1 w-full">
        <input
          id={id}
          aria-invalid={isMarked}
          aria-describedby={`${id}-note`}
          className={`h-12 w-full rounded-key border bg-base-200 px-3.5 text-field focus:outline-2 focus:outline-offset-[-1px] ${isMarked ? 'border-error outline-error' : 'border-edge outline-base-content'} ${end === undefined ? '' : 'pr-12'} ${className}`}
          {...rest}
        />
        {end !== undefined && (
          <div className="absolute inset-y-0 right-0.5 grid place-items-center">{end}</div>
        )}
      </div>
      <p id={`${id}-note`} className="order-1 w-full empty:hidden text-muted text-small" aria-live="polite">
        {error !== null ? <FieldError>{error}</FieldError> : hint}
      </p>
      {aside}
    </div>
  );
}

export function FieldError({ children }: { children: ReactNode }) {
  return (
    <span className="flex items-center gap-1.5 font-semibold text-error text-small">
      <Icon of={CircleAlert} size={16} />
      {children}
    </span>
  );
}

/** What is wrong with a form as a whole. It can take the focus. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <div
      role="alert"
      tabIndex={-1}
      data-form-error
      className="flex items-start gap-2 rounded-key bg-base-300 px-3.5 py-3 text-body"
    >
      <Icon of={CircleAlert} className="text-error" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
