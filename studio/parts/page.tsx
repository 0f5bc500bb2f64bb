import './page.css';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useStore } from '../state/store.ts';
import { chooseTheme, type Theme, theme } from '../state/theme.ts';
import { chooseLanguage, useLanguage, useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** A page with its bar: where one is, where one can go. `bar` is what the page itself puts there. */
export function Page({ title, bar, children }: { title: string; bar?: ReactNode; children: ReactNode }) {
  const text = useText();
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className="page">
      <a className="skip" href="#content">
        {text(strings.app.skipToContent)}
      </a>
      <header className="page-bar">
        <nav aria-label={text(strings.app.name)}>
          <Link href="/" className="page-home">
            {text(strings.app.runs)}
          </Link>
          {bar === undefined && <PageLinks />}
        </nav>
        {bar}
        <Settings />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function PageLinks() {
  const text = useText();
  return (
    <>
      <Link href="/approvals">{text(strings.app.approvals)}</Link>
      <Link href="/open">{text(strings.app.open)}</Link>
    </>
  );
}

function Settings() {
  const text = useText();
  const language = useLanguage();
  const chosen = useStore(theme);
  return (
    <div className="page-settings">
      <select
        aria-label={text(strings.app.theme)}
        value={chosen}
        onChange={({ target }) => chooseTheme(target.value as Theme)}
      >
        <option value="system">{text(strings.app.themeSystem)}</option>
        <option value="light">{text(strings.app.themeLight)}</option>
        <option value="dark">{text(strings.app.themeDark)}</option>
      </select>
      <button
        type="button"
        className="plain"
        lang={language === 'zh' ? 'en' : 'zh-CN'}
        onClick={() => chooseLanguage(language === 'zh' ? 'en' : 'zh')}
      >
        {text(strings.app.language)}
      </button>
    </div>
  );
}
