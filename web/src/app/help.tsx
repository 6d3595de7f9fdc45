import { Dialog } from '../ui/dialog.tsx';
import { HELP } from './keyboard.ts';

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="help">
        {HELP.map(([where, lines]) => (
          <section key={where} aria-label={where}>
            <h3>{where}</h3>
            <table className="keys">
              <tbody>
                {lines.map(([keys, does]) => (
                  <tr key={keys}>
                    <th scope="row">
                      {keys.split(', ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </th>
                    <td>{does}</td>
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
