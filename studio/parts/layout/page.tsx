import './page.css';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useStore } from '../../state/store.ts';
import { chooseTheme, type Theme, theme } from '../../state/theme.ts';
import { chooseLanguage, useLanguage, useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

interface Place {
  href: string;
  name: readonly [string, string];
}

interface Props {
  title: string;
  /** The page's own content of the bar, instead of the links to other pages. */
  bar?: ReactNode;
  /** The list that this page belongs to; runs by default. */
  home?: Place;
  children: ReactNode;
}

const RUNS: Place = { href: '/', name: strings.app.runs };
const PAGES: readonly Place[] = [
  { href: '/approvals', name: strings.app.approvals },
  { href: '/terminals', name: strings.app.terminals },
  { href: '/skills', name: strings.app.skills },
  { href: '/open', name: strings.app.open },
];

/** A page with its navigation bar. */
export function Page({ title, bar, home = RUNS, children }: Props) {
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
          <PageLink {...home} isAbove={bar !== undefined} />
          {bar === undefined && PAGES.map((page) => <PageLink key={page.href} {...page} />)}
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

function PageLink({ href, name, isAbove = false }: Place & { isAbove?: boolean }) {
  const text = useText();
  const [here] = useLocation();
  return (
    <Link href={href} aria-current={here === href ? 'page' : undefined} data-above={isAbove}>
      {text(name)}
    </Link>
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
