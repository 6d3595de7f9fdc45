import type { z } from 'zod';
import type { SessionView } from '../../session/state/session-view.js';
import type { ConsistencyView } from '../../engine/audit/transparency-queries.js';
import type * as views from '../../engine/queries/views.js';
import type { audit, consistency, tenantAudit } from './audit-schemas.js';
import type { clientRequest } from './client-request-schemas.js';
import type { normalized, payloadView, request, requests } from './view-schemas.js';
import type { branches, events, messages, rewinds } from './history-schemas.js';
import type { queue, turn } from './prompt-schemas.js';
import type { session, sessionList } from './session-schemas.js';

/** Compiles only while every view that the queries return fits the schema of its response; a member that a view lacks, or has with another type, is an error. */

type Immutable<T> = T extends readonly (infer Item)[] ? readonly Immutable<Item>[] : T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

type Fits<View, Schema extends z.ZodType> = Immutable<View> extends Immutable<z.output<Schema>> ? true : false;

/** A session that is being imported is not visible, so no response has that status. */
type Visible<View> = View extends { readonly status: unknown } ? Omit<View, 'status'> & { readonly status: Exclude<View['status'], 'importing'> } : View;

/** The text of the payload is its member `payload` in the answer. */
type Answered<View> = Omit<View, 'body'>;

type All<Checks extends readonly true[]> = Checks;

export type ViewsFitTheirSchemas = All<
  [
    Fits<Visible<SessionView>, typeof session>,
    Fits<Visible<views.SessionListView['data'][number]>, (typeof sessionList)['shape']['data']['element']>,
    Fits<views.MessagesView, typeof messages>,
    Fits<views.EventsView, typeof events>,
    Fits<views.TurnView, typeof turn>,
    Fits<views.QueueView, typeof queue>,
    Fits<views.RewindsView, typeof rewinds>,
    Fits<views.BranchesView, typeof branches>,
    Fits<views.RequestsView, typeof requests>,
    Fits<Answered<views.RequestView>, typeof request>,
    Fits<Answered<views.ClientRequestView>, typeof clientRequest>,
    Fits<Answered<views.NormalizedView>, typeof normalized>,
    Fits<Answered<views.PayloadView>, typeof payloadView>,
    Fits<views.AuditView, typeof audit>,
    Fits<views.TenantAuditView, typeof tenantAudit>,
    Fits<ConsistencyView, typeof consistency>,
  ]
>;
