import type { ClientCommand, CommandSummary } from './slash-command.js';

export const help: ClientCommand = {
  kind: 'client',
  name: 'help',
  description: 'List the commands',
  bridgeSafe: true,
  answer: async ({ commands }) => {
    const all = await commands();
    return { display: { type: 'help', text: all.map(line).join('\n'), commands: all.map((command) => ({ ...command })) } };
  },
};

function line({ name, argumentHint, description }: CommandSummary): string {
  return `/${name}${argumentHint === null ? '' : ` ${argumentHint}`}${description === '' ? '' : `  ${description}`}`;
}
