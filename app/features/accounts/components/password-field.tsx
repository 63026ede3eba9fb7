import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { IconButton } from '#app/ui/button.tsx';
import { Field } from '#app/ui/field.tsx';

type Props = Omit<ComponentProps<typeof Field>, 'label' | 'type' | 'end'> & { label?: string };

export function PasswordField({ label = 'Password', ...rest }: Props) {
  const [isShown, setShown] = useState(false);
  return (
    <Field
      {...rest}
      label={label}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      end={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={`${isShown ? 'Hide' : 'Show'} ${label.toLowerCase()}`}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}
