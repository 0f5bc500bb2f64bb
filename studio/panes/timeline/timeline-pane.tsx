import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function TimelinePane() {
  const text = useText();
  return (
    <Pane bare name="timeline" title={text(strings.run.paneTimeline)}>
      {null}
    </Pane>
  );
}
