import { Dialog } from '../ui/dialog.tsx';
import { HELP } from './keyboard.ts';

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <table className="keys">
        <tbody>
          {HELP.map(([keys, does]) => (
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
    </Dialog>
  );
}
