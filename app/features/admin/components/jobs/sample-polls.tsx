import { Panel } from '#app/ui/panel.tsx';
import { SampleForm } from './sample-form.tsx';

export function SamplePolls() {
  return (
    <Panel title="Sample polls">
      <SampleForm />
    </Panel>
  );
}
