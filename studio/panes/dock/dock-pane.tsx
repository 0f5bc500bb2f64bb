import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function DockPane() {
  const text = useText();
  return (
    <Pane bare name="dock" title={text(strings.run.paneDock)}>
      {null}
    </Pane>
  );
}
