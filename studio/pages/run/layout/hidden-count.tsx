import { useMemo } from 'react';
import type { RaspEvent } from '../../../../src/protocol/index.ts';
import { type RunModel, timeOf } from '../../../../src/record/index.ts';
import { parseFilter } from '../../../model/events/event-filter.ts';
import { eventMatcher } from '../../../model/events/event-match.ts';
import { inWindow } from '../../../model/times.ts';
import type { TimeWindow } from '../../../model/view.ts';
import { useModel, useView } from '../../../state/use-run.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** How many events the filter and the time window hide, in any tab. */
export function HiddenCount() {
  const text = useText();
  const model = useModel();
  const filter = useView((view) => view.filter);
  const window = useView((view) => view.window);
  const count = useMemo(() => hiddenCounter(eventMatcher(parseFilter(filter)), window), [filter, window]);
  const hidden = count(model);
  return hidden > 0 && <span>{text(strings.run.hidden)(hidden)}</span>;
}

/** Counts only events that were added since the last call. */
function hiddenCounter(matches: (event: RaspEvent) => boolean, window: TimeWindow | null): (model: RunModel) => number {
  let seen = 0;
  let hidden = 0;
  return (model) => {
    for (const event of model.events.slice(seen)) {
      if (!inWindow(window, timeOf(model, event)) || !matches(event)) hidden++;
    }
    seen = model.events.length;
    return hidden;
  };
}
