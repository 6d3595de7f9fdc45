import { HIDDEN } from '../../../../src/session/tenants/hidden-values.ts';
import { pointerSegment } from '../../../../packages/protocol/message/json-pointer.ts';

/** A header that a server or a hook of the tenant is sent. */
export interface Header {
  readonly id: string;
  readonly name: string;
  /** Empty, of one that is stored: what is stored stays, which the server never shows. */
  readonly value: string;
  readonly isStored: boolean;
}

let made = 0;
export const freshHeader = (): Header => ({ id: `header-${(made += 1)}`, name: '', value: '', isStored: false });

export const storedHeaders = (headers: Readonly<Record<string, unknown>> = {}): readonly Header[] =>
  Object.keys(headers).map((name) => ({ ...freshHeader(), name, isStored: true }));

/** The same headers after they were saved: no value stays in the page. */
export const savedHeaders = (headers: readonly Header[]): readonly Header[] => headers.map((header) => ({ ...header, value: '', isStored: true }));

/** What a form sends; `isShown`: to be shown, without any value. */
export const headerValues = (headers: readonly Header[], isShown: boolean): { readonly headers?: Record<string, string> } =>
  headers.length === 0
    ? {}
    : { headers: Object.fromEntries(headers.map(({ name, value, isStored }) => [name.trim(), isShown || (isStored && value === '') ? HIDDEN : value])) };

/** The field of each header below the JSON pointer of what is sent it. */
export const headerFields = (headers: readonly Header[], at: string): readonly (readonly [pointer: string, field: string])[] =>
  headers.map(({ id, name }) => [`${at}/headers/${pointerSegment(name.trim())}`, id] as const);

/** Fields of names that stand twice, with what is wrong: a body has each once, so the server would not see the other. */
export const repeatedHeaders = (headers: readonly Header[]): readonly string[] => repeated(headers.map(({ id, name }) => [id, name.trim().toLowerCase()]));

export const repeated = (named: readonly (readonly [field: string, name: string])[]): readonly string[] =>
  named.flatMap(([field, name], index) => (named.slice(0, index).some(([, before]) => before === name) ? [field] : []));
