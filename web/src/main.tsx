import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/menu.css';
import './styles/skeleton.css';
import './styles/text.css';
import './styles/conversation.css';
import './styles/tables.css';
import './styles/doors.css';
import './styles/tenant.css';
import './styles/request.css';
import './styles/views.css';
import './styles/files.css';
import './styles/print.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './app/theme.ts';

applyTheme();
const root = createRoot(document.getElementById('root')!, {
  // A view says itself that it cannot be shown, or shows raw what it does not know.
  onCaughtError: (error) => console.warn(error),
});
root.render(<App />);
