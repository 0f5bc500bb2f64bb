import '@fontsource-variable/jetbrains-mono/wght.css';
import './style/tokens.css';
import './style/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeToken } from './state/session-token.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
// At once: React draws later, and by then another page may be on its way, to which the token would be lost.
const token = takeToken();
createRoot(document.getElementById('studio')!).render(<App given={token} />);
