import '@fontsource-variable/jetbrains-mono/wght.css';
import './style/tokens.css';
import './style/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './state/theme.ts';

applyTheme();
createRoot(document.getElementById('studio')!).render(<App />);
