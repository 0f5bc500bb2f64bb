import type { Row } from '../../model/conversation/conversation-rows.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { RowActions } from './row-actions.ts';
import { rowText } from './row-text.ts';

/** Visible while the row is hovered, focused or selected. */
export function RowButtons({ row, tabbed, actions }: { row: Row; tabbed: boolean; actions: RowActions }) {
  const text = useText();
  const tabIndex = tabbed ? 0 : -1;
  const copied = rowText(row);
  return (
    <div className="conversation-buttons">
      {copied !== null && (
        <CopyButton className="plain" tabIndex={tabIndex} label={text(strings.app.copy)} text={() => copied} />
      )}
      <CopyButton
        className="plain"
        tabIndex={tabIndex}
        label={text(strings.conversation.link)}
        title={text(strings.app.copyLink)}
        text={() => actions.linkTo(row)}
      />
      <button type="button" className="plain" tabIndex={tabIndex} onClick={() => actions.showEvent(row)}>
        {text(strings.conversation.showEvent)}
      </button>
      {row.raw_ref !== null && (
        <button type="button" className="plain" tabIndex={tabIndex} onClick={() => actions.showBytes(row)}>
          {text(strings.conversation.showBytes)}
        </button>
      )}
    </div>
  );
}
