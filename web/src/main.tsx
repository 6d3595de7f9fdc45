import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/text.css';
import './styles/conversation.css';
import './styles/tables.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.ts';

applyTheme();
createRoot(document.getElementById('root')!).render(<App />);
