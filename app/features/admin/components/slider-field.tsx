import { type CSSProperties, useId } from 'react';

type Props = {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  /** The value in words, such as "7 days". */
  shown: string;
  onChange(value: number): void;
};

export function SliderField({ label, min, max, step, value, shown, onChange }: Props) {
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-end justify-between gap-x-3">
        <label htmlFor={id} className="font-semibold text-body">
          {label}
        </label>
        <output htmlFor={id} className="figures font-extrabold text-question">
          {shown}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={shown}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="slider"
        style={{ '--filled': (value - min) / (max - min) } as CSSProperties}
      />
      <div aria-hidden="true" className="flex justify-between text-muted text-small">
        <span>{min}</span>
        <span>{max}</span>
      </div>
    </div>
  );
}
