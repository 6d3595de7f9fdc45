import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import type { CommandAnswer } from '../../session/state/commands.js';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import type { ClientCommand } from './slash-command.js';

const PERMISSION_MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

/** Longest value in UTF-16 code units, by setting. */
const MAX_LENGTHS: Readonly<Record<string, number>> = { title: 1_000, model: 200 };

type Shown = Pick<SessionSettings, 'title' | 'model' | 'permissionMode'>;

export const config: ClientCommand = {
  kind: 'client',
  name: 'config',
  description: "Show the session's settings, or change one: title, model, permissionMode",
  argumentHint: '[setting value]',
  bridgeSafe: false,
  answer: async ({ args, session }) => {
    const { title, model, permissionMode } = (await session()).settings;
    const settings: Shown = { title, model, permissionMode };
    const [, key = '', value = ''] = /^(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
    if (key === '') return shown(settings);
    const changes = changeOf(key, value.trim());
    return typeof changes === 'string' ? { display: { type: 'text', level: 'error', text: changes } } : shown({ ...settings, ...changes }, changes);
  },
};

/** The change, or an error message. */
function changeOf(key: string, value: string): Partial<Shown> | string {
  if (value === '') return `/config ${key} needs a value.`;
  const most = Object.hasOwn(MAX_LENGTHS, key) ? MAX_LENGTHS[key] : undefined;
  if (most !== undefined && value.length > most) return `The value has ${value.length} characters; the limit is ${most}.`;
  if (value.includes('\u0000') || !value.isWellFormed()) return 'The value must not contain U+0000 or an unpaired surrogate.';
  switch (key) {
    case 'title':
      return { title: value };
    case 'model':
      return { model: value };
    case 'permissionMode': {
      const mode = PERMISSION_MODES.find((known) => known === value);
      return mode ? { permissionMode: mode } : `permissionMode must be one of ${PERMISSION_MODES.join(', ')}.`;
    }
    default:
      return '/config can change title, model and permissionMode only.';
  }
}

function shown(settings: Shown, changes?: Partial<Shown>): CommandAnswer {
  const text = Object.entries(settings)
    .map(([name, value]) => `${name}: ${value ?? ''}`)
    .join('\n');
  return { display: { type: 'config', text, settings: { ...settings }, changed: Object.keys(changes ?? {}) }, ...(changes ? { changes } : {}) };
}
