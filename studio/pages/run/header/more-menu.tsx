import { lazy, Suspense, useState } from 'react';
import { copyText } from '../../../parts/controls/copy-text.ts';
import { Dialog } from '../../../parts/controls/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../../parts/controls/menu.tsx';
import { useActions } from '../../../state/actions.tsx';
import { useClient } from '../../../state/client.tsx';
import { useStore } from '../../../state/store.ts';
import { chooseTheme, theme } from '../../../state/theme.ts';
import { useSession } from '../../../state/use-run.tsx';
import { chooseLanguage, useLanguage, useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import { ExportItems } from './export-menu.tsx';
import { useExport } from './use-export.ts';
import type { Verification } from './use-verification.ts';
import { VerificationText } from './verification-text.tsx';

const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }));

/** Rarely used items; and, if space is limited, the other items of the header. */
export function MoreMenu({ verification, isRoomy }: { verification: Verification; isRoomy: boolean }) {
  const text = useText();
  const actions = useActions();
  const client = useClient();
  const { run: store, source } = useSession();
  const run = useStore(store);
  const [dialog, setDialog] = useState<'delete' | 'verify' | null>(null);
  const close = () => setDialog(null);

  function showVerification() {
    if (verification.stage !== 'known') verification.verify();
    setDialog('verify');
  }

  return (
    <>
      <Menu
        button={
          <button type="button" className="plain" aria-label={text(strings.run.more)} title={text(strings.run.more)}>
            ⋯
          </button>
        }
      >
        <MenuItem onSelect={() => actions.run('copy-link')}>
          {text(strings.app.copyLink)} <kbd>y</kbd>
        </MenuItem>
        <MenuItem disabled={run === null} onSelect={() => run && void copyText(run.run_id)}>
          {text(strings.run.copyId)}
        </MenuItem>
        {!isRoomy && <LittleRoom onVerify={showVerification} />}
        <MenuLine />
        <MenuItem onSelect={() => actions.run('help')}>
          {text(strings.keyboard.title)} <kbd>?</kbd>
        </MenuItem>
        {client && source.kind === 'server' && (
          <MenuItem isDanger disabled={run === null} onSelect={() => setDialog('delete')}>
            {text(strings.run.delete)}
          </MenuItem>
        )}
      </Menu>
      <Suspense>{dialog === 'delete' && run && <DeleteDialog run={run} onClose={close} />}</Suspense>
      {dialog === 'verify' && (
        <Dialog title={text(strings.run.verify)} onClose={close}>
          <VerificationText verification={verification} />
        </Dialog>
      )}
    </>
  );
}

function LittleRoom({ onVerify }: { onVerify(): void }) {
  const text = useText();
  const language = useLanguage();
  const chosen = useStore(theme);
  const exporting = useExport();
  const themes = { system: strings.app.themeSystem, light: strings.app.themeLight, dark: strings.app.themeDark };
  const next = { system: 'light', light: 'dark', dark: 'system' } as const;
  return (
    <>
      <MenuItem onSelect={onVerify}>{text(strings.run.verify)}</MenuItem>
      <MenuLine />
      <ExportItems exporting={exporting} />
      <MenuLine />
      <MenuItem onSelect={() => chooseTheme(next[chosen])}>
        {text(strings.app.theme)}: {text(themes[chosen])}
      </MenuItem>
      <MenuItem onSelect={() => chooseLanguage(language === 'zh' ? 'en' : 'zh')}>{text(strings.app.language)}</MenuItem>
    </>
  );
}
