import { Dialog } from '../ui/dialog.tsx';
import { HELP } from './keyboard.ts';

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="help">
        {HELP.map(([where, lines]) => (
          <section key={where} aria-label={where}>
            <h3>{where}</h3>
            <table className="key-lines">
              <tbody>
                {lines.map(([keys, does]) => (
                  <tr key={keys}>
                    <th scope="row">{does}</th>
                    <td>
                      {keys.split(', ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
