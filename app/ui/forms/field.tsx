import { CircleAlert } from 'lucide-react';
import { type CSSProperties, type InputHTMLAttributes, type ReactNode, useId } from 'react';
import { Icon } from '#app/ui/icon.tsx';

type Props = InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  error?: string | null;
  /** Marks the field as invalid when the hint, not `error`, says why. */
  isInvalid?: boolean;
  hint?: ReactNode;
  /** At the end of the input, inside it. */
  trailing?: ReactNode;
  /** Next to the label, but after the input in the tab order. */
  labelAction?: ReactNode;
};

export function Field({
  label,
  error = null,
  isInvalid = false,
  hint,
  trailing,
  labelAction,
  className = '',
  ...rest
}: Props) {
  const id = useId();
  const isMarkedInvalid = isInvalid || error !== null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
      <label htmlFor={id} className="font-semibold text-body">
        {label}
      </label>
      <div className="relative order-1 w-full">
        <input
          id={id}
          aria-invalid={isMarkedInvalid}
          aria-describedby={`${id}-note`}
          className={`h-12 w-full rounded-control border bg-base-200 px-3.5 text-field focus:outline-2 focus:outline-offset-[-1px] ${isMarkedInvalid ? 'border-error outline-error' : 'border-edge outline-base-content'} ${trailing === undefined ? '' : 'pr-12'} ${className}`}
          {...rest}
        />
        {trailing !== undefined && (
          <div className="absolute inset-y-0 right-0.5 grid place-items-center">{trailing}</div>
        )}
      </div>
      {/* Reserves a line for a hint that may appear later, so that nothing below it moves. */}
      <p
        id={`${id}-note`}
        className={`order-1 w-full text-muted text-small ${hint === undefined ? 'empty:absolute empty:w-0' : 'min-h-[1lh]'}`}
        aria-live="polite"
      >
        {error !== null ? <FieldError>{error}</FieldError> : hint}
      </p>
      {labelAction}
    </div>
  );
}

export function FieldError({ children }: { children: ReactNode }) {
  return (
    <span className="flex items-center gap-1.5 font-semibold text-error text-small">
      <Icon icon={CircleAlert} size={16} />
      {children}
    </span>
  );
}

/** An error of the form as a whole, focusable so that it can be announced. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <div
      role="alert"
      tabIndex={-1}
      data-form-error
      className="flex items-start gap-2 rounded-control bg-base-300 px-3.5 py-3 text-base-content text-body"
    >
      <Icon icon={CircleAlert} className="text-error" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

type SliderProps = {
  label: string;
  min: number;
  max: number;
  step?: number;
  value: number;
  /** The value as text, such as "7 days". */
  valueLabel?: string;
  valueClassName?: string;
  onChange(value: number): void;
};

export function SliderField(props: SliderProps) {
  const { label, min, max, value, valueLabel = String(value), valueClassName = 'text-question' } = props;
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-end justify-between gap-x-3">
        <label htmlFor={id} className="font-semibold text-body">
          {label}
        </label>
        <output htmlFor={id} className={`figures font-extrabold ${valueClassName}`}>
          {valueLabel}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={props.step ?? 1}
        value={value}
        aria-valuetext={valueLabel}
        onChange={(event) => props.onChange(event.target.valueAsNumber)}
        className="slider"
        style={{ '--filled': max === min ? 0 : (value - min) / (max - min) } as CSSProperties}
      />
      <div aria-hidden="true" className="flex justify-between text-muted text-small">
        <span>{min}</span>
        <span>{max}</span>
      </div>
    </div>
  );
}
