import { lazy, useCallback, useMemo, useState } from 'react';
import { Link, Route, Router, Switch } from 'wouter';
import { type Client, createClient } from '../src/client/index.ts';
import { RunPage } from './pages/run/run-page.tsx';
import { TokenPage } from './pages/token/token-page.tsx';
import { Later } from './parts/later.tsx';
import { Page } from './parts/layout/page.tsx';
import { basePath } from './state/base-path.ts';
import { ClientProvider } from './state/client.tsx';
import { forgetToken, keepToken } from './state/session-token.ts';
import { useText } from './text/language.ts';
import { strings } from './text/strings.ts';

const RunsPage = lazy(async () => ({ default: (await import('./pages/runs/runs-page.tsx')).RunsPage }));
const NewRunPage = lazy(async () => ({ default: (await import('./pages/new-run/new-run-page.tsx')).NewRunPage }));
const ApprovalsPage = lazy(async () => ({
  default: (await import('./pages/approvals/approvals-page.tsx')).ApprovalsPage,
}));
const TerminalsPage = lazy(async () => ({
  default: (await import('./pages/terminals/terminals-page.tsx')).TerminalsPage,
}));
const TerminalPage = lazy(async () => ({ default: (await import('./pages/terminal/terminal-page.tsx')).TerminalPage }));
const SkillsPage = lazy(async () => ({ default: (await import('./pages/skills/skills-page.tsx')).SkillsPage }));
const SkillPage = lazy(async () => ({ default: (await import('./pages/skill/skill-page.tsx')).SkillPage }));
const OpenPage = lazy(async () => ({ default: (await import('./pages/open/open-page.tsx')).OpenPage }));

/** `given` is the token from the link or from storage; null if there is none. */
export function App({ given }: { given: string | null }) {
  const [token, setToken] = useState(given);
  const [refused, setRefused] = useState(false);
  const refuse = useCallback(() => {
    forgetToken();
    setRefused(true);
    setToken(null);
  }, []);
  const client = useMemo(() => (token === null ? null : clientWith(token, refuse)), [token, refuse]);

  function use(typed: string) {
    keepToken(typed);
    setRefused(false);
    setToken(typed);
  }

  return (
    <Router base={basePath}>
      <Later>
        <Switch>
          <Route path="/open" component={OpenPage} />
          {client === null ? (
            <Route>
              <TokenPage refused={refused} onToken={use} />
            </Route>
          ) : (
            <Route>
              <ClientProvider client={client}>
                <Switch>
                  <Route path="/" component={RunsPage} />
                  <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
                  <Route path="/new" component={NewRunPage} />
                  <Route path="/approvals" component={ApprovalsPage} />
                  <Route path="/terminals" component={TerminalsPage} />
                  <Route path="/terminals/:id">{({ id }) => <TerminalPage key={id} id={id} />}</Route>
                  <Route path="/skills" component={SkillsPage} />
                  <Route path="/skills/:namespace/:name">{(place) => <SkillPage {...place} />}</Route>
                  <Route component={NowherePage} />
                </Switch>
              </ClientProvider>
            </Route>
          )}
        </Switch>
      </Later>
    </Router>
  );
}

/** Asks for a new token when the server no longer accepts the current one. */
function clientWith(token: string, onRefused: () => void): Client {
  return createClient({
    url: location.origin + basePath,
    token,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (answer.status === 401) onRefused();
      return answer;
    },
  });
}

function NowherePage() {
  const text = useText();
  return (
    <Page title={text(strings.app.name)}>
      <p className="notice">
        {text(strings.app.notFound)} <Link href="/">{text(strings.app.toRuns)}</Link>
      </p>
    </Page>
  );
}
