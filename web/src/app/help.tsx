import { Dialog } from '../ui/dialog.tsx';
import { HELP } from './keyboard.ts';

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {/* A narrow window scrolls them. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="help" tabIndex={0} role="group" aria-label="Keys">
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
