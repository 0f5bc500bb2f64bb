import '@fontsource-variable/jetbrains-mono/wght.css';
import './style/tokens.css';
import './style/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeToken } from './state/session-token.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
// At once: React renders later, and by then the user may have navigated away, which would lose the token.
const token = takeToken();
createRoot(document.getElementById('studio')!).render(<App given={token} />);
