import { Page } from '../../parts/page.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function ApprovalsPage() {
  const text = useText();
  return <Page title={text(strings.app.approvals)}>{null}</Page>;
}
