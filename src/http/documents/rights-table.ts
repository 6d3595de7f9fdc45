import { type Action, SESSION_ACTIONS, TENANT_ACTIONS, type RoleInSession } from '../../../packages/protocol/access/actions.js';
import { SESSION_ROLES, TENANT_ROLES, type TenantRole } from '../../../packages/protocol/access/roles.js';

/** The columns of the two tables. `reader` is a caller with emergency access; `admin` one of the tenant. */
export const SESSION_COLUMNS: readonly RoleInSession[] = [...SESSION_ROLES, 'reader', 'admin'];
export const TENANT_COLUMNS: readonly TenantRole[] = TENANT_ROLES;

/** Route names by the action that they require. */
export type RoutesOf = (action: Action) => readonly string[];

/** Who may do what, as Markdown: the table of rights of packages/protocol/access with the routes that name each action. */
export function rightsTables(routes: RoutesOf): string {
  return [
    '### In a session',
    '',
    ...table(SESSION_ACTIONS, SESSION_COLUMNS, routes),
    '',
    '### In a tenant',
    '',
    ...table(TENANT_ACTIONS, TENANT_COLUMNS, routes),
    '',
    `A link may only do \`link.read\`: ${routes('link.read').map(code).join(', ')}.`,
  ].join('\n');
}

type Rows = Readonly<Record<string, { readonly scope: string | null; readonly roles: readonly string[]; readonly allows: string }>>;

function table(actions: Rows, columns: readonly string[], routes: RoutesOf): readonly string[] {
  const rows = Object.entries(actions).map(([action, { scope, roles, allows }]) => {
    const marks = columns.map((column) => (roles.includes(column) ? 'yes' : ''));
    return [
      code(action),
      allows,
      ...marks,
      scope === null ? '' : code(scope),
      routes(action as Action)
        .map(code)
        .join(' '),
    ];
  });
  const head = ['action', 'allows to', ...columns, 'scope', 'routes'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

const code = (text: string): string => `\`${text}\``;

const BEGIN = '<!-- rights: generated -->';
const END = '<!-- /rights -->';

/** The page with its tables replaced. */
export function withRights(page: string, routes: RoutesOf): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/people.md has no part between ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${rightsTables(routes)}\n\n${page.slice(end)}`;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-access': string;
}

/** The routes of an OpenAPI document by their action. */
export function routesOf(document: { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }): RoutesOf {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  return (action) =>
    operations
      .filter((operation) => operation['x-access'] === action)
      .map(({ operationId }) => operationId)
      .sort();
}
