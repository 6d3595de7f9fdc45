// Generated from the OpenAPI document by `npm run documents`. Do not edit.
/** A `type` that this version of the client does not know: a string. */
export declare enum OtherType {
  value = '',
}

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness probe
         * @description Says that the process runs; nothing else is asked. A restart helps when it does not answer.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness probe: the database, the queue and the live bus respond
         * @description 503 names what does not respond, also while the process shuts down. `files` is `down` while the object storage of files does not answer: what needs no file works, and the rest is answered with 503. `appends` is `waiting_for_standby` while commits wait for a synchronous standby that does not answer: reads work, and what appends is answered with 503. `nodes`, of a distributed database only, is `some_away` while one of its servers does not answer: the tenants of the others are served.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics in the Prometheus text format
         * @description With OPERATOR_TOKEN as a bearer token; without that setting, from this machine only, and with TOOLS not at all.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was erased, held, shared and opened in the sessions of the tenant, newest first
         * @description Erasures of sessions, of messages and of all that a user owns, legal holds, roles and links that were given and taken away, and emergency access: by whom, when, and in which session. Nothing of any content, erased or not, and no reasons: these are in the session. What is read by a role or a link is in `GET /v1/sessions/{id}/accesses`.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit the tenant's sessions, a page at a time
         * @description By the ids in the transparency log, so that a session that was deleted from the tables is reported. Each session is read as a whole.
         */
        get: operations["auditTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the slash commands
         * @description Built-in ones, those of skills and those of plugins, with their arguments.
         */
        get: operations["listCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the changes of all of your sessions (server-sent events)
         * @description `session.changed` has the row of the session list of a session of the caller that has changed: status, turn, title, first and last text, with its `version`. A session that changes often is reported less often than it changes; each event is its state at that time. First what has changed since `Last-Event-ID` or `after` (the header takes precedence; without either nothing), then `sessions.synced`, then changes as they happen. After a reconnection an event may be repeated with the same `version`.
         */
        get: operations["streamSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the feature gates, their state and its source
         * @description A gate switches a part of normalization or of prompts on; the source says whether the deployment or the default decided.
         */
        get: operations["listGates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hooks of the deployment and of the tenant
         * @description With their events and matchers, without the values of secret headers.
         */
        get: operations["listHooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a session from a file
         * @description Accepts an export of this server, or a session file of Claude Code. Unreadable lines are skipped and listed; lines that are not part of the conversation are kept in the log and never sent. The session is visible once it is complete. A repeat with the same Idempotency-Key resumes an interrupted import.
         */
        post: operations["importSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/anchors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest time stamps and witness cosignatures of checkpoints
         * @description A time stamp is an RFC 3161 token over the checkpoint; a cosignature stands below the checkpoint (C2SP tlog-cosignature).
         */
        get: operations["listAnchors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the newest signed checkpoint of the transparency log
         * @description C2SP tlog-checkpoint: a signed note with origin, size and root. Anybody may read it: the log is of use only to those who compare it. It has hashes and sizes, nothing of a session, and no hash confirms a guess of content or of a session.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proof that a checkpoint continues an earlier one
         * @description By the hashes of RFC 9162: nothing that the earlier checkpoint covers was changed or removed since.
         */
        get: operations["getConsistencyProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public key that verifies the newest checkpoint
         * @description As golang.org/x/mod/sumdb/note reads it. A key that comes from the same server as the checkpoint proves nothing: keep it, or get it another way.
         */
        get: operations["getLogKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/tile/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tile of the transparency log
         * @description C2SP tlog-tiles: `0/x001/234` is a full tile of 256 hashes, `0/x001/234.p/5` the first five hashes of one that may not be full yet.
         */
        get: operations["getTile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the authenticated user
         * @description User, tenant, role and scopes of the credentials that the request was made with.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/normalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the payload that the model would be sent for these messages; nothing is stored
         * @description A dry run: the same passes as before a real request, for messages of this service or of the API, with the trace and what the API would refuse.
         */
        post: operations["normalizeMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plugins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the installed plugins, and whether the tenant has enabled each
         * @description As they were read at the start of the server.
         */
        get: operations["listPlugins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your quotas and what you have used of them
         * @description Of requests, tokens and money, by day and by month, with the time at which each begins again.
         */
        get: operations["listQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search titles and what people and the model wrote, newest first
         * @description Finds texts of the current conversations: not thinking, results of tools, messages for the model only, or what a rewind removed. Searches the sessions that you are the first owner of. A fork is found by its own messages; the shared ones belong to the session that it was forked from.
         */
        get: operations["searchSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session-store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your session files of a project
         * @description Newest change first. Archived sessions, and sessions whose metadata has another `sessionFile`, are not listed; nor are forks and imports of a file. With summaries a page is at most `SESSION_FILE_PAGE_BYTES` long.
         */
        get: operations["listSessionFiles"];
        put?: never;
        /**
         * Append lines to a session file of the Agent SDK
         * @description The body has a JSON object per line: first `{projectKey, sessionId, subpath?, summary?}`, which names the file, then the lines to append, as the program has written them. Each file of a user is a session, which its first lines create; messages, branches and search follow from its lines as with an import. A line whose `uuid` is there is left out, and so is a repeat of a whole append in which a line has a `uuid`; for other lines the Idempotency-Key tells a repeat. `summary` has the present one as `data`, and as `after` the number of that which it was made from. While a turn of the server runs in the session, and while it is closed, lines are kept; their messages follow with the next append.
         */
        post: operations["appendSessionFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session-store/lines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the lines of a session file as they were appended
         * @description In pages of at most `SESSION_FILE_PAGE_BYTES` and the last append. 404 for a file that was never written, or was erased.
         */
        get: operations["listSessionFileLines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions, most recent activity first
         * @description Your own; with `scope=shared` those in which you have a role by a grant; with `scope=tenant`, for admins and auditors, those of all users, without their texts. Archived sessions are listed with `archived=true` only; `PATCH …/sessions/{id}` with `archived` changes that.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Create a session
         * @description Settings that are left out have the tenant's defaults. The answer names the model, the tools and the permission mode that are in force.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session
         * @description Status, settings, usage and the position in the log, without messages.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Erase the content of the session
         * @description A running turn is interrupted first. The log keeps ids, kinds, sizes and times, so that it can still be audited; the session stays as a closed, archived one and accepts nothing more. Erasing it again returns the first receipt. The problem `session_has_forks` has a member `forks` with their ids.
         */
        delete: operations["eraseSession"];
        options?: never;
        head?: never;
        /**
         * Change settings; absent members keep their values
         * @description A change holds from the next request to the model on; a running turn keeps what it was asked with.
         */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/v1/sessions/{id}/accesses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who has read the session without owning it, newest first
         * @description Reads by one reader within one hour are one entry. `brokenGlass` lists every emergency access with its reason.
         */
        get: operations["listAccesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the hash chain of the log, and compare it with the transparency log
         * @description Reads every event again from the database and checks content, order, erasures and the head that was published. What is wrong is in `finding`, with its event.
         */
        get: operations["auditSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/blobs/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the bytes of an image or a document of the session
         * @description Addressed by the SHA-256 (hexadecimal) in a message: the original, or the version resized for the model. Files of other sessions are not found. The content of an address never changes.
         */
        get: operations["getBlob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the branches that rewinds, edits, regenerations and restores have left, and the current one
         * @description Each with its last message, its length and its text, so that a reader can choose.
         */
        get: operations["listBranches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/branches/{tip}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make another branch the current one
         * @description The current branch stays and can be restored in the same way. The files of the folder come back with a branch whose `left.files` is true.
         */
        post: operations["restoreBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/break-glass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get read access for a short time, with a reason that the owner sees (admin, auditor)
         * @description For `BREAK_GLASS_MINUTES`. The event `glass.broken` names who, until when and why; each read is in the list of accesses.
         */
        post: operations["breakGlass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the session: it accepts no prompts until it is reopened
         * @description A running turn is interrupted and queued prompts are withdrawn. Reading, forking, exporting and erasing remain possible.
         */
        post: operations["closeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/compactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compact the conversation so far into a summary
         * @description Runs as a turn, queued after the running one. The model then continues from the summary and the latest turns; the transcript keeps everything, and a rewind undoes it.
         */
        post: operations["compactSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the receipts of erasures
         * @description What was erased, when, by whom and why, and how many events, bytes and files; never the content.
         */
        get: operations["listErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of the log
         * @description In order, by pages; `after` names the last event that is known. The stream of events has the same envelopes.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the events of the log (server-sent events)
         * @description Stored events with their sequence number as id, then one event `synced`, then new events as they are appended. `message.delta`, `tool.progress` and `queue.changed` are live only and carry no id. Resumes after `Last-Event-ID` or `after`; the header takes precedence. Comments keep the connection open.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the conversation as a file
         * @description One JSON value per line: first the settings (`{"type":"session","format":"verbatim/2",…}`), then every message as it is stored, oldest first; images and documents contain their bytes. Between them stand the rewinds (`{"type":"rewind",…}`) and restores (`{"type":"restore",…}`) of the conversation, so that an import has the same branches; `branches=current` leaves out all other branches. Changes of the session's folder (`files`) come with their contents (`content`), each once. With `format=log`: every event of the log as it is stored, with salt, digest and hash, and the proof of the newest one; `verbatim verify` reads it.
         */
        get: operations["exportSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record feedback on an answer
         * @description For training. Responds with 422 `synthetic_content` when the payload contains the placeholder for a lost tool result: such a conversation is not usable as training data.
         */
        post: operations["createFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of the session's folder, now or at any point
         * @description From the log: no folder is looked at, and a turn may run. `skipped` names what was in the folder and was not recorded.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/files/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the bytes of a file, now or at any point
         * @description Of a symbolic link, its target.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/files/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the files of two points, or what a turn changed
         * @description With unified diffs of texts. Without `from`, the change that led to `to`; with `turn`, what was changed in that turn; with `rewind`, what a rewind would change.
         */
        get: operations["diffFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/files/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of the files
         * @description Oldest first. Each names the turn and the call after which it was found, and what it changed: `…/files/diff?to=<id>` shows it.
         */
        get: operations["listFileVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/forks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork the session at a message
         * @description Creates a session that shares the history up to that message. Later changes to one do not affect the other. This session is unchanged, and may have a running turn.
         */
        post: operations["forkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who has a role in the session
         * @description Users and groups, each with the role, and who gave it.
         */
        get: operations["listGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/grants/{principal}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a user or a group a role in the session
         * @description The principal is `user:` and an id or a name, or `group:` and a name. A user may be granted a role before they have signed in for the first time. Of several roles of a user each counts. A session may have several owners; give the role `owner` and take your own away to hand it over. A fork belongs to the user who makes it and inherits no grants.
         */
        put: operations["grantRole"];
        post?: never;
        /**
         * Take the role of a user or a group away; without being an owner, your own
         * @description Ends the open event streams that the role allowed, in every process.
         */
        delete: operations["revokeGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put the session under a legal hold: nothing of it is erased (admin)
         * @description Erasures, also by retention and of its owner, are refused with `legal_hold` until the hold is released.
         */
        post: operations["placeHold"];
        /**
         * Release the legal hold (admin)
         * @description Erasures that were refused are not repeated by themselves; those by retention are.
         */
        delete: operations["releaseHold"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/hook-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the matching hooks now
         * @description For events of the client's own, such as the end of an edit: the hooks of that event run as they would in a turn, and their results are answered.
         */
        post: operations["runHooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Interrupt the running turn; idempotent
         * @description The answer so far is kept. Without a running turn nothing happens, and the request succeeds.
         */
        post: operations["interruptTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the valid links of the session
         * @description With the number of times each was used. Secrets are not shown again.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Create a link that shows the conversation up to a message
         * @description Shows the path that ends with `at`: nothing after it and no other branch. It is the secret that counts, not who has it; what is read with it is in the list of accesses.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a link
         * @description Whoever reads by it is cut off within a second.
         */
        delete: operations["revokeLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/markdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the conversation as Markdown
         * @description The current branch as readers see it: who wrote what and when, calls of tools folded with their input and result, files by name, the thinking of the model where it is asked for. Prompts are quotations. It is made to be read: an import reads `GET …/export`, and `format=log` there has the proof.
         */
        get: operations["exportMarkdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transcript, or every message
         * @description `view=transcript` (the default) is for display: prompts, answers, results of tool calls, notices and attachments for readers, each with its author in `by` (`kind`: `user`, `model` or `system`; `id`: the user or the model). `isInterruption` marks the note that a user interrupted the turn. `view=full` has every stored message, unchanged, including those for the model only.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/messages/{uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase one message
         * @description By the uuid of the message, or the id of its prompt, which a command that does not exist and a withdrawn prompt have, too. With a prompt, everything that was made of it; with an answer, all its parts and the inputs of its tool calls. Summaries that were written later are erased too. Other messages that quote it are not: erase them one by one.
         */
        delete: operations["eraseMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the payload that the model would be sent, now or at an earlier version
         * @description With the trace of every change to the conversation, and the digest by which it can be compared with a request that was sent. What was sent before is kept as it was sent, also by another release; `fresh=true` normalizes the whole conversation.
         */
        get: operations["getPayload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people of a session with their names
         * @description Events and messages name people by id: this gives the names.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Pin the session: keep it on top of your list
         * @description For you alone; `GET /v1/sessions?pinned=true` lists what you have pinned. It is no event of the session.
         */
        put: operations["pinSession"];
        post?: never;
        /**
         * Unpin the session
         * @description Also one that you may not read any more.
         */
        delete: operations["unpinSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell the other readers of a session that you read or write
         * @description They get an event `presence` on their event streams. Nothing is stored: repeat it before `expiresAt`, and those who come later learn of you then.
         */
        post: operations["announcePresence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a prompt
         * @description With `replaces`, the uuid of an earlier prompt, the conversation is rewound to before that prompt and this one takes its place, in one append: an edit. A replacing prompt is never queued: while a turn runs it is rejected, or with `whenBusy: interrupt` the turn is interrupted first.
         */
        post: operations["submitPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/prompts/{promptId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a prompt as it can be sent again, to edit it
         * @description The whole submission, in the form that `POST …/prompts` takes: text, files, pastes, attachments, mode and options. Sent unchanged it is the same prompt; sent with `replaces` it is an edit. `promptId` is the id of the prompt, which may wait in the queue, or the uuid of its message.
         */
        get: operations["getPrompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the queued prompts, in order
         * @description Each with its place and what it waits for.
         */
        get: operations["listQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/queue/{promptId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw a queued prompt
         * @description A prompt that has started cannot be withdrawn: interrupt its turn instead.
         */
        delete: operations["withdrawPrompt"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Regenerate the answer to a prompt
         * @description Rewinds to before the prompt, by default the newest one, and resubmits it unchanged, in one append. The earlier answer stays a branch of the session.
         */
        post: operations["regenerateAnswer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reopen a closed session
         * @description It accepts prompts again, with everything it had.
         */
        post: operations["reopenSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the model requests
         * @description Oldest first, with model, usage, outcome and digests; without content. `client`: those that an imported file has a record of.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/requests/{requestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a model request: the original messages, the payload, and the trace between them
         * @description What was stored, what was sent, and each step between them with its reason. Of an imported file, also a request that its program had sent and recorded there (`recordedBy: client`): its messages with their hashes, and where each was found.
         */
        get: operations["getRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/rewinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rewinds
         * @description Newest last, each with what it left and whether it was undone.
         */
        get: operations["listRewinds"];
        put?: never;
        /**
         * Rewind the conversation, its files, or both to before or after a message
         * @description Later messages leave the conversation and stay in the log; the answer names the rewind, which can be undone, and returns the prompt for editing. With `files` the files of the folder go back as well, and with `messages: false` they alone.
         */
        post: operations["rewindSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/rewinds/{rewindId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a rewind
         * @description The messages that the rewind left are the conversation again; what was said since stays as a branch. Files that it took back are again those that it left.
         */
        post: operations["restoreRewind"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the schedules of the session
         * @description In the order in which they were created, each with its next and its last run.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Have a prompt submitted by time
         * @description By a cron expression in a time zone, or every so many seconds. Each run submits the prompt with the rights and quotas of the user who made or last changed the schedule, and is an event `schedule.ran`.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/schedules/{scheduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description Prompts that it has submitted stay, also those in the queue.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a schedule
         * @description What is absent stays. `paused: true` pauses it, `false` resumes it: the next run is then the next time by `cron`, or after one interval; no run is made for the times between. Its prompts are those of the caller from now on.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/v1/sessions/{id}/structure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of the log without their content
         * @description Ids, kinds, numbers and times of every event, as an erasure would leave them. For auditors, who do not read content.
         */
        get: operations["listStructure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/tool-decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a tool call that requires a decision
         * @description `allow` runs it. `reject` with `feedback` reports the feedback to the model, which continues; without feedback the turn ends. `cancel` ends the turn.
         */
        post: operations["decideToolCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/tool-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit the results of tool calls that the client runs
         * @description When the last result of the turn is there, the turn continues. A result may be sent once; a repeat with the same key gets the first answer.
         */
        post: operations["submitToolResults"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/turns/{turnId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a turn; with `wait`, after it has stopped running
         * @description Responds when the turn is neither queued nor running and does not only wait for helpers, or when the time is up.
         */
        get: operations["getTurn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings of the tenant, with secrets hidden
         * @description Instructions, defaults of sessions, hooks, MCP servers, permissions and retention. `version` counts their changes.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings of the tenant
         * @description Each section in the body is replaced as a whole and takes effect in every process within a second. A hidden value may be sent back unchanged: it keeps its value. With `If-Match` and the `version` that was read, nothing is changed when one of these sections has been changed since.
         */
        patch: operations["updateSettings"];
        trace?: never;
    };
    "/v1/settings/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who has changed which settings of the tenant, newest first
         * @description Names of sections, without their values. `changedBy` is null for a change of the server.
         */
        get: operations["listSettingsChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/hook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of the tenant's hooks; the response is the only place where it is shown
         * @description Hook calls are signed with it from then on; the previous secret is no longer used.
         */
        post: operations["rotateHookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/mcp-tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect to an MCP server once, before it is stored, and list its tools
         * @description Nothing is stored. A server that cannot be used is a response with `problems`. Each process tries one server of a tenant at a time, within `MCP_CONNECT_TIMEOUT_MS`.
         */
        post: operations["testMcpServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the conversation that a link shows
         * @description With the secret of a link as bearer token. The transcript of the path that ends with the message of the link.
         */
        get: operations["readShared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared/blobs/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the bytes of a file of a message that the link shows
         * @description Only files of messages that the link shows, with their media type.
         */
        get: operations["getSharedBlob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the ways to sign in
         * @description Which of password-free link and identity provider the deployment offers; for pages that let users sign in.
         */
        get: operations["getSignInMethods"];
        put?: never;
        /**
         * Sign the browser in with the code of a one-time link, or with a token
         * @description Sets a cookie that only pages of this origin can use, and that no script can read. A code is valid once. With a token the cookie is there until the browser is closed, and ends with the token. What the browser was signed in as before ends.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-in/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send the browser to the identity provider
         * @description Not found when none is configured.
         */
        get: operations["beginOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-in/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign the browser in that comes back from the identity provider
         * @description Redirects to the page on which the sign-in began, or to the sign-in page with the parameters `error`, a problem code, and `instance`, the id of the request.
         */
        get: operations["completeOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers that are signed in: those of the tenant for an admin, your own for a member
         * @description With browser, time and last use.
         */
        get: operations["listSignIns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-ins/{signInId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign a browser out
         * @description Its streams end within a second.
         */
        delete: operations["revokeSignIn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign the browser out
         * @description Ends the sign-in of the cookie, if there is one, and deletes the cookie.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the enabled skills, and the problems of those that cannot be used
         * @description With name, description and source, as the model is told.
         */
        get: operations["listSkills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream-tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a ticket for the event stream of a session, or of all of your sessions
         * @description For EventSource in a browser, which cannot send an Authorization header. A ticket opens one stream of that session, or without `sessionId` one stream of all of the caller's sessions, through any process, and then expires; a client that reconnects creates another one and resumes with `after`.
         */
        post: operations["createStreamTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the valid tokens: those of the tenant for an admin, your own for a member
         * @description With name, scopes, end and last use; never the secret.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token; the response is the only place where it is shown
         * @description Its rights are at most those of the credentials that create it, and it ends with them. An admin may create one for another user of the tenant.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token and every token created with it
         * @description Streams that were opened with it end within a second.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the server's tools for the tenant, and the problems of those that cannot be offered
         * @description Connects to every MCP server whose list of tools is missing or expired; an unreachable server is listed under `problems`, as is an agent of the tenant that names tools which helpers are not offered.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ui/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the newest message of a chat and stream the answer
         * @description A user message is a prompt; a known one with another text is an edit, and with `trigger: regenerate-message` its answer is regenerated. An assistant message carries decisions about tool calls and results of client tools. The first message of a chat creates its session. A message that is sent again is not executed again. Server-sent events with the header `x-vercel-ai-ui-message-stream: v1`: the UI message stream of the AI SDK.
         */
        post: operations["sendUiMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ui/chat/{chatId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the conversation of a chat as UI messages, the initial messages of a page
         * @description Empty for a chat that does not exist yet. An answer that is being written is missing: it is all in the stream of the chat.
         */
        get: operations["listUiMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ui/chat/{chatId}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the answer that is being written, from its beginning; 204 when there is none
         * @description Server-sent events with the header `x-vercel-ai-ui-message-stream: v1`: the UI message stream of the AI SDK.
         */
        get: operations["resumeUiStream"];
        put?: never;
        post?: never;
        /**
         * Interrupt the running turn of a chat; idempotent
         * @description For the stop button of the AI SDK's chat; the answer so far is kept.
         */
        delete: operations["stopUiStream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the usage of the tenant by day, user, model, session, or day and model
         * @description Prompts count for the user who submitted them, requests of the model for the user of the prompt that they answer. Erasing content changes nothing here.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users of the tenant
         * @description By name, by pages, disabled ones included.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user of the tenant
         * @description Name, role, and whether the user is disabled or deleted.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user: disable, remove the name, and erase the content
         * @description The id stays, so that the log keeps saying that one person did all of it. Workers erase the sessions, as for `DELETE /v1/users/{userId}/content`, which is what the response is of.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change the role of a user, disable or enable a user
         * @description Disabling revokes every token of the user, with those that were created with them, signs every browser of the user out, and ends their streams within a second. A user who is enabled again needs new credentials; a signed token of a trusted issuer is accepted again. Where the issuer names roles, its next token or sign-in sets the role.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/v1/users/{userId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase the content of all sessions of a user
         * @description Workers erase them one by one, with their forks; `GET /v1/users/{userId}/erasures` shows the progress. Sessions under a legal hold stay. A request before the last one is done returns that one.
         */
        delete: operations["eraseUserContent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the erasures of the content of a user, newest first
         * @description Each with its progress: sessions that are erased, and sessions that are left and why.
         */
        get: operations["listUserErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files that the model keeps for you
         * @description By path, with the change that made each what it is. With `deleted=true` also the paths at which there is no file any more, whose versions can still be read and used again. Shown to this user only: for all others the answer is 404.
         */
        get: operations["listMemory"];
        put?: never;
        post?: never;
        /**
         * Erase all that the model keeps for a user, with its history
         * @description Of yourself, or as an admin of any user of the tenant. It cannot be undone. What was read into conversations stays in them.
         */
        delete: operations["eraseMemory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/memory/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of your memory, now or in an earlier version
         * @description Versions are in `GET /v1/users/{userId}/memory/versions`.
         */
        get: operations["getMemoryContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/memory/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a file of your memory what it was in an earlier version
         * @description Writes the earlier content as a new version, or deletes the file where that version is a deletion. Nothing is lost: this can be undone as well.
         */
        post: operations["undoMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/memory/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a file of your memory, newest first
         * @description Also of a file that was deleted. Each says which session made it.
         */
        get: operations["listMemoryVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Access: {
            /** @description `user:` or `link:`, and an id. */
            reader: string;
            /** @enum {string} */
            via: "grant" | "break_glass" | "link" | "fork";
            /**
             * Format: date-time
             * @description The beginning of the hour.
             */
            hour: string;
            /**
             * Format: uuid
             * @description Of `via` fork: the session that the reader made, and reads without a record here.
             */
            fork?: string;
            /**
             * Format: date-time
             * @description The first read in it.
             */
            at: string;
        };
        Accesses: {
            version: number;
            data: components["schemas"]["Access"][];
            readonly brokenGlass: components["schemas"]["GlassRecord"][];
            nextCursor: string | null;
        };
        Activity: {
            readonly data: components["schemas"]["ActivityEntry"][];
            nextCursor: string | null;
        };
        ActivityEntry: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            at: string;
            /** @description The user; null: the server, or the user is not known, as of links that an older version revoked. */
            by: string | null;
            /** @enum {string} */
            act: "session_erased" | "messages_erased" | "user_content_erased" | "hold_placed" | "hold_released" | "role_given" | "role_taken" | "link_created" | "link_revoked" | "emergency_access";
            /** @description Null of `user_content_erased`, which reaches all sessions of `userId`. */
            sessionId: string | null;
            /** @description Of `user_content_erased`: whose content was to be erased. */
            userId: string | null;
            /** @description Of `role_given` and `role_taken`: `user:` and an id, or `group:` and a name. Null of a group when the session was erased since. */
            principal: string | null;
            /** @description Of `role_given`. */
            role: string | null;
            /** @description Of `messages_erased`: how many, with what was made of them. */
            messages: number | null;
            /** @description Of `emergency_access`: its end. */
            until: string | null;
            /** @description Of `session_erased` and `messages_erased`: the same for all steps of one erasure. */
            erasureId: string | null;
        };
        Actor: {
            /** @enum {string} */
            kind: "user" | "system";
            id: string;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        AdvisorToolResultBlock: {
            /** @constant */
            type: "advisor_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description An agent that the user named. */
        AgentMentionAttachment: {
            /** @constant */
            type: "agent_mention";
            name?: string;
            agentType?: string;
            content?: string;
        };
        Alive: {
            /** @enum {string} */
            status: "ok";
        };
        Anchors: {
            data: {
                /** @description Leaves of the checkpoint. */
                size: number;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                at: string;
                /** @enum {string} */
                kind: "timestamp" | "witness";
                /** @description The signed checkpoint; with the cosignature of a witness as its last line. */
                checkpoint: string;
                /** @description Time stamp token (RFC 3161) over the checkpoint, DER in base64. */
                token?: string;
            }[];
        };
        AnyRequest: components["schemas"]["Request"] | components["schemas"]["ClientRequest"];
        AppendedLines: {
            /**
             * Format: uuid
             * @description The session that the file is.
             */
            id: string;
            version: number;
            /** @description Lines that the file did not have; 0 for a repeat. */
            appended: number;
            /** @description Lines of the whole file. */
            lines: number;
            /** @description The number of the summary; 0: the file has none. */
            summary: number;
        };
        /** @description An answer of the model. */
        AssistantMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "assistant";
            /** Format: uuid */
            uuid: string;
            /** @description The previous message on its branch; null for the first. */
            parentUuid: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            message: components["schemas"]["ModelMessage"];
            /**
             * Format: uuid
             * @description The model request that it answers.
             */
            requestId?: string;
            isVirtual?: boolean;
            /** @description A stored error of the provider; never sent to the model. */
            isApiErrorMessage?: boolean;
            apiError?: (("pdf_too_large" | "pdf_password_protected" | "pdf_invalid" | "image_too_large" | "request_too_large") | {
                /** @constant */
                type: "block_rejected";
                blockUuid: string;
                index: number;
                inner?: number;
            }) | null;
            /** @description Uuids of messages that are left out of later requests: those of a refused turn, or those whose place this answer took. */
            readonly withdraws?: string[];
        };
        AssistantMessageDraft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "assistant";
            /** Format: uuid */
            uuid: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            message: components["schemas"]["ModelMessage"];
            /**
             * Format: uuid
             * @description The model request that it answers.
             */
            requestId?: string;
            isVirtual?: boolean;
            /** @description A stored error of the provider; never sent to the model. */
            isApiErrorMessage?: boolean;
            apiError?: (("pdf_too_large" | "pdf_password_protected" | "pdf_invalid" | "image_too_large" | "request_too_large") | {
                /** @constant */
                type: "block_rejected";
                blockUuid: string;
                index: number;
                inner?: number;
            }) | null;
            /** @description Uuids of messages that are left out of later requests: those of a refused turn, or those whose place this answer took. */
            readonly withdraws?: string[];
        };
        /** @description Context by its `type`. Any other type is accepted, too; docs/attachments.md lists what the model is sent. */
        Attachment: components["schemas"]["SelectedLinesInIdeAttachment"] | components["schemas"]["IdeSelectionAttachment"] | components["schemas"]["OpenedFileInIdeAttachment"] | components["schemas"]["OpenedFileAttachment"] | components["schemas"]["EditedTextFileAttachment"] | components["schemas"]["DirectoryAttachment"] | components["schemas"]["MentionAttachment"] | components["schemas"]["AgentMentionAttachment"] | components["schemas"]["McpResourceAttachment"] | components["schemas"]["DiffAttachment"] | components["schemas"]["GitDiffAttachment"] | components["schemas"]["TodoListAttachment"] | components["schemas"]["TodoAttachment"] | components["schemas"]["TodoReminderAttachment"] | components["schemas"]["TaskReminderAttachment"] | components["schemas"]["DiagnosticsAttachment"] | components["schemas"]["NestedMemoryAttachment"] | components["schemas"]["RelevantMemoriesAttachment"] | components["schemas"]["PlanModeAttachment"] | components["schemas"]["PlanModeExitAttachment"] | components["schemas"]["PermissionModeAttachment"] | components["schemas"]["OutputStyleAttachment"] | components["schemas"]["SystemMessageAttachment"] | components["schemas"]["QueuedCommandAttachment"] | components["schemas"]["FileAttachment"] | components["schemas"]["MemoryAttachment"] | components["schemas"]["MemoryListingAttachment"] | components["schemas"]["SkillListingAttachment"] | components["schemas"]["InvokedSkillsAttachment"] | components["schemas"]["GitStatusAttachment"] | components["schemas"]["CurrentDateAttachment"] | components["schemas"]["DateChangeAttachment"] | components["schemas"]["CompactFileReferenceAttachment"] | components["schemas"]["HookAdditionalContextAttachment"] | components["schemas"]["CommandPermissionsAttachment"] | components["schemas"]["OtherAttachment"];
        /** @description Context that the client, the server or a hook attached. */
        AttachmentMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "attachment";
            /** Format: uuid */
            uuid: string;
            /** @description The previous message on its branch; null for the first. */
            parentUuid: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            attachment: components["schemas"]["Attachment"];
            /** @description Standing context, which every request contains: the name of its source. */
            standing?: string;
            /** @description Everything before it was sent by an earlier request, so it stays behind that. */
            inPlace?: boolean;
        };
        AttachmentMessageDraft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "attachment";
            /** Format: uuid */
            uuid: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            attachment: components["schemas"]["Attachment"];
            /** @description Standing context, which every request contains: the name of its source. */
            standing?: string;
            /** @description Everything before it was sent by an earlier request, so it stays behind that. */
            inPlace?: boolean;
        };
        Audit: {
            version: number;
            events: number;
            headHash: string | null;
            valid: boolean;
            /**
             * @description The first thing that is wrong: with an event of the log, its row of the session list, its files, its requests, or its place in the transparency log. docs/proofs.md has a table.
             * @enum {string}
             */
            finding?: "missing" | "altered" | "content" | "erasure" | "parent" | "head" | "fold" | "archive" | "unreadable" | "row" | "file" | "request" | "set_back" | "transparency_log";
            /** @description The position of the first event that is missing, was altered, was added outside the server, or was erased without an event that says so. */
            firstInvalidSeq?: number;
            /** @description How many of the events are erased. */
            erased: number;
            /** @description Whether the row of the session list is that of the log: owner, title, model, state, counts, first and last text, usage. */
            rowMatches: boolean;
            /** @description How many files messages refer to, and the SHA-256 of those that are gone or have other bytes. */
            files: {
                checked: number;
                invalid: string[];
            };
            /** @description With `requests`: of the newest ones, those of which the log does not have what was sent, the newest first, with the position of their event. */
            requests?: {
                checked: number;
                /** @description Of how many of these nothing is left to compare: their content was erased. */
                erased: number;
                invalid: {
                    /** Format: uuid */
                    requestId: string;
                    seq: number;
                    problem: string;
                }[];
            };
            /**
             * @description The log does not continue what this process of the server has audited earlier, or serves.
             * @enum {boolean}
             */
            setBack?: true;
            parents?: {
                /** Format: uuid */
                sessionId: string;
                seq: number;
                headHash: string;
                valid: boolean;
            }[];
            transparencyLog?: components["schemas"]["Logged"];
            /** @description With `proof=true`; null while no event of the session is in the transparency log. */
            proof?: components["schemas"]["Proof"] | null;
        };
        /** @description Who wrote a message. `id`: the user (`user`) or the model (`model`); `system`: the server, a tool or a hook. */
        Author: {
            /** @enum {string} */
            kind: "user" | "model" | "system";
            id?: string;
        };
        /** @description The bytes themselves. They are stored, and replaced by a `blob` source. */
        Base64Source: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "base64";
            media_type: string;
            data: string;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        BashCodeExecutionToolResultBlock: {
            /** @constant */
            type: "bash_code_execution_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        BashProgress: {
            /** @constant */
            type: "bash";
            /** @description The end of the output. */
            output: string;
            /** @description Length of the output so far. */
            characters: number;
            elapsedMs: number;
        };
        /** @description Bytes that the session has already, by their SHA-256. */
        BlobSource: {
            /** @enum {string} */
            type: "blob";
            sha256: string;
        };
        /** @description What is appended to a content block, by its `type`. */
        BlockDelta: components["schemas"]["TextDelta"] | components["schemas"]["ThinkingDelta"] | components["schemas"]["SignatureDelta"] | components["schemas"]["InputJsonDelta"] | components["schemas"]["CitationsDelta"] | components["schemas"]["OtherDelta"];
        Branch: {
            /**
             * Format: uuid
             * @description Its newest message, which names it in `POST …/branches/{tip}/restore`.
             */
            tip: string;
            isCurrent: boolean;
            /** @description Number of its messages, from the first message of the conversation to `tip`. */
            messages: number;
            /** @description The newest message that it shares with the current branch; of the current branch: with any other. Null: none. */
            forkedAfter: string | null;
            /** @description Number of its messages after `forkedAfter`. */
            ownMessages: number;
            /** @description Number of its messages that have a text for readers, as `messageCount` of the session list counts them. */
            texts: number;
            /** @description Number of those after `forkedAfter`. */
            ownTexts: number;
            /** @description The first message after `forkedAfter`. Branches that begin with the same message are parts of one line. Null: there is none. */
            begins: {
                /** Format: uuid */
                uuid: string;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                timestamp: string;
            } | null;
            /** @description The message of the current branch in whose place the branch has others: the first after `forkedAfter` that readers see. Null: the current branch shows none there, or this is the current branch. */
            insteadOf: {
                /** Format: uuid */
                uuid: string;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                timestamp: string;
            } | null;
            /** @description The first message after `forkedAfter` that has a text for readers, with the start of that text; null: none has. */
            first: {
                /** Format: uuid */
                uuid: string;
                preview: string;
            } | null;
            /**
             * Format: date-time
             * @description Time of its newest message.
             */
            updatedAt: string;
            /** @description The last time that it stopped being the current branch; null for the current branch. */
            left: components["schemas"]["LeftBranch"] | null;
        };
        BranchRestored: {
            version: number;
            head: string | null;
            permissionMode: string;
        };
        Branches: {
            version: number;
            data: components["schemas"]["Branch"][];
        };
        /**
         * @example {
         *       "reason": "ticket 17: the user asks what was said"
         *     }
         */
        BreakGlass: {
            /** @description Why; the owner of the session reads it. Without content of the session. */
            reason: string;
        };
        /** @description Read access of the caller, until that time. */
        BrokenGlass: {
            version: number;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            until: string;
        };
        /** @description A cache breakpoint of the model API. */
        CacheControl: {
            /** @constant */
            type: "ephemeral";
            /** @enum {string} */
            ttl?: "5m" | "1h";
        };
        /** @description As the model API reported it. `cache_miss_reason` null: the comparison was not complete. */
        CacheDiagnostics: {
            cache_miss_reason?: {
                type: string;
                cache_missed_input_tokens?: number;
            } | null;
        };
        /** @description When each stage of the turn began, in milliseconds since the epoch. */
        Checkpoints: {
            label: string;
            at: number;
        }[];
        /** @description A citation as the model API returned it; further members depend on `type`. */
        Citation: {
            type: string;
            cited_text?: string;
        };
        CitationsDelta: {
            /** @constant */
            type: "citations_delta";
            citation: unknown;
        };
        ClientRequest: {
            /** Format: uuid */
            requestId: string;
            /** @enum {string} */
            recordedBy: "client";
            /** @description Its id in the file. This and the next three: null for those who may not read the session. */
            clientId: string | null;
            model: string | null;
            sentAt: string | null;
            /** @description What the program says that the request was for. */
            querySource: string | null;
            seq: number;
            /** @description Of the imported file. */
            line: number;
            erased: boolean;
            version: number;
            /** @description The request that it continues, by its id in the file. */
            base: string | null;
            /** @description How many messages of that one it begins with. */
            keep: number;
            /** @description As the file has them; nothing proves them. */
            parameters: {
                [key: string]: unknown;
            };
            betas: string[];
            /** @description Cache markers as the file has them; nothing proves them. `isPlaced`: the payload has it. */
            markers: {
                path: unknown;
                value: unknown;
                isPlaced: boolean;
            }[];
            /** @description A digest of the whole request by a formula of the program; it is not compared. */
            recordedDigest: string | null;
            /** @description The stored messages in which its messages were found. */
            original: components["schemas"]["Message"][];
            parts: components["schemas"]["ClientRequestPart"][];
            /** @description System prompt and tools; `line` null: they were not found. */
            shape: {
                /** @description SHA-256 of the canonical form, hexadecimal; null: in a form that is not known. */
                hash: string | null;
                line: number | null;
            };
            /** @description Parameters, system prompt, tools and messages. Null: something of it was erased or not found. */
            payload: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What `verified` is about: each message, and system prompt and tools, have the recorded hash in their canonical form (sorted keys, text as one block, no cache markers). The bytes that were sent are not known.
             * @enum {string}
             */
            proof: "canonical";
            /** @description All of them have it; null: erased. */
            verified: boolean | null;
            /** @description What was not found, and where it is named. Null: nothing is missing. */
            fault: string | null;
        };
        /** @description A message of the request. */
        ClientRequestPart: {
            /** @description SHA-256 of the canonical form, hexadecimal; null: in a form that is not known. */
            hash: string | null;
            /** @description Of the imported file. */
            namedAt: number;
            /** @description Where it was found: on a line of the file, or in stored messages; null: nowhere. */
            from: ("file" | "transcript") | null;
            line: number | null;
            uuids: string[];
        };
        /** @description A request that the program which wrote an imported file had sent, and recorded there. */
        ClientRequestSummary: {
            /** Format: uuid */
            requestId: string;
            /** @enum {string} */
            recordedBy: "client";
            /** @description Its id in the file. This and the next three: null for those who may not read the session. */
            clientId: string | null;
            model: string | null;
            sentAt: string | null;
            /** @description What the program says that the request was for. */
            querySource: string | null;
            seq: number;
            /** @description Of the imported file. */
            line: number;
            erased: boolean;
        };
        /** @description What the file says about the requests that its program had sent. */
        ClientRequestsReport: {
            requests: number;
            /** @description Lines that do not fit the others, the first 200 of them. */
            readonly findings: {
                /** @description Counts from 1. */
                line: number;
                /** @description Of the message, or of system prompt and tools, that it is about. */
                hash: string | null;
                /** @description Follows "line N". */
                reason: string;
            }[];
            findingsTotal: number;
        };
        /** @description A tool that the client runs. The shape is the model API's. */
        ClientTool: {
            name: string;
            /** @description Further names by which calls reach the tool, such as earlier ones. The model is sent the tool once, by its name. */
            aliases?: string[];
            description?: string;
            input_schema: {
                [key: string]: unknown;
            };
            /** @description With the gate `tool-search` and a model that has it, the model sees the tool once a result of another tool names it in a `tool_reference`; otherwise at once. */
            defer_loading?: boolean;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        CodeExecutionToolResultBlock: {
            /** @constant */
            type: "code_execution_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        Command: {
            name: string;
            description: string;
            argumentHint: string | null;
            /** @enum {string} */
            kind: "client" | "local" | "prompt";
            /** @description Answered while a turn runs; any other waits its turn. */
            immediate: boolean;
            /** @description Runs for clients that control the session from afar. */
            bridgeSafe: boolean;
            /** @enum {string} */
            source: "builtin" | "skill" | "command";
        };
        /** @description What a skill permits while its turn runs. For readers only. */
        CommandPermissionsAttachment: {
            /** @constant */
            type: "command_permissions";
            skill?: string;
            allowedTools?: string[];
            model?: string | null;
        };
        Commands: {
            data: components["schemas"]["Command"][];
        };
        /** @description A file that was read before a compaction. */
        CompactFileReferenceAttachment: {
            /** @constant */
            type: "compact_file_reference";
            filename?: string;
            displayPath?: string;
        };
        /**
         * @example {
         *       "instructions": "Keep every file name."
         *     }
         */
        Compaction: {
            /** @description What is wanted of the summary. */
            instructions?: string | null;
        };
        /** @description A compaction by the model API. */
        CompactionBlock: {
            /** @constant */
            type: "compaction";
            content?: string | null;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        ConfigDisplay: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "config";
            /** @description The same in words. */
            text: string;
            settings: {
                title: string | null;
                model: string;
                permissionMode: components["schemas"]["PermissionMode"];
            };
            changed: string[];
        };
        Consistency: {
            from: number;
            to: number;
            /** @description Consistency proof (RFC 6962, 2.1.2), base64. */
            hashes: string[];
        };
        ContainerUploadBlock: {
            /** @constant */
            type: "container_upload";
            file_id: string;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description Text, or content blocks. */
        Content: string | components["schemas"]["ContentBlock"][];
        /**
         * @description A content block of the model API, by its `type`.
         * @example {
         *       "type": "text",
         *       "text": "What is 2+2?"
         *     }
         */
        ContentBlock: components["schemas"]["TextBlock"] | components["schemas"]["ImageBlock"] | components["schemas"]["DocumentBlock"] | components["schemas"]["SearchResultBlock"] | components["schemas"]["ThinkingBlock"] | components["schemas"]["RedactedThinkingBlock"] | components["schemas"]["ToolUseBlock"] | components["schemas"]["ToolResultBlock"] | components["schemas"]["ToolReferenceBlock"] | components["schemas"]["ServerToolUseBlock"] | components["schemas"]["WebSearchToolResultBlock"] | components["schemas"]["WebFetchToolResultBlock"] | components["schemas"]["CodeExecutionToolResultBlock"] | components["schemas"]["BashCodeExecutionToolResultBlock"] | components["schemas"]["TextEditorCodeExecutionToolResultBlock"] | components["schemas"]["ToolSearchToolResultBlock"] | components["schemas"]["AdvisorToolResultBlock"] | components["schemas"]["ContainerUploadBlock"] | components["schemas"]["McpToolUseBlock"] | components["schemas"]["McpToolResultBlock"] | components["schemas"]["CompactionBlock"] | components["schemas"]["OtherBlock"];
        /** @description Content was erased, in one or several steps. Reload the messages. */
        ContentErasedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "content.erased";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Content was erased, in one or several steps. Reload the messages. */
            data: {
                /**
                 * Format: uuid
                 * @description The same for all steps of an erasure.
                 */
                erasureId: string;
                /** @enum {string} */
                scope: "session" | "message";
                /** @description Of scope `message`: the erased messages, first the one that was named, then those that were made with it. */
                readonly messages?: string[];
                reason: string | null;
                /** @description The erased events, and what is left of their data. */
                readonly events: {
                    seq: number;
                    data: unknown;
                }[];
                /** @description Size of the data that this step erased, without files. */
                bytes: number;
                /** @description Files that this step took from the session. */
                blobs: number;
                /** @description Of scope `message`: the changes of files that were erased. After each, the files of earlier changes that it had replaced or deleted are gone, too. */
                readonly files?: {
                    /** Format: uuid */
                    version: string;
                    readonly removed: {
                        /** Format: uuid */
                        version: string;
                        /** @description In `files` of the event. */
                        index: number;
                    }[];
                }[];
                /**
                 * @description The title of the session was made from erased content.
                 * @constant
                 */
                untitled?: true;
                /** @description false: more steps follow. */
                isComplete: boolean;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        ContentSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "content";
            content: string | (components["schemas"]["TextBlock"] | components["schemas"]["ImageBlock"])[];
        };
        /** @description The date (UTC) at this point of the conversation. */
        CurrentDateAttachment: {
            /** @constant */
            type: "current_date";
            date: string;
        };
        /** @description The date (UTC) has changed. */
        DateChangeAttachment: {
            /** @constant */
            type: "date_change";
            newDate: string;
        };
        /** @description What decided the tool call. */
        DecidedBy: {
            /** @constant */
            kind: "rule";
            rule: string;
            /** @enum {string} */
            source: "deployment" | "tenant" | "session" | "command";
        } | {
            /** @constant */
            kind: "hook";
            /** Format: uuid */
            hookRunId: string;
        } | {
            /** @constant */
            kind: "mode";
            mode: components["schemas"]["PermissionMode"];
        } | {
            /** @constant */
            kind: "person";
            id: string;
        } | {
            /** @constant */
            kind: "timeout";
        };
        DeletedMemoryFile: {
            /**
             * @description Begins with /memories.
             * @example /memories/notes.md
             */
            path: string;
            /** @description Of the memory as a whole: one more with each change. */
            version: number;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            changedAt: string;
            /** Format: uuid */
            changedBy: string;
            /** @description The session whose model made the change; null: the user did, over HTTP. */
            sessionId: string | null;
        };
        /** @description Messages of an editor about files. */
        DiagnosticsAttachment: {
            /** @constant */
            type: "diagnostics";
            files?: {
                uri?: string;
                diagnostics?: {
                    message?: string;
                    severity?: string;
                    range?: {
                        start?: {
                            line: number;
                            character?: number;
                        };
                        end?: {
                            line: number;
                            character?: number;
                        };
                    };
                }[];
            }[];
        };
        /** @description Changes, as a diff. */
        DiffAttachment: {
            /** @constant */
            type: "diff";
            diff?: string;
            content?: string;
            filename?: string;
        };
        /** @description A folder that the user named, and its listing. */
        DirectoryAttachment: {
            /** @constant */
            type: "directory";
            filename?: string;
            path?: string;
            content?: string;
        };
        /** @description What the client shows for a prompt that was answered at once, by its `type`. */
        Display: components["schemas"]["TextDisplay"] | components["schemas"]["HelpDisplay"] | components["schemas"]["StatusDisplay"] | components["schemas"]["ConfigDisplay"] | components["schemas"]["DoctorDisplay"];
        DoctorDisplay: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "doctor";
            /** @description The same in words. */
            text: string;
            checks: {
                [key: string]: "up" | "down";
            };
            model: string;
            versions: {
                server: string;
                normalizer: string;
            };
            gates: string[];
        };
        DocumentBlock: {
            /** @constant */
            type: "document";
            source: components["schemas"]["Base64Source"] | components["schemas"]["TextSource"] | components["schemas"]["ContentSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"] | components["schemas"]["StoredSource"];
            title?: string | null;
            context?: string | null;
            citations?: {
                enabled?: boolean;
            } | null;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description A file that was changed. */
        EditedTextFileAttachment: {
            /** @constant */
            type: "edited_text_file";
            filename?: string;
            snippet?: string;
        };
        /** @description The receipt of an erasure. */
        Erased: {
            version: number;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            scope: "session" | "message";
            /** @description Of scope `message`: the erased messages; otherwise null. */
            messages: string[] | null;
            reason: string | null;
            /** @description Id of the user; `worker`: the server, because the retention of the session has ended. */
            by: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            startedAt: string;
            /** @description null: a part is not erased yet; repeat the request. */
            endedAt: string | null;
            /** @description Number of events with erased content. */
            events: number;
            /** @description Number of files taken from the session. */
            blobs: number;
            /** @description Size of the erased data of events, without files. */
            bytes: number;
            /** @description Forks in which it was erased as well. */
            readonly forks: string[];
            /** @description Helpers whose content was erased with it. */
            readonly helpers: string[];
        };
        Erasure: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            scope: "session" | "message";
            /** @description Of scope `message`: the erased messages; otherwise null. */
            messages: string[] | null;
            reason: string | null;
            /** @description Id of the user; `worker`: the server, because the retention of the session has ended. */
            by: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            startedAt: string;
            /** @description null: a part is not erased yet; repeat the request. */
            endedAt: string | null;
            /** @description Number of events with erased content. */
            events: number;
            /** @description Number of files taken from the session. */
            blobs: number;
            /** @description Size of the erased data of events, without files. */
            bytes: number;
        };
        Erasures: {
            version: number;
            data: components["schemas"]["Erasure"][];
        };
        /** @description An event of the log. `seq` counts 1, 2, 3 and so on within the session, without gaps. */
        Event: components["schemas"]["SessionCreatedEvent"] | components["schemas"]["SessionForkedEvent"] | components["schemas"]["ImportRetainedEvent"] | components["schemas"]["SessionImportedEvent"] | components["schemas"]["LinesAppendedEvent"] | components["schemas"]["SessionConfiguredEvent"] | components["schemas"]["SessionTitledEvent"] | components["schemas"]["SessionClosedEvent"] | components["schemas"]["SessionReopenedEvent"] | components["schemas"]["MessageAppendedEvent"] | components["schemas"]["SessionRewoundEvent"] | components["schemas"]["SessionRestoredEvent"] | components["schemas"]["SessionCompactedEvent"] | components["schemas"]["SessionToolsChangedEvent"] | components["schemas"]["FeedbackRecordedEvent"] | components["schemas"]["PromptSubmittedEvent"] | components["schemas"]["PromptQueuedEvent"] | components["schemas"]["PromptWithdrawnEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["TurnPreparedEvent"] | components["schemas"]["TurnWaitingEvent"] | components["schemas"]["TurnResumedEvent"] | components["schemas"]["TurnCompletedEvent"] | components["schemas"]["TurnInterruptRequestedEvent"] | components["schemas"]["TurnInterruptedEvent"] | components["schemas"]["TurnFailedEvent"] | components["schemas"]["ToolDecidedEvent"] | components["schemas"]["ToolStartedEvent"] | components["schemas"]["ToolCompletedEvent"] | components["schemas"]["HookCompletedEvent"] | components["schemas"]["RequestSentEvent"] | components["schemas"]["RequestCompletedEvent"] | components["schemas"]["RequestFailedEvent"] | components["schemas"]["WorkspaceChangedEvent"] | components["schemas"]["ScheduleSetEvent"] | components["schemas"]["ScheduleDeletedEvent"] | components["schemas"]["ScheduleRanEvent"] | components["schemas"]["ContentErasedEvent"] | components["schemas"]["HoldPlacedEvent"] | components["schemas"]["HoldReleasedEvent"] | components["schemas"]["SessionGrantedEvent"] | components["schemas"]["SessionGrantRevokedEvent"] | components["schemas"]["GlassBrokenEvent"] | components["schemas"]["SessionAccessedEvent"];
        Events: {
            version: number;
            data: components["schemas"]["Event"][];
            nextCursor: string | null;
        };
        Failure: {
            /** @description Stable. */
            code: string;
            /** @description Suitable for users. */
            message: string;
            /** @description Code of the cause, as the model API reports it in `error.details.error_code`. */
            errorCode?: string;
            /** @description HTTP status of the model API. */
            status?: number;
            /** @description The provider's id of the failed request; absent when it sent none. */
            providerRequestId?: string;
        };
        Feedback: {
            version: number;
            /** Format: uuid */
            feedbackId: string;
            /** Format: uuid */
            requestId: string;
            /** @description A number or a word, as your own scale has it. */
            rating: number | string;
            comment: string | null;
        };
        /** @description Feedback on an answer was recorded. */
        FeedbackRecordedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "feedback.recorded";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Feedback on an answer was recorded. */
            data: {
                /** Format: uuid */
                feedbackId: string;
                /**
                 * Format: uuid
                 * @description The model request whose answer is rated.
                 */
                requestId: string;
                /** @description A number or a word on the client's own scale. */
                rating: number | string;
                comment: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A file that the user named. */
        FileAttachment: {
            /** @constant */
            type: "file";
            filename?: string;
            path?: string;
            content?: unknown;
            truncated?: boolean;
        };
        FileDiff: {
            version: number;
            data: {
                path: string;
                /** @enum {string} */
                change: "added" | "changed" | "deleted";
                before: {
                    path: string;
                    /** @description As of stat: permissions, and for a symbolic link 0120777 (its content is its target). */
                    mode: number;
                    sha256: string;
                    /** @description Bytes. */
                    size: number;
                } | null;
                after: {
                    path: string;
                    /** @description As of stat: permissions, and for a symbolic link 0120777 (its content is its target). */
                    mode: number;
                    sha256: string;
                    /** @description Bytes. */
                    size: number;
                } | null;
                /** @description Unified diff; null: see `omitted`. */
                patch: string | null;
                /** @description Why there is no patch. `same`: only the mode differs; `large`: more than WORKSPACE_DIFF_BYTES, too different, or after the first 500 patches; ask for the file by `path`; `unasked`: with `patches=false`. */
                omitted: ("binary" | "large" | "same" | "unasked") | null;
            }[];
            /** @description The version of the files; null: an empty folder. */
            from: string | null;
            /** @description The version of the files; null: an empty folder. */
            to: string | null;
        };
        /** @description A file of the model API. */
        FileSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
            file_id: string;
        };
        FileVersions: {
            version: number;
            data: {
                /** Format: uuid */
                id: string;
                /** @description The version of the files; null: an empty folder. */
                base: string | null;
                seq: number;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                at: string;
                /**
                 * @description `outside`: found in the folder before a step.
                 * @enum {string}
                 */
                cause: "step" | "outside";
                /** @description The turn that it was found in; null: it was imported. */
                turnId: string | null;
                /** @description The newest message of its turn that readers see; null: there is none, or the change is from before a fork or an import. */
                message: string | null;
                /** @description The call after which it was found. */
                toolUseId: string | null;
                /** @description Number of files that are new or changed. */
                changed: number;
                deleted: number;
                isCurrent: boolean;
                /** @description An erasure of its message has taken what it changed. */
                isErased: boolean;
            }[];
            nextCursor: string | null;
            /** @description Whether the server records what tools change now; what was recorded before, or imported, is listed in any case. */
            records: boolean;
        };
        Files: {
            version: number;
            data: {
                path: string;
                /** @description As of stat: permissions, and for a symbolic link 0120777 (its content is its target). */
                mode: number;
                sha256: string;
                /** @description Bytes. */
                size: number;
            }[];
            nextCursor: string | null;
            /** @description The version of the files; null: an empty folder. */
            at: string | null;
            /** @description What was in the folder and was not recorded; the first of them. */
            skipped: {
                path: string;
                reason: string;
            }[];
        };
        /**
         * @example {
         *       "title": "another way"
         *     }
         */
        Fork: {
            /**
             * Format: uuid
             * @description The last message that both sessions share. Left out: the newest; while a turn runs, the last one before it.
             */
            at?: string;
            title?: string | null;
        };
        /** @description Changes of a repository, as a diff. */
        GitDiffAttachment: {
            /** @constant */
            type: "git_diff";
            diff?: string;
            content?: string;
            filename?: string;
        };
        /** @description The git status of the session's folder. */
        GitStatusAttachment: {
            /** @constant */
            type: "git_status";
            content: string;
        };
        /** @description A user without a role that reads got read access for a short time. */
        GlassBrokenEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "glass.broken";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A user without a role that reads got read access for a short time. */
            data: {
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                until: string;
                reason: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        GlassRecord: {
            /** Format: uuid */
            by: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            at: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            until: string;
            reason: string;
        };
        Grant: {
            /** @description `user:` and an id, or `group:` and a name. */
            principal: string;
            /** @enum {string} */
            role: "owner" | "editor" | "viewer" | "auditor";
        };
        Grants: {
            version: number;
            data: components["schemas"]["Grant"][];
        };
        HeldSession: {
            /** Format: uuid */
            id: string;
            version: number;
            held: boolean;
        };
        HelpDisplay: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "help";
            /** @description The same in words. */
            text: string;
            commands: components["schemas"]["Command"][];
        };
        /**
         * @example {
         *       "reason": "case 17"
         *     }
         */
        Hold: {
            reason?: string | null;
        };
        /** @description The session was put under a legal hold: nothing of it is erased. */
        HoldPlacedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "hold.placed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The session was put under a legal hold: nothing of it is erased. */
            data: {
                reason: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The legal hold of the session was released. */
        HoldReleasedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "hold.released";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The legal hold of the session was released. */
            data: {
                reason: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description Context that a hook added. */
        HookAdditionalContextAttachment: {
            /** @constant */
            type: "hook_additional_context";
            hookName?: string;
            hookEvent?: string;
            toolUseId?: string;
            content?: string | string[];
        };
        /** @description A hook has run. */
        HookCompletedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "hook.completed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A hook has run. */
            data: {
                /** Format: uuid */
                hookRunId: string;
                /** @description The hook event, such as `UserPromptSubmit`. */
                event: string;
                hook: {
                    type: string;
                    command?: string;
                    url?: string;
                    matcher?: string;
                };
                input: unknown;
                /** @enum {string} */
                outcome: "success" | "blocked" | "prevented" | "non_blocking_error" | "timeout";
                exitCode: number | null;
                /** @description Of an `http` hook that answered. */
                httpStatus?: number;
                durationMs: number;
                /** @description Standard output, or the body of the HTTP answer; bounded. */
                stdout: string;
                stderr: string;
                /** @description Its reason for blocking, stopping or deciding. */
                reason?: string;
                additionalContext?: string;
                /** @description Message for the user. */
                systemMessage?: string;
                /**
                 * @description Its permission decision about a tool call.
                 * @enum {string}
                 */
                decision?: "allow" | "deny" | "ask";
                /** @description Replaces the input of the tool call. */
                updatedInput?: {
                    [key: string]: unknown;
                };
                /** @description Replaces the text of the prompt for the model; the original stays in the log. */
                updatedPrompt?: string;
                turnId: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        HookOutcomes: {
            version: number;
            outcomes: {
                /** Format: uuid */
                hookRunId: string;
                /** @description The hook event, such as `UserPromptSubmit`. */
                event: string;
                hook: {
                    type: string;
                    command?: string;
                    url?: string;
                    matcher?: string;
                };
                input: unknown;
                /** @enum {string} */
                outcome: "success" | "blocked" | "prevented" | "non_blocking_error" | "timeout";
                exitCode: number | null;
                /** @description Of an `http` hook that answered. */
                httpStatus?: number;
                durationMs: number;
                /** @description Standard output, or the body of the HTTP answer; bounded. */
                stdout: string;
                stderr: string;
                /** @description Its reason for blocking, stopping or deciding. */
                reason?: string;
                additionalContext?: string;
                /** @description Message for the user. */
                systemMessage?: string;
                /**
                 * @description Its permission decision about a tool call.
                 * @enum {string}
                 */
                decision?: "allow" | "deny" | "ask";
                /** @description Replaces the input of the tool call. */
                updatedInput?: {
                    [key: string]: unknown;
                };
                /** @description Replaces the text of the prompt for the model; the original stays in the log. */
                updatedPrompt?: string;
                turnId: string | null;
            }[];
        };
        /**
         * @example {
         *       "event": "PreToolUse",
         *       "toolName": "Bash",
         *       "toolInput": {
         *         "command": "ls"
         *       }
         *     }
         */
        HookRun: {
            /** @enum {string} */
            event: "UserPromptSubmit" | "SessionStart" | "PreToolUse" | "PostToolUse" | "Stop" | "PreCompact";
            toolName?: string;
            toolInput?: {
                [key: string]: unknown;
            };
            input?: {
                [key: string]: unknown;
            };
        };
        HookSecret: {
            hookSecret: string;
        };
        Hooks: {
            data: {
                /** @enum {string} */
                source: "deployment" | "tenant";
                /** @description The plugin that brings it. */
                plugin?: string;
                event: string;
                matcher: string | null;
                /** @enum {string} */
                type: "command" | "http";
                command?: string;
                /** @description Without its query. */
                url?: string;
                timeoutMs: number;
            }[];
        };
        /** @description Text that the user selected in an editor. */
        IdeSelectionAttachment: {
            /** @constant */
            type: "ide_selection";
            filename?: string;
            content?: string;
            text?: string;
            lineStart?: number;
            lineEnd?: number;
        };
        ImageBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
            source: components["schemas"]["Base64Source"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"] | components["schemas"]["StoredSource"];
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description Lines of the imported file that are not part of the conversation, unchanged. */
        ImportRetainedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "import.retained";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Lines of the imported file that are not part of the conversation, unchanged. */
            data: {
                readonly lines: {
                    line: number;
                    value: unknown;
                }[];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        Imported: {
            /** Format: uuid */
            id: string;
            version: number;
            /**
             * @description The program that wrote the file.
             * @enum {string}
             */
            source: "verbatim" | "claude-code";
            /** @description Messages made; one answer of the model may have taken several lines. */
            imported: number;
            /** @description Rewinds and restores made. */
            moves: number;
            /** @description Messages that compactions of the active branch keep verbatim for the model. */
            preserved: number;
            /** @description Prompts that the file attaches to a line beside the conversation; here they follow its newest answer. */
            reattached: number;
            /** @description Messages that are not on the active branch, the first 200 of them. */
            readonly offBranch: string[];
            offBranchTotal: number;
            /** @description Number of lines by type that were stored but are never sent to the model. */
            retained: {
                [key: string]: number;
            };
            /** @description Lines that could not be read, the first 200 of them. */
            readonly skipped: {
                /** @description Counts from 1. */
                line: number;
                /** @description Never contains content of the line. */
                reason: string;
            }[];
            skippedTotal: number;
            /** @description Lines that were too long and are stored without the copy of a tool result that their program displays, the first 200 of them. */
            readonly shortened: {
                /** @description Counts from 1. */
                line: number;
                /** @description Never contains content of the line. */
                reason: string;
            }[];
            /** @description Absent: the file has none. */
            files?: components["schemas"]["ImportedFiles"];
            /** @description Absent: the file says nothing about requests. */
            clientRequests?: components["schemas"]["ClientRequestsReport"];
        };
        /** @description The files of the session's folder that the file brought. */
        ImportedFiles: {
            /** @description Changes of the files. */
            versions: number;
            /** @description Contents, each once. */
            contents: number;
            /** @description Size of the contents. */
            bytes: number;
            /** @description The version that the files are at. */
            current: string | null;
        };
        /** @description A part of the JSON text of the arguments of a tool call. */
        InputJsonDelta: {
            /** @constant */
            type: "input_json_delta";
            partial_json: string;
        };
        /** @description As the model API reported it, such as a thinking block that it dropped. */
        InputTransformation: {
            type?: string;
            path?: string;
            reason?: string;
        };
        Interrupted: {
            version: number;
            interrupted: boolean;
        };
        /** @description Skills that were called before a compaction. */
        InvokedSkillsAttachment: {
            /** @constant */
            type: "invoked_skills";
            skills?: {
                name: string;
                text?: string;
            }[];
        };
        LeftBranch: {
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            at: string;
            /**
             * Format: uuid
             * @description Id of the user who left it.
             */
            by: string;
            /**
             * @description `import`: the imported file had it beside the current branch, and does not say more.
             * @enum {string}
             */
            cause: "rewind" | "edit" | "regenerate" | "restore" | "import";
            reason: string | null;
            /** @description The rewind that left it; null: it was left by a restore, or before an import. */
            rewindId: string | null;
            /** @description Whether the files went back when it was left, so that restoring it brings them back, too. */
            files: boolean;
        };
        /** @description Lines of a session file that a client keeps in this session, as its program wrote them. The messages that are made of them follow in the same append. */
        LinesAppendedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "lines.appended";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Lines of a session file that a client keeps in this session, as its program wrote them. The messages that are made of them follow in the same append. */
            data: {
                readonly lines: string[];
                /** @description Of each line; null: it has none. */
                readonly uuids: (string | null)[];
                /** @description SHA-256 of the lines as they were sent, by which they are known when they are sent again; null: none of them has a uuid. */
                batch: string | null;
                /** @description The messages of the file that this append writes. */
                readonly messages: {
                    /** Format: uuid */
                    uuid: string;
                    /**
                     * Format: uuid
                     * @description The uuid that it has in the file.
                     */
                    name: string;
                    /** @description Lines that it is made of; they count from 1 in the whole file. */
                    readonly lines: number[];
                }[];
                /** @description The newest message of the active branch of the file, when it was written. */
                head: string | null;
                /** @description What the program says of the file for a list of files; null: what it said before. */
                summary: unknown;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        Link: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            role: "viewer";
            at: string | null;
            /** Format: uuid */
            createdBy: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            expiresAt: string;
            /** @description Requests that it was used for. */
            uses: number;
            /** @description Shown in this response only. Sent as a bearer token to `GET /v1/shared`. */
            secret: string;
        };
        LinkInfo: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            role: "viewer";
            at: string | null;
            /** Format: uuid */
            createdBy: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            expiresAt: string;
            /** @description Requests that it was used for. */
            uses: number;
        };
        Links: {
            data: components["schemas"]["LinkInfo"][];
        };
        /** @description An event that is streamed and not stored: `type` is the field `event` of the stream, `data` the field `data`. */
        LiveEvent: components["schemas"]["SyncedEvent"] | components["schemas"]["MessageDeltaEvent"] | components["schemas"]["ToolProgressEvent"] | components["schemas"]["QueueChangedEvent"] | components["schemas"]["PresenceEvent"];
        /** @description How the events compare with the transparency log. New events get into it within about a second. */
        Logged: {
            /** @description The number of events, from the first on, that are in the tree of the checkpoint, unchanged. */
            events: number;
            matches: boolean;
            /** @description The position of the first event that is not the one in the tree. */
            firstMismatch?: number;
            /** @description What is wrong with the transparency log as a whole. */
            problem?: string;
            /** @description The checkpoint that was compared with: the newest one. Null: there is none yet. */
            checkpoint: {
                size: number;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                createdAt: string;
            } | null;
            /** @description The newest checkpoint that was put outside the database, and how many events of the session it covers: no change of these goes unnoticed. */
            anchored: {
                size: number;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                at: string;
                events: number;
            } | null;
        };
        /** @description As the MCP server reported it. */
        McpProgress: {
            /** @constant */
            type: "mcp";
            progress: number;
            total?: number;
            message?: string;
        };
        /** @description A resource of an MCP server. */
        McpResourceAttachment: {
            /** @constant */
            type: "mcp_resource";
            server?: string;
            uri?: string;
            name?: string;
            content?: string;
            /** @description Why it could not be read; in place of `content`. */
            error?: string;
        };
        /**
         * @example {
         *       "name": "tracker",
         *       "url": "https://mcp.example.com/mcp",
         *       "headers": {
         *         "Authorization": "Bearer …"
         *       }
         *     }
         */
        McpTest: {
            url: string;
            headers?: {
                [key: string]: string;
            };
            /** @description As in `mcpServers`; of a stored server with the same URL, hidden values of headers are those that are stored. */
            name: string;
        };
        McpTestResult: {
            tools: {
                /** @description As the model would call it. */
                name: string;
                description: string;
                /**
                 * @description What a call may do: `read` changes nothing that needs a decision, `edit` files of the session, `run` anything.
                 * @enum {string}
                 */
                effect: "read" | "edit" | "run";
            }[];
            /** @description Why the server, or a tool of it, cannot be used. */
            problems: string[];
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        McpToolResultBlock: {
            /** @constant */
            type: "mcp_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description A call of an MCP server that the model API is connected to. */
        McpToolUseBlock: {
            /** @constant */
            type: "mcp_tool_use";
            id: string;
            name: string;
            server_name: string;
            /** @description Arguments of the call; their schema is `input_schema` of the tool. */
            input: {
                [key: string]: unknown;
            };
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        Me: {
            /** Format: uuid */
            tenantId: string;
            tenantName: string;
            /** Format: uuid */
            userId: string;
            userName: string;
            /** @enum {string} */
            role: "member" | "admin" | "auditor";
            /** @description As the identity provider names them; sessions may be shared with a group. */
            groups: string[];
            /** @description What the credentials of the request are limited to; null: they are not. */
            scopes: ("sessions:read" | "sessions:write" | "prompts:write" | "tools:write" | "audit:read" | "people:write" | "settings:write" | "usage:read")[] | null;
            /** Format: uuid */
            tokenId?: string;
            /**
             * Format: uuid
             * @description Of a browser that is signed in by a cookie.
             */
            signInId?: string;
            /**
             * Format: date-time
             * @description When the credentials of the request expire; absent: never.
             */
            expiresAt?: string;
            /**
             * @description The built-in offline model answers, since the server has neither a key nor an address of the model API.
             * @enum {boolean}
             */
            offline?: true;
            /** @description How long an emergency access of the caller lasts; absent: the role has none. */
            breakGlassMinutes?: number;
        };
        Memory: {
            data: components["schemas"]["MemoryFile"][];
            /** @description With `deleted=true`: the paths at which there is no file any more, each with the change that deleted it or moved it away. */
            deleted?: components["schemas"]["DeletedMemoryFile"][];
        };
        /** @description Instructions of the tenant or of the file CLAUDE.md; empty content revokes them. */
        MemoryAttachment: {
            /** @constant */
            type: "memory";
            /** @description `tenant` or `workspace`. */
            source?: string;
            path?: string;
            content?: string;
        };
        MemoryContent: {
            /**
             * @description Begins with /memories.
             * @example /memories/notes.md
             */
            path: string;
            content: string;
            bytes: number;
            /** @description Of the memory as a whole: one more with each change. */
            version: number;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            changedAt: string;
            /** Format: uuid */
            changedBy: string;
            /** @description The session whose model made the change; null: the user did, over HTTP. */
            sessionId: string | null;
        };
        MemoryFile: {
            /**
             * @description Begins with /memories.
             * @example /memories/notes.md
             */
            path: string;
            bytes: number;
            /** @description Of the memory as a whole: one more with each change. */
            version: number;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            changedAt: string;
            /** Format: uuid */
            changedBy: string;
            /** @description The session whose model made the change; null: the user did, over HTTP. */
            sessionId: string | null;
        };
        /** @description The files in the memory of the session's owner, where the model has it in the turn. */
        MemoryListingAttachment: {
            /** @constant */
            type: "memory_listing";
            /** @description Whose memory it is; null: the model has none any more. */
            userId?: string | null;
            files?: {
                path?: string;
                bytes?: number;
                version?: number;
            }[];
            /** @description Number of files that did not fit. */
            omitted?: number;
            /** @description Whether the model was told another listing of it before. */
            isChange?: boolean;
        };
        MemoryVersion: {
            /** @description Of the memory as a whole: one more with each change. */
            version: number;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            changedAt: string;
            /** Format: uuid */
            changedBy: string;
            /** @description The session whose model made the change; null: the user did, over HTTP. */
            sessionId: string | null;
            /** @description Null: the file was deleted, or moved away. */
            bytes: number | null;
            /** @description The path from which the file was moved. */
            renamedFrom: string | null;
        };
        MemoryVersions: {
            data: components["schemas"]["MemoryVersion"][];
            nextCursor: string | null;
        };
        /** @description Something that the user named. */
        MentionAttachment: {
            /** @constant */
            type: "mention";
            name?: string;
            agentType?: string;
            content?: string;
        };
        /** @description A message, by its `type`. */
        Message: components["schemas"]["UserMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["AttachmentMessage"] | components["schemas"]["SystemMessage"] | components["schemas"]["TombstoneMessage"] | components["schemas"]["ToolUseSummaryMessage"];
        /** @description A message was appended to the conversation. It replaces the deltas of its request, and the message with the same uuid, if there is one: of a session file, further lines of it came. */
        MessageAppendedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message.appended";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A message was appended to the conversation. It replaces the deltas of its request, and the message with the same uuid, if there is one: of a session file, further lines of it came. */
            data: {
                message: components["schemas"]["Message"];
                turnId: string | null;
                /** Format: uuid */
                promptId?: string;
                /** @description Of an import: the versions of the session's folder that it was asked with and that it had. Absent: those of the message before it, and the current one. */
                files?: {
                    before: string | null;
                    at: string | null;
                };
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A delta of an answer that is still streaming, in the form of the model API. `message.appended` replaces it. */
        MessageDeltaEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message.delta";
            /** @description A delta of an answer that is still streaming, in the form of the model API. `message.appended` replaces it. */
            data: {
                /** Format: uuid */
                turnId: string;
                /** Format: uuid */
                requestId: string;
                /** @description Index of the content block. */
                index: number;
                /** @description The block as far as it is written: with its first delta, and once more when a reader has joined in the middle of the answer. Ignore an event with it for a block that you have. */
                start?: components["schemas"]["ContentBlock"];
                delta?: components["schemas"]["BlockDelta"];
                /**
                 * @description The answer is a summary, not part of the transcript.
                 * @constant
                 */
                purpose?: "compaction";
            };
        };
        /** @description A message without `parentUuid`: it is appended later, when the calls before it have completed. */
        MessageDraft: components["schemas"]["UserMessageDraft"] | components["schemas"]["AssistantMessageDraft"] | components["schemas"]["AttachmentMessageDraft"] | components["schemas"]["SystemMessageDraft"] | components["schemas"]["TombstoneMessageDraft"] | components["schemas"]["ToolUseSummaryMessageDraft"];
        Messages: {
            version: number;
            data: components["schemas"]["Message"][];
            nextCursor: string | null;
            /** @description Number of entries before the first one of the page. */
            position: number;
        };
        /** @description Models that may be asked; an absent list is all, an empty one none. The tenant, the user and the token must each have a model. */
        ModelAccess: {
            /** @description Of the tenant as a whole. */
            tenant?: string[];
            /** @description Of each user. */
            user?: string[];
            /** @description Of single users by id, instead of `user`. */
            users?: {
                [key: string]: string[];
            };
            /** @description Of single tokens by id, besides the list of their user. */
            tokens?: {
                [key: string]: string[];
            };
        };
        /** @description A message of the model, as the API returned it. */
        ModelMessage: {
            id: string;
            /** @constant */
            role: "assistant";
            model: string;
            content: components["schemas"]["ContentBlock"][];
            /** @description null: the answer was interrupted. */
            stop_reason: string | null;
            usage?: components["schemas"]["ModelUsage"];
        };
        /** @description Parameters of requests to the model, in the model API's shapes. What the model of a request does not accept is replaced by what comes nearest, or left out; `changedOptions` of a payload says so. */
        ModelOptions: {
            /** @enum {string} */
            effort?: "low" | "medium" | "high" | "xhigh" | "max";
            thinking?: {
                /**
                 * @description Absent: as the model does by itself.
                 * @enum {string}
                 */
                type?: "enabled" | "adaptive" | "between_tools" | "disabled";
                /** @description Only of `enabled`; default: half of the tokens of the answer. */
                budget_tokens?: number;
                /**
                 * @description `summarized`, the default: its thinking can be read. `omitted`: it comes back empty, and the answer begins earlier.
                 * @enum {string}
                 */
                display?: "summarized" | "omitted";
            };
            /** @description A choice that forces a call (`any`, `tool`) applies to the first answer of each turn. */
            tool_choice?: {
                /** @enum {string} */
                type: "auto" | "any" | "tool" | "none";
                name?: string;
                disable_parallel_tool_use?: boolean;
            };
            stop_sequences?: string[];
            server_tools?: components["schemas"]["ModelServerTool"][];
            /** @description Models that answer when the model refuses; `default`: as the API chooses. */
            fallbacks?: "default" | {
                model: string;
                max_tokens?: number;
            }[];
        };
        /** @description A tool that the model API runs. The shape is the model API's. */
        ModelServerTool: {
            type: string;
            name: string;
        };
        /** @description Token counts as the model API reports them. */
        ModelUsage: {
            input_tokens?: number;
            output_tokens?: number;
            cache_creation_input_tokens?: number | null;
            cache_read_input_tokens?: number | null;
        };
        /** @description Instructions from a file in a subfolder. */
        NestedMemoryAttachment: {
            /** @constant */
            type: "nested_memory";
            path?: string;
            content?: string | {
                content?: string;
            };
        };
        /**
         * @example {
         *       "requestId": "0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e",
         *       "rating": "good",
         *       "comment": "To the point."
         *     }
         */
        NewFeedback: {
            /** Format: uuid */
            requestId: string;
            /** @description A number or a word, as your own scale has it. */
            rating: number | string;
            comment?: string | null;
        };
        /**
         * @example {
         *       "role": "viewer"
         *     }
         */
        NewGrant: {
            /** @enum {string} */
            role: "owner" | "editor" | "viewer" | "auditor";
        };
        /**
         * @example {
         *       "role": "viewer",
         *       "expiresAt": "2999-12-31T00:00:00Z"
         *     }
         */
        NewLink: {
            /** @enum {string} */
            role?: "viewer";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description The last message that it shows. Without it all of the current conversation, as it grows.
             */
            at?: string;
        };
        /**
         * @example {
         *       "input": "What has changed since yesterday?",
         *       "cron": "0 9 * * 1-5",
         *       "timeZone": "Europe/Berlin"
         *     }
         */
        NewSchedule: {
            /** @description The text of its prompts; a slash command is run as one. */
            input: string;
            /** @description Five fields, as in crontab(5): minute, hour, day of the month, month, day of the week. */
            cron?: string;
            /** @description IANA time zone of `cron`, such as `Europe/Berlin`. Default UTC. */
            timeZone?: string;
            /** @description Instead of `cron`: the seconds between two runs, at least `SCHEDULE_LEAST_SECONDS`. */
            everySeconds?: number;
            /**
             * Format: date-time
             * @description When it is due first, RFC 3339: not longer ago than `SCHEDULE_LATEST_MS`, and within ten years. A time that has passed is due at once. Absent: the next time by `cron`, or after one interval.
             */
            firstRunAt?: string;
            /** @description Its prompts are for the model only: the transcript does not show them. Default false. */
            isMeta?: boolean;
            /**
             * @description What a run does while a turn runs: `skip` submits no prompt, `queue` has it wait for the end of the turn. Default `skip`.
             * @enum {string}
             */
            whenBusy?: "skip" | "queue";
            paused?: boolean;
        };
        /**
         * @example {
         *       "gates": {
         *         "history-snip": true
         *       },
         *       "permissions": {
         *         "deny": [
         *           "Bash(rm *)"
         *         ]
         *       }
         *     }
         */
        NewSettings: {
            /** @description On or off, by name; an absent gate keeps the value of the deployment. */
            gates?: {
                "tool-reference-relocation"?: boolean;
                "system-reminder-folding"?: boolean;
                "history-snip"?: boolean;
                "tool-search"?: boolean;
                advisor?: boolean;
                ultraplan?: boolean;
                "auto-memory"?: boolean;
                "memory-correction"?: boolean;
            };
            /**
             * @description As `hooks` in the public settings of Claude Code: by event, groups of `{matcher?, hooks: [{type: "http", url, headers?, timeout?}]}`.
             * @example {
             *       "PreToolUse": [
             *         {
             *           "matcher": "Bash|mcp__.*",
             *           "hooks": [
             *             {
             *               "type": "http",
             *               "url": "https://hooks.example.com/tools",
             *               "headers": {
             *                 "authorization": "Bearer …"
             *               },
             *               "timeout": 5
             *             }
             *           ]
             *         }
             *       ]
             *     }
             */
            hooks?: {
                [key: string]: unknown;
            };
            /** @description On or off, by name. */
            skills?: {
                [key: string]: boolean;
            };
            /** @description Installed plugins, on or off, by name; off when absent. */
            plugins?: {
                [key: string]: boolean;
            };
            /** @description MCP servers by name. The values of headers are write-only. */
            mcpServers?: {
                [key: string]: {
                    url: string;
                    headers?: {
                        [key: string]: string;
                    };
                };
            };
            /** @description Instructions for the model, in every session of the tenant. */
            instructions?: string | null;
            permissions?: components["schemas"]["PermissionRules"];
            /** @description Whether sessions can use the permission mode `bypassPermissions`; false: their calls are decided as in mode `default`. */
            bypassPermissions?: boolean;
            /** @description Whether the model has the tool `memory`, which keeps files for each user across their own sessions. Switched off again, the files stay and are not read. */
            memory?: boolean;
            /** @description Agents by name: how helpers work that the model asks for by `agent`. They need `Agent` in TOOLS of the server. */
            agents?: {
                [key: string]: {
                    /** @description What it is for; told to the model. */
                    description: string;
                    /** @description The system prompt of the helper. */
                    prompt: string;
                    /** @description Of the tools of its parent; absent: all of them. */
                    tools?: string[];
                    /** @description Absent: the model of its parent. */
                    model?: string;
                };
            };
            quotas?: components["schemas"]["Quotas"];
            models?: components["schemas"]["ModelAccess"];
            /** @description Key for the model API that requests of the tenant go out with; null: that of the deployment. Write-only. The server must have `ENCRYPTION=on`, and ask a model API. */
            upstreamKey?: string | null;
            /** @description Days after the last change when the content of a session is erased; of the values of tenant and session, the smaller one. null: never. */
            retentionDays?: number | null;
        };
        /**
         * @example {
         *       "code": "vbc_…"
         *     }
         */
        NewSignIn: {
            /** @description The part of the one-time link after `#`. */
            code?: string;
            /** @description A token, or a signed token of your issuer. */
            token?: string;
        };
        /**
         * @example {
         *       "sessionId": "0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e"
         *     }
         */
        NewStreamTicket: {
            /**
             * Format: uuid
             * @description Absent: for `GET /v1/events/stream`, the stream of all of the caller's sessions.
             */
            sessionId?: string;
        };
        /**
         * @example {
         *       "name": "laptop",
         *       "role": "member"
         *     }
         */
        NewToken: {
            name?: string | null;
            userName?: string;
            /** @enum {string} */
            role?: "member" | "admin" | "auditor";
            /** @description What the token is limited to. Absent or null: as the credentials of the request. */
            scopes?: ("sessions:read" | "sessions:write" | "prompts:write" | "tools:write" | "audit:read" | "people:write" | "settings:write" | "usage:read")[] | null;
            expiresAt?: string | null;
        };
        /**
         * @example {
         *       "messages": [
         *         {
         *           "role": "user",
         *           "content": "What is 2+2?"
         *         }
         *       ]
         *     }
         */
        Normalize: {
            messages: {
                [key: string]: unknown;
            }[];
            system?: string | null;
            tools?: components["schemas"]["ClientTool"][];
            gates?: {
                [key: string]: boolean;
            };
            model?: string;
            /** @description Absent: the payload has none, and no `thinking` either. */
            modelOptions?: components["schemas"]["ModelOptions"];
            userContext?: {
                [key: string]: string;
            };
            systemContext?: {
                [key: string]: string;
            };
        };
        NormalizeGates: {
            data: {
                name: string;
                enabled: boolean;
                /** @enum {string} */
                source: "default" | "deployment" | "tenant";
                description: string;
            }[];
        };
        Normalized: {
            payload: components["schemas"]["Payload"];
            /** @description SHA-256 of the payload, hexadecimal. */
            digest: string;
            /** @description What happened to each block, by which pass, and why. */
            trace: components["schemas"]["TraceEntry"][];
            /** @description What the model API would reject. */
            problems: components["schemas"]["PayloadProblem"][];
            /** @description The model options that the payload does not have as they were asked for, and why. */
            changedOptions: {
                option: string;
                reason: string;
            }[];
            /** @description Where the payload does not continue earlier requests. */
            breaks: components["schemas"]["PrefixBreak"][];
            /** @description What of the messages was read in another form, or ignored, the first 200 of them; first of all, that the model is unknown. */
            notes: {
                pointer: string;
                detail: string;
            }[];
        };
        /** @example {} */
        Nothing: Record<string, never>;
        /** @description A file that the user opened. */
        OpenedFileAttachment: {
            /** @constant */
            type: "opened_file";
            filename?: string;
        };
        /** @description A file that the user opened in an editor. */
        OpenedFileInIdeAttachment: {
            /** @constant */
            type: "opened_file_in_ide";
            filename?: string;
        };
        /** @description A type that is not listed here. Clients ignore it. */
        OtherAttachment: {
            type: OtherType;
        };
        /** @description A type that is not listed here. Clients ignore it. */
        OtherBlock: {
            type: OtherType;
        };
        /** @description A type that is not listed here. Clients ignore it. */
        OtherDelta: {
            type: OtherType;
        };
        /** @description A type that is not listed here. Clients ignore it. */
        OtherProgress: {
            type: OtherType;
        };
        /** @description The style of the answers. */
        OutputStyleAttachment: {
            /** @constant */
            type: "output_style";
            style?: string;
        };
        /** @description The request body of a client of the Anthropic door, as the client made it: what the model API accepts, in any of its forms. */
        PassedPayload: {
            messages: {
                role: unknown;
            }[];
        };
        /** @description The request body as it is sent to the model; `system` and `tools` are absent when empty. */
        Payload: {
            model: string;
            max_tokens: number;
            /** @enum {boolean} */
            stream: true;
            thinking?: {
                /** @enum {string} */
                type: "enabled" | "adaptive" | "between_tools" | "disabled";
                budget_tokens?: number;
                /** @enum {string} */
                display?: "summarized" | "omitted";
            };
            output_config?: {
                /** @enum {string} */
                effort: "low" | "medium" | "high" | "xhigh" | "max";
            };
            tool_choice?: {
                /** @enum {string} */
                type: "auto" | "any" | "tool" | "none";
                name?: string;
                disable_parallel_tool_use?: boolean;
            };
            stop_sequences?: string[];
            fallbacks?: "default" | {
                model: string;
                max_tokens?: number;
            }[];
            /** @description Asks the model API why its prompt cache was missed. Only in requests as they were sent. */
            diagnostics?: {
                previous_message_id: string | null;
            };
            system?: {
                /** @enum {string} */
                type: "text";
                text: string;
                cache_control?: {
                    /** @enum {string} */
                    type: "ephemeral";
                    /** @enum {string} */
                    ttl?: "5m" | "1h";
                };
            }[];
            messages: {
                /** @enum {string} */
                role: "user" | "assistant" | "system";
                content: components["schemas"]["ContentBlock"][];
            }[];
            tools?: ({
                name: string;
                description?: string;
                input_schema: {
                    [key: string]: unknown;
                };
                /** @enum {boolean} */
                defer_loading?: true;
                cache_control?: {
                    /** @enum {string} */
                    type: "ephemeral";
                    /** @enum {string} */
                    ttl?: "5m" | "1h";
                };
            } | {
                type: string;
                name: string;
            })[];
        };
        /** @description A rule of the model API that the payload violates, and where. */
        PayloadProblem: {
            rule: string;
            at: string;
            text: string;
        };
        PayloadView: {
            version: number;
            payload: components["schemas"]["Payload"];
            /** @description SHA-256 of the payload, hexadecimal. */
            digest: string;
            /** @description What happened to each block, by which pass, and why. */
            trace: components["schemas"]["TraceEntry"][];
            /** @description What the model API would reject. */
            problems: components["schemas"]["PayloadProblem"][];
            /** @description The model options that the payload does not have as they were asked for, and why. */
            changedOptions: {
                option: string;
                reason: string;
            }[];
            /** @description Where the payload does not continue earlier requests. */
            breaks: components["schemas"]["PrefixBreak"][];
        };
        /** @description The owner of a session, the users it was granted to, those who have submitted prompts, and those who had emergency access. */
        People: {
            data: {
                /** Format: uuid */
                userId: string;
                name: string;
                isOwner: boolean;
                /** @description How many prompts they have submitted. */
                prompts: number;
            }[];
        };
        /** @enum {string} */
        PermissionMode: "default" | "acceptEdits" | "plan" | "bypassPermissions";
        /** @description The permission mode of the client. */
        PermissionModeAttachment: {
            /** @constant */
            type: "permission_mode";
            mode?: string;
        };
        /** @description Which calls of the server's tools are allowed, are denied, or need a decision. Replaced as a whole. */
        PermissionRules: {
            allow?: string[];
            deny?: string[];
            ask?: string[];
        };
        /** @description Plan mode is on. */
        PlanModeAttachment: {
            /** @constant */
            type: "plan_mode";
            planFilePath?: string;
        };
        /** @description Plan mode is off. */
        PlanModeExitAttachment: {
            /** @constant */
            type: "plan_mode_exit";
        };
        Plugins: {
            data: {
                name: string;
                description: string;
                enabled: boolean;
                /** @description What the tenant gets with it. */
                brings: ("hooks" | "mcpServers" | "skills")[];
            }[];
        };
        /** @description Where the payload stops continuing an earlier request, and the cause. */
        PrefixBreak: {
            requestId: string;
            message: number;
            /** @description `model`, `gates`, `configuration: <what>`, `compaction`, `rewind`, `normalization`, or the name of the pass that treated a block differently. */
            cause: string;
            /** @description The original block: its message, and its index there. */
            source?: {
                uuid: string;
                index: number;
            };
        };
        /**
         * @example {
         *       "state": "typing"
         *     }
         */
        Presence: {
            /**
             * @description `left`: no longer present.
             * @enum {string}
             */
            state: "reading" | "typing" | "left";
        };
        /** @description A user says that they read the session, or write in it. Counts until `expiresAt`, or until the next one of the same user. */
        PresenceEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "presence";
            /** @description A user says that they read the session, or write in it. Counts until `expiresAt`, or until the next one of the same user. */
            data: {
                /** Format: uuid */
                userId: string;
                name: string;
                /** @enum {string} */
                state: "reading" | "typing" | "left";
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                expiresAt: string;
            };
        };
        PricedRequest: {
            /** Format: uuid */
            requestId: string;
            /** Format: uuid */
            turnId: string;
            ordinal: number;
            /** @enum {string} */
            purpose: "answer" | "compaction";
            seq: number;
            at: number;
            model: string;
            digest: string;
            bytes: number;
            /** @enum {string} */
            status: "open" | "completed" | "failed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            sentAt: string;
            stopReason: string | null;
            usage: components["schemas"]["ModelUsage"] | null;
            error: components["schemas"]["Failure"] | null;
            durationMs: number | null;
            providerRequestId: string | null;
            /** @description Null: the server made the request. */
            origin: components["schemas"]["RequestOrigin"] | null;
            /** @description Null: without repairs. */
            repair: components["schemas"]["RequestRepair"] | null;
            /** @description In US dollars, by the prices that the server has now; null: no answer has said what was used. */
            cost: number | null;
        };
        /** @description RFC 9457. */
        Problem: {
            /** Format: uri-reference */
            type: string;
            title: string;
            status: number;
            detail?: string;
            /**
             * @description Stable.
             * @enum {string}
             */
            code: "invalid_input" | "malformed_json" | "empty_input" | "unsupported_input" | "image_rejected" | "document_rejected" | "nothing_to_import" | "payload_too_large" | "unsupported_media_type" | "expectation_failed" | "unauthenticated" | "sign_in_rejected" | "forbidden" | "model_not_allowed" | "last_admin" | "own_user" | "not_found" | "session_not_found" | "prompt_not_found" | "turn_not_found" | "request_not_found" | "blob_not_found" | "file_erased" | "rewind_not_found" | "branch_not_found" | "schedule_not_found" | "tool_call_not_found" | "session_busy" | "session_closed" | "session_not_closed" | "prompt_already_started" | "message_not_on_path" | "message_exists" | "message_not_found" | "session_erased" | "session_has_forks" | "last_owner" | "legal_hold" | "nothing_to_compact" | "tool_call_not_waiting" | "tool_unavailable" | "synthetic_content" | "limit_reached" | "quota_exceeded" | "version_conflict" | "summary_outdated" | "idempotency_mismatch" | "turn_over" | "rate_limited" | "tenant_busy" | "tenant_moving" | "unavailable" | "key_unavailable" | "log_tampered" | "server_outdated" | "internal_error";
            /** @description Id of the request, as in the header x-request-id. */
            instance: string;
            /** @description One entry per fault of the input: its JSON pointer, and what is wrong. */
            errors?: {
                pointer: string;
                detail: string;
            }[];
            /** @description Seconds after which to retry, as in the header Retry-After. */
            retryAfter?: number;
            /** @description The limit that was exceeded. */
            limit?: number;
        };
        /**
         * @example {
         *       "input": "Sum this up: [Pasted text #1]",
         *       "pastedContents": {
         *         "1": {
         *           "type": "text",
         *           "content": "A long text."
         *         }
         *       },
         *       "whenBusy": "enqueue"
         *     }
         */
        Prompt: {
            input: components["schemas"]["Content"];
            /** @enum {string} */
            mode?: "prompt" | "bash";
            pastedContents?: {
                [key: string]: {
                    /** @enum {string} */
                    type: "text" | "image";
                    /** @description The text; of an image its bytes as base64. */
                    content?: string;
                    /** @description Of an image, instead of `content`: bytes that the session has, such as those in the prompt that a rewind returns. */
                    source?: components["schemas"]["BlobSource"];
                    mediaType?: string;
                    filename?: string;
                    sourcePath?: string;
                };
            };
            attachments?: components["schemas"]["Attachment"][];
            /** @description Text that begins with a slash is text, and exit words are words. */
            skipSlashCommands?: boolean;
            /** @description Sent by a client that controls the session from afar: only commands that are safe there run. */
            bridgeOrigin?: boolean;
            origin?: unknown;
            /** @description For the model only, such as the prompt of a scheduled task: the transcript does not show it. */
            isMeta?: boolean;
            /** @description For the requests of its turn; each takes precedence over that of the session. */
            modelOptions?: components["schemas"]["ModelOptions"];
            /** @description The user's time zone, such as `Europe/Berlin`: the model is told the date there. Default UTC. */
            timeZone?: string;
            /** @enum {string} */
            whenBusy?: "enqueue" | "reject" | "interrupt";
            /**
             * Format: uuid
             * @description Uuid of the prompt's message, chosen by the client.
             */
            uuid?: string;
            /**
             * Format: uuid
             * @description Uuid of an earlier prompt of the conversation that this one replaces: everything from that prompt on becomes another branch.
             */
            replaces?: string;
        };
        PromptAnswer: {
            version: number;
            /** Format: uuid */
            promptId: string;
            /** @enum {string} */
            disposition: "started" | "queued" | "answered";
            /** Format: uuid */
            turnId?: string;
            position?: number;
            display?: components["schemas"]["Display"];
            messages?: components["schemas"]["Message"][];
            /** @description Of a prompt that replaced another one: the rewind, which can be restored, and the uuids of the removed messages. */
            rewind?: {
                /** Format: uuid */
                id: string;
                removed: string[];
            };
        };
        /** @description The prompt is queued. Reload the queue. */
        PromptQueuedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "prompt.queued";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The prompt is queued. Reload the queue. */
            data: {
                /** Format: uuid */
                promptId: string;
                position: number;
                /** @constant */
                reason: "turn_running";
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A prompt was accepted. */
        PromptSubmittedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "prompt.submitted";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A prompt was accepted. */
            data: {
                submission: components["schemas"]["Submission"];
                /** @enum {string} */
                disposition: "started" | "queued" | "answered";
                /** @description Of `answered`: what the client displays. */
                display?: components["schemas"]["Display"];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The prompt was removed from the queue. */
        PromptWithdrawnEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "prompt.withdrawn";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The prompt was removed from the queue. */
            data: {
                /** Format: uuid */
                promptId: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        Proof: {
            /** Format: uuid */
            sessionId: string;
            seq: number;
            /** @description The event's hash in the chain, hexadecimal. It covers all events before. */
            hash: string;
            leafIndex: number;
            /** @description Inclusion proof (RFC 6962, 2.1.1), base64. */
            hashes: string[];
            /** @description The signed checkpoint. */
            checkpoint: string;
            /** @description The public key of the checkpoint. Compare it with one that you got another way. */
            key: string;
        };
        Queue: {
            version: number;
            data: {
                /** Format: uuid */
                promptId: string;
                /** Format: uuid */
                turnId: string;
                position: number;
                reason: string;
                mode: string;
                input: components["schemas"]["Content"];
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                submittedAt: string;
                by: string;
            }[];
        };
        /** @description The queue changed. Reload the queue. */
        QueueChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "queue.changed";
            /** @description The queue changed. Reload the queue. */
            data: {
                /** Format: uuid */
                promptId: string;
                /** @enum {string} */
                change: "prompt.queued" | "prompt.withdrawn" | "turn.started";
            };
        };
        /** @description What a user wrote while the model worked, of a client with its own queue. */
        QueuedCommandAttachment: {
            /** @constant */
            type: "queued_command";
            prompt?: components["schemas"]["Content"];
        };
        /** @description Your quotas and what you have used of them; with the right to read the usage of the tenant, those of the tenant, too. */
        QuotaStates: {
            /**
             * Format: date-time
             * @description When the quotas per day are renewed.
             */
            resetsAt: string;
            data: {
                /** @enum {string} */
                scope: "tenant" | "user" | "token" | "session";
                /** @enum {string} */
                quota: "promptsPerDay" | "tokensPerDay" | "dollarsPerDay" | "sessions" | "storageBytes";
                limit: number;
                used: number;
            }[];
        };
        /** @description Limits on use; an absent one is none. A day begins at midnight UTC. */
        Quotas: {
            /** @description Of the tenant as a whole. */
            tenant?: {
                promptsPerDay?: number;
                /** @description Input, output, and what is written to the prompt cache. */
                tokensPerDay?: number;
                /** @description By the prices of the deployment. */
                dollarsPerDay?: number;
                /** @description Sessions that are not erased. */
                sessions?: number;
                /** @description Bytes of images and documents. */
                storageBytes?: number;
            };
            /** @description Of each user. */
            user?: {
                promptsPerDay?: number;
                /** @description Input, output, and what is written to the prompt cache. */
                tokensPerDay?: number;
                /** @description By the prices of the deployment. */
                dollarsPerDay?: number;
                /** @description Sessions that are not erased. */
                sessions?: number;
                /** @description Bytes of images and documents. */
                storageBytes?: number;
            };
            /** @description Of single users by id, instead of `user`. */
            users?: {
                [key: string]: {
                    promptsPerDay?: number;
                    /** @description Input, output, and what is written to the prompt cache. */
                    tokensPerDay?: number;
                    /** @description By the prices of the deployment. */
                    dollarsPerDay?: number;
                    /** @description Sessions that are not erased. */
                    sessions?: number;
                    /** @description Bytes of images and documents. */
                    storageBytes?: number;
                };
            };
            /** @description Of single tokens by id, besides those of their user. */
            tokens?: {
                [key: string]: {
                    promptsPerDay?: number;
                    /** @description Input, output, and what is written to the prompt cache. */
                    tokensPerDay?: number;
                    /** @description By the prices of the deployment. */
                    dollarsPerDay?: number;
                };
            };
            /** @description Of each session. */
            session?: {
                promptsPerDay?: number;
                /** @description Input, output, and what is written to the prompt cache. */
                tokensPerDay?: number;
                /** @description By the prices of the deployment. */
                dollarsPerDay?: number;
            };
            /** @description Of single sessions by id, instead of `session`. */
            sessions?: {
                [key: string]: {
                    promptsPerDay?: number;
                    /** @description Input, output, and what is written to the prompt cache. */
                    tokensPerDay?: number;
                    /** @description By the prices of the deployment. */
                    dollarsPerDay?: number;
                };
            };
        };
        Ready: {
            /** @enum {string} */
            status: "ok";
            checks: {
                [key: string]: "up" | "down" | "waiting_for_standby" | "some_away";
            };
        };
        /**
         * @example {
         *       "reason": "done"
         *     }
         */
        Reason: {
            reason?: string | null;
        };
        /** @description How a request through the Anthropic door is part of a message thread. It went out with the whole conversation, and without `thread`. */
        ReceivedThread: {
            /** @enum {string} */
            type: "create" | "continue";
            /** @description The id of the answer that it continues; null: it begins a thread. */
            previous: string | null;
            /** @description The request that this answer has answered. Its conversation and the answer went out before the messages of the client. */
            of: string | null;
            /** @description The body as the client sent it. */
            received: string;
        };
        /** @description The settings of the session. */
        RecordedSettings: {
            title: string | null;
            model: string;
            system: string | null;
            /** @description Named texts that the model reads before the conversation. */
            context: {
                [key: string]: string;
            };
            /** @description Named values appended to the system prompt. */
            systemContext: {
                [key: string]: string;
            };
            permissionMode: components["schemas"]["PermissionMode"];
            /** @description Rules for calls of server tools, in addition to those of the deployment and the tenant. */
            permissions: {
                readonly allow: string[];
                readonly deny: string[];
                readonly ask: string[];
            };
            readonly tools: {
                name: string;
                /** @description Further names by which calls reach it, such as earlier ones. The model is not told of them. */
                readonly aliases?: string[];
                description?: string;
                input_schema: {
                    [key: string]: unknown;
                };
                /** @description The model sees the tool only once a result of the client names it in a `tool_reference`. Without tool search it is sent as any other. */
                defer_loading?: boolean;
            }[];
            metadata: {
                [key: string]: unknown;
            };
            /** @description Kept out of the session list unless asked for; absent: false. */
            archived?: boolean;
            /** @description Whether the conversation is compacted automatically when it nears the model's context window; null or absent: the server's default. */
            autoCompact?: boolean | null;
            /** @description Days after the last change when its content is erased, unless the tenant's retention is shorter; null or absent: the tenant's. */
            retentionDays?: number | null;
            /** @description Parameters of its requests to the model; null or absent: none. */
            modelOptions?: components["schemas"]["ModelOptions"] | null;
        };
        RedactedThinkingBlock: {
            /** @constant */
            type: "redacted_thinking";
            data: string;
        };
        /**
         * @example {
         *       "whenBusy": "interrupt"
         *     }
         */
        Regenerate: {
            /**
             * Format: uuid
             * @description Uuid of the prompt; absent: the newest prompt of the conversation.
             */
            prompt?: string;
            /**
             * @description What to do while a turn runs; default `reject`.
             * @enum {string}
             */
            whenBusy?: "reject" | "interrupt";
        };
        /** @description Notes of earlier conversations. */
        RelevantMemoriesAttachment: {
            /** @constant */
            type: "relevant_memories";
            memories?: {
                path?: string;
                content?: string;
            }[];
        };
        Request: {
            /** Format: uuid */
            requestId: string;
            /** Format: uuid */
            turnId: string;
            ordinal: number;
            /** @enum {string} */
            purpose: "answer" | "compaction";
            seq: number;
            at: number;
            model: string;
            digest: string;
            bytes: number;
            /** @enum {string} */
            status: "open" | "completed" | "failed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            sentAt: string;
            stopReason: string | null;
            usage: components["schemas"]["ModelUsage"] | null;
            error: components["schemas"]["Failure"] | null;
            durationMs: number | null;
            providerRequestId: string | null;
            /** @description Null: the server made the request. */
            origin: components["schemas"]["RequestOrigin"] | null;
            /** @description Null: without repairs. */
            repair: components["schemas"]["RequestRepair"] | null;
            /** @description In US dollars, by the prices that the server has now; null: no answer has said what was used. */
            cost: number | null;
            version: number;
            /** @enum {string} */
            recordedBy: "server";
            /** @description The feature gates that the payload was built with. */
            gates: {
                [key: string]: boolean;
            };
            /** @description The messages that the payload was made from. */
            original: components["schemas"]["Message"][];
            /** @description The body as it was sent, as the log has it. Null: content of it was erased, or there is a fault. */
            payload: (components["schemas"]["Payload"] | components["schemas"]["PassedPayload"]) | null;
            recordedDigest: string;
            /** @description The body has the digest that was recorded when it was sent; null: content of it was erased. */
            verified: boolean | null;
            /** @description Content of the request was erased since, and with it all that was recorded of its body. */
            erased: boolean;
            /** @description Why the body cannot be rebuilt from the log: what is missing, and where. Null: nothing is. */
            fault: string | null;
            /** @description The model options that the payload does not have as they were asked for, and why. */
            changedOptions: {
                option: string;
                reason: string;
            }[];
            trace: components["schemas"]["TraceEntry"][];
            /** @description Null: the request is part of no message thread, or content of it was erased. */
            thread: components["schemas"]["ReceivedThread"] | null;
            /** @description Values of the `anthropic-beta` header that it was sent with. */
            readonly betas: string[];
            /** @description Why the model API could not reuse the prompt cache of the request before (`cache_miss_reason`), as it reported it. Null: it reported nothing. */
            cacheDiagnostics: components["schemas"]["CacheDiagnostics"] | null;
            /** @description Changes that the model API made to the input, such as thinking blocks it dropped (`path`, `reason`), as it reported them. Null: it reported none. */
            inputTransformations: components["schemas"]["InputTransformation"][] | null;
            /** @description How many leading messages the previous request had already sent; the cause of the difference, its block, and what it cost. Null: one of the two came through the Anthropic door, so they are not compared. */
            prefix: {
                shared: number;
                /** @description `model`, `gates`, `configuration: <what>`, `compaction`, `rewind`, `normalization`, or the name of the pass that treated a block differently. */
                cause?: string;
                /** @description The original block: its message, and its index there. */
                source?: {
                    uuid: string;
                    index: number;
                };
                /** @description Tokens of the previous request that were in the prompt cache and were not read from it. */
                lostTokens?: number;
                /** @description What was paid for them less what reading them from the cache costs, in US dollars by the prices of now; null: the model has no price. */
                lostCost?: number | null;
            } | null;
        };
        /** @description The model answered. */
        RequestCompletedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "request.completed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The model answered. */
            data: {
                /** Format: uuid */
                requestId: string;
                /** Format: uuid */
                turnId: string;
                providerRequestId: string | null;
                stopReason: string | null;
                usage: components["schemas"]["ModelUsage"];
                durationMs: number;
                /** @description Why the prompt cache was missed, as the model API reported it. Absent: it reported nothing. */
                cacheDiagnostics?: components["schemas"]["CacheDiagnostics"];
                /** @description Changes that the model API made to the input, such as dropped thinking blocks. Absent: it reported none. */
                readonly inputTransformations?: components["schemas"]["InputTransformation"][];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The request failed. Deltas received for it are void. */
        RequestFailedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "request.failed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The request failed. Deltas received for it are void. */
            data: {
                /** Format: uuid */
                requestId: string;
                /** Format: uuid */
                turnId: string;
                error: components["schemas"]["Failure"];
                durationMs: number;
                /** @description When it is retried; null: it is not. */
                retryAt: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The client that sent a request through the Anthropic door. */
        RequestOrigin: {
            /** @constant */
            kind: "gateway";
            /** @description Its user agent; null: it named none. */
            client: string | null;
        };
        /** @description A request of a client went out with repairs. */
        RequestRepair: {
            /** @description The request that the model API refused as it came; null: as an earlier one of the conversation was repaired. */
            of: string | null;
        };
        /** @description A request was sent to the model. */
        RequestSentEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "request.sent";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A request was sent to the model. */
            data: {
                /** Format: uuid */
                requestId: string;
                /** Format: uuid */
                turnId: string;
                /** @description Counts the requests of a turn from 1. */
                ordinal: number;
                /** @description The version of the session that the payload was made from. */
                at: number;
                model: string;
                profile: string;
                /** @description The feature gates that were on. */
                gates: {
                    [key: string]: boolean;
                };
                /** @description Values of the `anthropic-beta` header; absent: none. */
                readonly betas?: string[];
                normalizer: string;
                maxTokens: number;
                /** @description SHA-256 of the request body, hexadecimal. */
                digest: string;
                bytes: number;
                /** @description First halves of SHA-256 digests of the parts of the request, hexadecimal; of the messages, those from `shared` on, or, when these are many, those at the positions `at`. */
                prefix: {
                    system: string;
                    tools: string;
                    /** @description Chained: each covers its message and the digest before it, so the last one identifies them all. Empty: of an earlier request, not recorded; the last one is. */
                    readonly messages: string[];
                    /** @description Digests of each block of the last messages, which may grow until the next request. */
                    readonly tail: string[][];
                    shared: number;
                    /** @description Positions of the digests in `messages`, ascending, the last message among them. Absent: all from `shared` on. */
                    readonly at?: number[];
                };
                /**
                 * @description Absent: the request is for the next answer.
                 * @constant
                 */
                purpose?: "compaction";
                /** @description The request came through the Anthropic door, from this user agent (null: none was named). Absent: the server made it. */
                origin?: components["schemas"]["RequestOrigin"];
                /** @description The request of a client was sent with repairs: of this request, which the model API refused; null: as an earlier request of the conversation was repaired. Absent: as the client sent it. */
                repair?: components["schemas"]["RequestRepair"];
                /** @description Of a compaction: the inputs of the payload that are not in the log, and how the answer is used. */
                compaction?: {
                    /**
                     * @description `manual`: requested by a user.
                     * @enum {string}
                     */
                    trigger: "manual" | "auto";
                    /** @description The user's instructions for the summary. */
                    instructions: string | null;
                    /** @description The first message that is kept verbatim after the summary; null: none. */
                    keptFrom: string | null;
                    /** @description The first message that the summary is made from; null: the first of all. */
                    from: string | null;
                    /** @description The first message after those that the summary is made from; null: none. */
                    to: string | null;
                    /** @description How many of the oldest summarized messages were left out for lack of room. */
                    omitted: number;
                    /** @description Tokens in use before the compaction; null when no request has reported them. */
                    preTokens: number | null;
                };
                /** @description Null: erased. */
                body: components["schemas"]["SentBody"] | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        RequestSummary: {
            /** Format: uuid */
            requestId: string;
            /** Format: uuid */
            turnId: string;
            ordinal: number;
            /** @enum {string} */
            purpose: "answer" | "compaction";
            seq: number;
            at: number;
            model: string;
            digest: string;
            bytes: number;
            /** @enum {string} */
            status: "open" | "completed" | "failed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            sentAt: string;
            stopReason: string | null;
            usage: components["schemas"]["ModelUsage"] | null;
            error: components["schemas"]["Failure"] | null;
            durationMs: number | null;
            providerRequestId: string | null;
            /** @description Null: the server made the request. */
            origin: components["schemas"]["RequestOrigin"] | null;
            /** @description Null: without repairs. */
            repair: components["schemas"]["RequestRepair"] | null;
        };
        Requests: {
            version: number;
            data: components["schemas"]["PricedRequest"][];
            /** @description What the program that wrote an imported file had sent, as it recorded it there, in the order of its lines. */
            client: components["schemas"]["ClientRequestSummary"][];
        };
        Restored: {
            version: number;
            /** Format: uuid */
            id: string;
            head: string | null;
            permissionMode: string;
        };
        /** @description A submission, in the form that `POST …/prompts` takes. Files reference bytes of the session. */
        Resubmission: {
            input: components["schemas"]["Content"];
            /** @enum {string} */
            mode?: "prompt" | "bash";
            pastedContents?: {
                [key: string]: {
                    /** @enum {string} */
                    type: "text" | "image";
                    /** @description The text; of an image its bytes as base64. */
                    content?: string;
                    /** @description Of an image, instead of `content`: bytes that the session has, such as those in the prompt that a rewind returns. */
                    source?: components["schemas"]["BlobSource"];
                    mediaType?: string;
                    filename?: string;
                    sourcePath?: string;
                };
            };
            attachments?: components["schemas"]["Attachment"][];
            /** @description Text that begins with a slash is text, and exit words are words. */
            skipSlashCommands?: boolean;
            /** @description Sent by a client that controls the session from afar: only commands that are safe there run. */
            bridgeOrigin?: boolean;
            origin?: unknown;
            /** @description For the model only, such as the prompt of a scheduled task: the transcript does not show it. */
            isMeta?: boolean;
            /** @description For the requests of its turn; each takes precedence over that of the session. */
            modelOptions?: components["schemas"]["ModelOptions"];
            /** @description The user's time zone, such as `Europe/Berlin`: the model is told the date there. Default UTC. */
            timeZone?: string;
        };
        /**
         * @example {
         *       "before": "0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e",
         *       "reason": "wrong question"
         *     }
         */
        Rewind: {
            /** Format: uuid */
            before?: string;
            /** Format: uuid */
            after?: string;
            reason?: string | null;
            interrupt?: boolean;
            /** @description Whether the files of the session's folder go back; default: no. Restoring the rewind brings them back. */
            files?: boolean;
            /** @description Whether the conversation goes back; default: yes. `false` with `files`: only the files go back. */
            messages?: boolean;
        };
        Rewinds: {
            version: number;
            data: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                before?: string;
                /** Format: uuid */
                after?: string;
                from: string | null;
                to: string | null;
                removed: string[];
                permissionMode: string;
                reason: string | null;
                /**
                 * @description A prompt took the place of the removed messages.
                 * @enum {string}
                 */
                cause?: "edit" | "regenerate";
                /** Format: uuid */
                replacedBy?: string;
                /** @description The versions of the files before and after it; null: an empty folder. Absent: the files stayed. */
                files?: {
                    from: string | null;
                    to: string | null;
                };
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                at: string;
                by: string;
                restoredAt: string | null;
            }[];
        };
        Rewound: {
            version: number;
            /** Format: uuid */
            id: string;
            head: string | null;
            removed: string[];
            permissionMode: string;
            /** @description The versions of the files before and after it; null: an empty folder. Absent: the files stayed. */
            files?: {
                from: string | null;
                to: string | null;
            };
            /** @description With `before` a prompt that was taken back: its submission. */
            prompt?: components["schemas"]["Resubmission"];
        };
        Schedule: {
            /** Format: uuid */
            id: string;
            input: string;
            isMeta: boolean;
            cron: string | null;
            timeZone: string | null;
            everySeconds: number | null;
            /** @enum {string} */
            whenBusy: "skip" | "queue";
            paused: boolean;
            /** @description Null: it is paused. */
            nextRunAt: string | null;
            /** @description Null: it was never due. Earlier ones are events `schedule.ran`. */
            lastRun: {
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                dueAt: string;
                /**
                 * Format: date-time
                 * @description When the run was recorded.
                 */
                at: string;
                /** @enum {string} */
                outcome: "started" | "queued" | "answered" | "skipped" | "missed" | "failed";
                promptId: string | null;
                error: {
                    code: string;
                    message: string;
                } | null;
            } | null;
            /** @description Id of the user who created or last changed it: its prompts are theirs. */
            by: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            changedAt: string;
        };
        ScheduleAnswer: {
            version: number;
            schedule: components["schemas"]["Schedule"];
        };
        /**
         * @example {
         *       "paused": true
         *     }
         */
        ScheduleChanges: {
            /** @description The text of its prompts; a slash command is run as one. */
            input?: string;
            /** @description Five fields, as in crontab(5): minute, hour, day of the month, month, day of the week. */
            cron?: string;
            /** @description IANA time zone of `cron`, such as `Europe/Berlin`. Default UTC. */
            timeZone?: string;
            /** @description Instead of `cron`: the seconds between two runs, at least `SCHEDULE_LEAST_SECONDS`. */
            everySeconds?: number;
            /**
             * Format: date-time
             * @description When it is due first, RFC 3339: not longer ago than `SCHEDULE_LATEST_MS`, and within ten years. A time that has passed is due at once. Absent: the next time by `cron`, or after one interval.
             */
            firstRunAt?: string;
            /** @description Its prompts are for the model only: the transcript does not show them. Default false. */
            isMeta?: boolean;
            /**
             * @description What a run does while a turn runs: `skip` submits no prompt, `queue` has it wait for the end of the turn. Default `skip`.
             * @enum {string}
             */
            whenBusy?: "skip" | "queue";
            paused?: boolean;
        };
        ScheduleDeleted: {
            version: number;
        };
        /** @description A schedule was deleted. */
        ScheduleDeletedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "schedule.deleted";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A schedule was deleted. */
            data: {
                /** Format: uuid */
                scheduleId: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A schedule was due. The event of the prompt, if there is one, is in the same append. */
        ScheduleRanEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "schedule.ran";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A schedule was due. The event of the prompt, if there is one, is in the same append. */
            data: {
                /** Format: uuid */
                scheduleId: string;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                dueAt: string;
                /**
                 * @description `skipped`: a turn was running; `missed`: it was due too long ago; `failed`: the prompt was rejected. None of these three submitted a prompt.
                 * @enum {string}
                 */
                outcome: "started" | "queued" | "answered" | "skipped" | "missed" | "failed";
                /**
                 * Format: uuid
                 * @description The prompt that it submitted.
                 */
                promptId?: string;
                /** @description Why it failed. */
                error?: components["schemas"]["Failure"];
                /** @description When it is due next; null: too many runs failed, and it was paused. */
                nextRunAt: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A schedule was created or changed. Its prompts are those of the user who did it. */
        ScheduleSetEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "schedule.set";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A schedule was created or changed. Its prompts are those of the user who did it. */
            data: {
                /** Format: uuid */
                scheduleId: string;
                timing: components["schemas"]["ScheduleTiming"];
                /** @description The text of its prompts. */
                input: string;
                /**
                 * @description Its prompts are for the model only: the transcript does not show them.
                 * @constant
                 */
                isMeta?: true;
                /**
                 * @description What a run does while a turn runs: `skip` submits no prompt, `queue` has it wait.
                 * @enum {string}
                 */
                whenBusy: "skip" | "queue";
                paused: boolean;
                /** @description Groups of that user, by which the session may be granted. */
                readonly groups: string[];
                /** @description When it is due next; null: it is paused. */
                nextRunAt: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description When a schedule is due. */
        ScheduleTiming: {
            /** @constant */
            kind: "cron";
            /** @description Five fields: minute, hour, day of the month, month, day of the week. */
            expression: string;
            /** @description IANA time zone of the expression. */
            timeZone: string;
        } | {
            /** @constant */
            kind: "interval";
            seconds: number;
        };
        Schedules: {
            version: number;
            data: components["schemas"]["Schedule"][];
        };
        SearchHit: {
            /** Format: uuid */
            sessionId: string;
            /** @description Title of the session. */
            title: string | null;
            /** @description Start of the first text of the current conversation, which names a session without a title. */
            firstText: string | null;
            /** @description Kept out of the session list unless asked for. */
            archived: boolean;
            /**
             * Format: uuid
             * @description Owner of the session.
             */
            userId: string;
            /**
             * @description Where it was found.
             * @enum {string}
             */
            kind: "title" | "user" | "assistant";
            /** @description Uuid of the message; null for a title. */
            uuid: string | null;
            /**
             * Format: date-time
             * @description When the text was recorded.
             */
            at: string;
            snippet: components["schemas"]["Snippet"];
        };
        SearchResultBlock: {
            /** @constant */
            type: "search_result";
            source: string;
            title: string;
            content: components["schemas"]["TextBlock"][];
            citations?: {
                enabled?: boolean;
            };
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        SearchResults: {
            data: components["schemas"]["SearchHit"][];
            nextCursor: string | null;
        };
        /** @description Lines that the user selected in an editor. */
        SelectedLinesInIdeAttachment: {
            /** @constant */
            type: "selected_lines_in_ide";
            filename?: string;
            content?: string;
            text?: string;
            lineStart?: number;
            lineEnd?: number;
        };
        /** @description A block of a request: its JSON; its JSON in parts, with files (by their SHA-256) as base64 between them; or a reference `of: [message, block]` to a stored block of the conversation, of which the members in `without` are not sent. */
        SentBlock: string | {
            readonly text: (string | {
                file: string;
            })[];
        } | {
            readonly of: number[];
            readonly without?: string[];
        };
        /** @description The body of a request as it was sent, by reference to stored messages where it can be. */
        SentBody: {
            /** @description The earlier request of the session that this one continues; null: it stands for itself. */
            base: string | null;
            /** @description What it was made from, oldest first: as many messages as `keep` says are those of the base, then uuids of stored messages, and messages that are not stored. */
            conversation: {
                keep: number;
                readonly added: (string | components["schemas"]["Message"])[];
            };
            messages: {
                keep: number;
                readonly added: {
                    /** @enum {string} */
                    role: "user" | "assistant" | "system";
                    readonly content: components["schemas"]["SentBlock"][];
                }[];
            };
            /** @description The members before the system prompt as JSON, without the brace at the end. */
            options: string;
            /** @description The text of the system prompt; absent: that of the base. */
            system?: string;
            /** @description The tools as JSON; absent: those of the base. */
            tools?: string;
            /** @description Markers for the prompt cache of the provider: whether the system prompt has one, where in the text of the tools it stands, and which messages have one in their last block. */
            markers: {
                /** @description The marker as JSON. */
                marker: string;
                /** @description Whether the system prompt has one. */
                system: boolean;
                /** @description Where in the text of the tools it is inserted; null: nowhere. */
                tools: number | null;
                /** @description The messages of which the last block has one. */
                readonly messages: number[];
            } | null;
            /** @description What the passes did, as it was decided: blocks by message and block in the conversation, and message and block in the request. Of the messages before `from`, the notes of the base count. A block that is referred to and has no note was kept. */
            trace: {
                /** @description Of the messages of the conversation before this one, the base's notes count. */
                from: number;
                readonly notes: {
                    /** @enum {string} */
                    action: "kept" | "changed" | "moved" | "merged" | "dropped" | "added";
                    pass: string;
                    reason: string;
                    /** @description Four numbers each: message and block in the conversation (null, null: the pass added the block), message and block in the request (null, null: it is not sent). */
                    readonly blocks: (number | null)[][];
                }[];
            };
            /** @description The model options that the payload does not have as they were asked for, and why. */
            readonly changedOptions?: {
                option: string;
                reason: string;
            }[];
            /** @description Only of a request that a client made itself and that was passed on: its text in parts. `from` and `count` name parts of the body of the base. The body is these parts and nothing else. */
            readonly exact?: (string | {
                readonly text: (string | {
                    file: string;
                })[];
            } | {
                from: number;
                count: number;
            })[];
            /** @description Only of a request that a client made: where its messages were repaired because the model API had refused them, in order. All other messages were sent as they came. */
            readonly edits?: {
                from: number;
                /** @description So many messages of the conversation, from `from` on, were not sent as the client wrote them. */
                count: number;
                at: number;
                /** @description So many messages of the request, from `at` on, were sent instead. */
                sent: number;
                /** @description A digest of the messages as the client wrote them. */
                of: string;
            }[];
            /** @description Only of a request of a message thread, which went out with the whole conversation and without the member `thread`: what the client sent, and which answer it continues. */
            thread?: {
                /** @enum {string} */
                type: "create" | "continue";
                /** @description The id of the answer that the request continues; null: it begins a thread. */
                previous: string | null;
                /** @description The request that this answer has answered: its conversation and the answer come before the messages of the client. Null: it begins a thread. */
                of: string | null;
                /** @description The body as it came, in parts. `from` and `count` name parts of the body that was sent, `skip` how many of their first characters are not of it. */
                readonly received: (string | {
                    readonly text: (string | {
                        file: string;
                    })[];
                } | {
                    from: number;
                    count: number;
                    skip: number;
                })[];
            };
        };
        /** @description A call of a tool that the model API runs. */
        ServerToolUseBlock: {
            /** @constant */
            type: "server_tool_use";
            id: string;
            name: string;
            /** @description Arguments of the call; their schema is `input_schema` of the tool. */
            input: {
                [key: string]: unknown;
            };
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** @description Sequence number of the last event. */
            version: number;
            /** @enum {string} */
            status: "idle" | "running" | "waiting" | "closed";
            title: string | null;
            model: string;
            system: string | null;
            /** @description Named texts shown to the model in front of the conversation. */
            context: {
                [key: string]: string;
            };
            /** @description Named values at the end of the system prompt. */
            systemContext: {
                [key: string]: string;
            };
            permissionMode: components["schemas"]["PermissionMode"];
            permissions: components["schemas"]["PermissionRules"];
            tools: components["schemas"]["ClientTool"][];
            /** @description Yours; never sent to the model. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Whether the conversation is compacted by itself when it outgrows the window of the model; null: as the server does. */
            autoCompact?: boolean | null;
            /** @description Days after the last change when the content of a session is erased; of the values of tenant and session, the smaller one. null: never. */
            retentionDays?: number | null;
            modelOptions?: components["schemas"]["ModelOptions"] | null;
            /** @description Kept out of the session list unless asked for. */
            archived: boolean;
            head: string | null;
            queueLength: number;
            turnId: string | null;
            usage: components["schemas"]["UsageTotals"];
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            updatedAt: string;
            userId: string;
            /** @description Where it took leave of the session it was made of. */
            forkedFrom: {
                /** Format: uuid */
                sessionId: string;
                at: string | null;
                seq: number;
            } | null;
            /** @description The call of `Agent` that it was created for; null: it is no helper. */
            parent: {
                /** Format: uuid */
                sessionId: string;
                toolUseId: string;
            } | null;
            /** @description Its content was erased, or is being erased; it accepts nothing more. */
            erased: boolean;
            /** @description It is under a legal hold: nothing of it is erased. */
            held: boolean;
            /** @description Of the newest request to the model; null: the server made it, or there is none. */
            origin: components["schemas"]["RequestOrigin"] | null;
        };
        /** @description Content was read by a caller who does not own the session, once for each reader and hour, or was taken into a fork. */
        SessionAccessedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.accessed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Content was read by a caller who does not own the session, once for each reader and hour, or was taken into a fork. */
            data: {
                /** @description `user:` or `link:`, and an id. */
                reader: string;
                /** @enum {string} */
                via: "grant" | "break_glass" | "link" | "fork";
                /**
                 * Format: date-time
                 * @description The beginning of the hour.
                 */
                hour: string;
                /**
                 * Format: uuid
                 * @description Of `via` fork: the session that the reader made, and reads without a record here.
                 */
                fork?: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A session has changed: its current row of the session list. */
        SessionChangedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.changed";
            data: components["schemas"]["SessionListItem"];
        };
        /** @description The session accepts no prompts until it is reopened. */
        SessionClosedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.closed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The session accepts no prompts until it is reopened. */
            data: {
                reason: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The conversation was compacted. The transcript keeps every message. */
        SessionCompactedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.compacted";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The conversation was compacted. The transcript keeps every message. */
            data: {
                /** Format: uuid */
                compactionId: string;
                /** Format: uuid */
                turnId: string;
                /** Format: uuid */
                requestId: string;
                /**
                 * Format: uuid
                 * @description Uuid of the first of the two messages that it appended.
                 */
                boundary: string;
                /**
                 * Format: uuid
                 * @description Uuid of the second.
                 */
                summary: string;
                keptFrom: string | null;
                /** @enum {string} */
                trigger: "manual" | "auto";
                instructions: string | null;
                omitted: number;
                preTokens: number | null;
                /** @description Output tokens of the summary; null when the provider did not report them. */
                summaryTokens: number | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description Settings changed. Reload the session. */
        SessionConfiguredEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.configured";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Settings changed. Reload the session. */
            data: {
                changes: {
                    title?: string | null;
                    model?: string;
                    system?: string | null;
                    /** @description Named texts that the model reads before the conversation. */
                    context?: {
                        [key: string]: string;
                    };
                    /** @description Named values appended to the system prompt. */
                    systemContext?: {
                        [key: string]: string;
                    };
                    permissionMode?: components["schemas"]["PermissionMode"];
                    /** @description Rules for calls of server tools, in addition to those of the deployment and the tenant. */
                    permissions?: {
                        readonly allow: string[];
                        readonly deny: string[];
                        readonly ask: string[];
                    };
                    readonly tools?: {
                        name: string;
                        /** @description Further names by which calls reach it, such as earlier ones. The model is not told of them. */
                        readonly aliases?: string[];
                        description?: string;
                        input_schema: {
                            [key: string]: unknown;
                        };
                        /** @description The model sees the tool only once a result of the client names it in a `tool_reference`. Without tool search it is sent as any other. */
                        defer_loading?: boolean;
                    }[];
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /** @description Kept out of the session list unless asked for; absent: false. */
                    archived?: boolean;
                    /** @description Whether the conversation is compacted automatically when it nears the model's context window; null or absent: the server's default. */
                    autoCompact?: boolean | null;
                    /** @description Days after the last change when its content is erased, unless the tenant's retention is shorter; null or absent: the tenant's. */
                    retentionDays?: number | null;
                    /** @description Parameters of its requests to the model; null or absent: none. */
                    modelOptions?: components["schemas"]["ModelOptions"] | null;
                };
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The session was created. With `importing`, its history follows, and it is not visible before `session.imported`. */
        SessionCreatedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.created";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The session was created. With `importing`, its history follows, and it is not visible before `session.imported`. */
            data: {
                settings: components["schemas"]["RecordedSettings"];
                /** @constant */
                importing?: true;
                forkedFrom?: {
                    /** Format: uuid */
                    sessionId: string;
                    /** @description The last shared message; null: none. */
                    at: string | null;
                    /** @description Version of the parent session at that time. */
                    seq: number;
                    /** @description Head of the parent's hash chain at that version, hexadecimal. */
                    headHash: string;
                };
                /** @description The call that the session was created for: it is a helper. */
                parent?: {
                    /** Format: uuid */
                    sessionId: string;
                    /**
                     * Format: uuid
                     * @description The turn of the parent session in which the call was made.
                     */
                    turnId: string;
                    /** @description The call of `Agent` or `Skill`. */
                    toolUseId: string;
                    /**
                     * Format: uuid
                     * @description The user who wrote the prompt of that turn: the requests of the helper count for them.
                     */
                    speaker: string;
                    /** @description 1 for a helper of a session that is none itself. */
                    depth: number;
                    /** @description The tools of the server that the helper may be offered, by name. */
                    readonly tools: string[];
                    /** @description The most requests to the model in the turn of its call. */
                    requests: number;
                    /** @description The most tokens of that turn, counted as for quotas. */
                    tokens: number;
                };
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        SessionFile: {
            /**
             * Format: uuid
             * @description The session that the file is.
             */
            id: string;
            sessionId: string;
            subpath: string | null;
            /** @description The last change of the session, milliseconds since the epoch. */
            mtime: number;
            /** @description As it was appended last; null: the file has none. */
            summary?: unknown;
            /** @description The number of the summary; 0: the file has none. */
            summaryNumber?: number;
        };
        SessionFileLines: {
            /** Format: uuid */
            id: string;
            /** @description JSON texts as they were appended, in that order. Lines that were erased are left out. */
            data: string[];
            /** @description Where the next page begins; null: this is the last one. */
            next: number | null;
        };
        SessionFiles: {
            data: components["schemas"]["SessionFile"][];
            nextCursor: string | null;
        };
        /** @description The session is a fork; the history up to `at` is that of `from`. */
        SessionForkedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.forked";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The session is a fork; the history up to `at` is that of `from`. */
            data: {
                /** Format: uuid */
                from: string;
                at: string | null;
                seq: number;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A user or group has no role in the session any more. */
        SessionGrantRevokedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.grant_revoked";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A user or group has no role in the session any more. */
            data: {
                principal: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A user or group has a role in the session, instead of an earlier one. */
        SessionGrantedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.granted";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A user or group has a role in the session, instead of an earlier one. */
            data: {
                /** @description `user:` and an id, or `group:` and a name. */
                principal: string;
                /** @enum {string} */
                role: "owner" | "editor" | "viewer" | "auditor";
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The import is complete. */
        SessionImportedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.imported";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The import is complete. */
            data: {
                /**
                 * @description The program that wrote the file.
                 * @enum {string}
                 */
                source: "verbatim" | "claude-code";
                /** @description Lines that are not blank. */
                lines: number;
                /** @description Messages made; one answer of the model may have taken several lines. */
                messages: number;
                /** @description Rewinds and restores made. */
                moves: number;
                /** @description Messages that compactions of the active branch keep verbatim for the model. */
                preserved: number;
                /** @description Prompts that the file attaches to a line beside the conversation; here they follow its newest answer. */
                reattached: number;
                /** @description Messages that are not on the active branch, the first 200 of them. */
                readonly offBranch: string[];
                offBranchTotal: number;
                /** @description Number of lines by type that were stored but are never sent to the model. */
                retained: {
                    [key: string]: number;
                };
                /** @description Lines that could not be read, the first 200 of them. */
                readonly skipped: {
                    /** @description Counts from 1. */
                    line: number;
                    /** @description Never contains content of the line. */
                    reason: string;
                }[];
                skippedTotal: number;
                /** @description Lines that were too long and are stored without the copy of a tool result that their program displays, the first 200 of them. */
                readonly shortened: {
                    /** @description Counts from 1. */
                    line: number;
                    /** @description Never contains content of the line. */
                    reason: string;
                }[];
                /** @description Absent: the file has none. */
                files?: components["schemas"]["ImportedFiles"];
                /** @description Absent: the file says nothing about requests. */
                clientRequests?: components["schemas"]["ClientRequestsReport"];
                /** @description What the file says about where it was written. */
                origin: {
                    [key: string]: string;
                };
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        SessionList: {
            data: components["schemas"]["SessionListItem"][];
            nextCursor: string | null;
        };
        SessionListItem: {
            /** Format: uuid */
            id: string;
            /** @description Sequence number of the last event. */
            version: number;
            userId: string;
            title: string | null;
            model: string;
            /** @enum {string} */
            status: "idle" | "running" | "waiting" | "closed";
            /** @description Kept out of the session list unless asked for. */
            archived: boolean;
            queueLength: number;
            turnId: string | null;
            /** @description Number of messages of the current conversation that have a text which a person or the model wrote. An answer that only calls tools has none, nor has a prompt of files alone; results of tools, notices and summaries are not counted. */
            messageCount: number;
            /** @description The start of the first of these texts. */
            firstText: string | null;
            /** @description The start of the last of these texts. */
            lastText: string | null;
            /** @description `folder` of its metadata, if that is a text of at most 200 characters: the console lists sessions by it. */
            folder: string | null;
            usage: components["schemas"]["UsageTotals"];
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            updatedAt: string;
        };
        /** @description The session accepts prompts again. */
        SessionReopenedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.reopened";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The session accepts prompts again. */
            data: Record<string, never>;
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description An earlier branch became the current one. Reload the messages. */
        SessionRestoredEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.restored";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description An earlier branch became the current one. Reload the messages. */
            data: {
                /** @description The rewind that was undone; null: the branch had been left by another restore. */
                rewindId: string | null;
                from: string | null;
                to: string | null;
                permissionMode: components["schemas"]["PermissionMode"];
                /**
                 * Format: date-time
                 * @description When it was made, of an import; absent: when it was recorded.
                 */
                at?: string;
                /** @description The versions of the session's folder before and after it; absent: its files stayed as they were. */
                files?: {
                    from: string | null;
                    to: string | null;
                };
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description Messages were removed from the conversation, the files went back, or both. Reload the messages. With `files` and the same message as `from` and `to`: the files alone. */
        SessionRewoundEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.rewound";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description Messages were removed from the conversation, the files went back, or both. Reload the messages. With `files` and the same message as `from` and `to`: the files alone. */
            data: {
                /** Format: uuid */
                rewindId: string;
                /** Format: uuid */
                before?: string;
                /** Format: uuid */
                after?: string;
                from: string | null;
                to: string | null;
                readonly removed: string[];
                permissionMode: components["schemas"]["PermissionMode"];
                reason: string | null;
                /**
                 * Format: date-time
                 * @description When it was made, of an import; absent: when it was recorded.
                 */
                at?: string;
                /**
                 * @description A prompt took the place of the removed messages; absent: only the head moved.
                 * @enum {string}
                 */
                cause?: "edit" | "regenerate";
                /**
                 * Format: uuid
                 * @description Uuid of the message of that prompt.
                 */
                replacedBy?: string;
                /** @description The versions of the session's folder before and after it; absent: its files stayed as they were. */
                files?: {
                    from: string | null;
                    to: string | null;
                };
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /**
         * @example {
         *       "title": "Sums",
         *       "system": "Answer briefly.",
         *       "tools": [
         *         {
         *           "name": "add",
         *           "description": "Adds numbers",
         *           "input_schema": {
         *             "type": "object"
         *           }
         *         }
         *       ]
         *     }
         */
        SessionSettings: {
            title?: string | null;
            model?: string;
            system?: string | null;
            /** @description Named texts shown to the model in front of the conversation. */
            context?: {
                [key: string]: string;
            };
            /** @description Named values at the end of the system prompt. */
            systemContext?: {
                [key: string]: string;
            };
            permissionMode?: components["schemas"]["PermissionMode"];
            permissions?: components["schemas"]["PermissionRules"];
            tools?: components["schemas"]["ClientTool"][];
            /** @description Yours; never sent to the model. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Whether the conversation is compacted by itself when it outgrows the window of the model; null: as the server does. */
            autoCompact?: boolean | null;
            /** @description Days after the last change when the content of a session is erased; of the values of tenant and session, the smaller one. null: never. */
            retentionDays?: number | null;
            /** @description Kept out of the session list unless asked for. */
            archived?: boolean;
            modelOptions?: components["schemas"]["ModelOptions"] | null;
        };
        /** @description The model named the session. */
        SessionTitledEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.titled";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The model named the session. */
            data: {
                title: string;
                model: string;
                usage: components["schemas"]["ModelUsage"];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The tools of the server that the model is offered from here on. */
        SessionToolsChangedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.tools_changed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The tools of the server that the model is offered from here on. */
            data: {
                readonly tools: {
                    name: string;
                    description: string;
                    input_schema: {
                        [key: string]: unknown;
                    };
                    /** @description `builtin`, or `mcp:NAME` for a tool of the MCP server NAME. */
                    source: string;
                    /** @description Further names by which calls reach it, such as earlier ones. The model is not told of them. */
                    readonly aliases?: string[];
                    /** @description A tool that the model API knows: it is sent by this type and its name, without description and schema. */
                    type?: string;
                    /**
                     * @description What a call can change. `read`: nothing that needs a decision, such as the memory of the user; `edit`: files in the session's folder; `run`: anything.
                     * @enum {string}
                     */
                    effect: "read" | "edit" | "run";
                }[];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description An event of the stream over all sessions: `type` is the field `event` of the stream. */
        SessionsChange: components["schemas"]["SessionChangedEvent"] | components["schemas"]["SessionsSyncedEvent"];
        /** @description The replay is complete; what follows is live. */
        SessionsSyncedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "sessions.synced";
            /** @description The replay is complete; what follows is live. */
            data: Record<string, never>;
        };
        Settings: {
            /** @description On or off, by name; an absent gate keeps the value of the deployment. */
            gates: {
                "tool-reference-relocation"?: boolean;
                "system-reminder-folding"?: boolean;
                "history-snip"?: boolean;
                "tool-search"?: boolean;
                advisor?: boolean;
                ultraplan?: boolean;
                "auto-memory"?: boolean;
                "memory-correction"?: boolean;
            };
            /**
             * @description As `hooks` in the public settings of Claude Code: by event, groups of `{matcher?, hooks: [{type: "http", url, headers?, timeout?}]}`.
             * @example {
             *       "PreToolUse": [
             *         {
             *           "matcher": "Bash|mcp__.*",
             *           "hooks": [
             *             {
             *               "type": "http",
             *               "url": "https://hooks.example.com/tools",
             *               "headers": {
             *                 "authorization": "Bearer …"
             *               },
             *               "timeout": 5
             *             }
             *           ]
             *         }
             *       ]
             *     }
             */
            hooks: {
                [key: string]: unknown;
            };
            /** @description Key that signs the calls of http hooks. Shown in the response that created it, hidden afterwards; null when there is none. */
            hookSecret: string | null;
            /** @description On or off, by name. */
            skills: {
                [key: string]: boolean;
            };
            /** @description Installed plugins, on or off, by name; off when absent. */
            plugins: {
                [key: string]: boolean;
            };
            /** @description MCP servers by name. The values of headers are write-only. */
            mcpServers: {
                [key: string]: {
                    url: string;
                    headers?: {
                        [key: string]: string;
                    };
                };
            };
            /** @description Instructions for the model, in every session of the tenant. */
            instructions: string | null;
            permissions: components["schemas"]["PermissionRules"];
            /** @description Whether sessions can use the permission mode `bypassPermissions`; false: their calls are decided as in mode `default`. */
            bypassPermissions: boolean;
            /** @description Whether the model has the tool `memory`, which keeps files for each user across their own sessions. Switched off again, the files stay and are not read. */
            memory: boolean;
            /** @description Agents by name: how helpers work that the model asks for by `agent`. They need `Agent` in TOOLS of the server. */
            agents: {
                [key: string]: {
                    /** @description What it is for; told to the model. */
                    description: string;
                    /** @description The system prompt of the helper. */
                    prompt: string;
                    /** @description Of the tools of its parent; absent: all of them. */
                    tools?: string[];
                    /** @description Absent: the model of its parent. */
                    model?: string;
                };
            };
            quotas: components["schemas"]["Quotas"];
            models: components["schemas"]["ModelAccess"];
            /** @description Key for the model API that requests of the tenant go out with; null: that of the deployment. Write-only. The server must have `ENCRYPTION=on`, and ask a model API. */
            upstreamKey: string | null;
            /** @description Days after the last change when the content of a session is erased; of the values of tenant and session, the smaller one. null: never. */
            retentionDays: number | null;
            /** @description Counts the changes of the settings, and is their entity tag. */
            version: number;
        };
        SettingsChange: {
            /** @description Of the settings, after the change. */
            version: number;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            changedAt: string;
            /** @description The user; null: the server. */
            changedBy: string | null;
            /** @description Members of the settings that were changed. */
            sections: string[];
        };
        SettingsChanges: {
            data: components["schemas"]["SettingsChange"][];
            nextCursor: string | null;
        };
        Shared: {
            data: components["schemas"]["Message"][];
            nextCursor: string | null;
        };
        SignIn: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            /** @enum {string} */
            method: "link" | "oidc";
            /** @description What the browser calls itself. */
            userAgent: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Written every ten minutes at most.
             */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            expiresAt: string;
            /** @description Whether it is the one of this request. */
            current: boolean;
        };
        SignInMethods: {
            /** @description `link`: a one-time link; `oidc`: the identity provider, at `GET /v1/sign-in/oidc`. */
            methods: ("link" | "oidc")[];
        };
        SignIns: {
            data: components["schemas"]["SignIn"][];
            nextCursor: string | null;
        };
        SignatureDelta: {
            /** @constant */
            type: "signature_delta";
            signature: string;
        };
        /** @description The skills that the model can call. */
        SkillListingAttachment: {
            /** @constant */
            type: "skill_listing";
            skills?: {
                name: string;
                description?: string;
            }[];
            content?: string;
        };
        Skills: {
            data: {
                name: string;
                description: string;
                argumentHint: string | null;
                /** @enum {string} */
                kind: "skill" | "command";
                userInvocable: boolean;
                modelInvocable: boolean;
                /** @description Only with `?disabled=true`. */
                enabled?: boolean;
                /** @description The plugin that brings it. Only with `?disabled=true`. */
                plugin?: string | null;
            }[];
            /** @description What keeps installed skills from being offered. */
            problems: {
                path: string;
                problem: string;
            }[];
        };
        Snippet: {
            text: string;
            /** @description What was found, in UTF-16 code units of `text`. */
            highlights: {
                start: number;
                length: number;
            }[];
        };
        StatusDisplay: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "status";
            /** @description The same in words. */
            text: string;
            /** Format: uuid */
            sessionId: string;
            version: number;
            title: string | null;
            status: string;
            model: string;
            permissionMode: components["schemas"]["PermissionMode"];
            turn: {
                /** Format: uuid */
                turnId: string;
                status: string;
                startedAt: string | null;
                requests: number;
            } | null;
            queueLength: number;
            usage: components["schemas"]["UsageTotals"];
        };
        StoredPaste: {
            /** @constant */
            type: "text";
            content: string;
            mediaType?: string;
            filename?: string;
            sourcePath?: string;
        } | {
            /** @constant */
            type: "image";
            /** @description Its stored bytes. */
            source: components["schemas"]["StoredSource"];
            filename?: string;
            sourcePath?: string;
        };
        /** @description Bytes that the server stores. In messages and events of the server; a request cannot contain it. */
        StoredSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "blob";
            media_type: string;
            /** @description Hexadecimal; `GET /v1/sessions/{id}/blobs/{sha256}` returns the bytes. */
            sha256: string;
            bytes: number;
            /** @description Of an image, in pixels. */
            width?: number;
            height?: number;
            /** @description Of a PDF; absent when it could not be read. */
            pages?: number;
            /** @description Of an image of a tool result or an import that was scaled down for the model: the bytes as they came. */
            original?: {
                /** @constant */
                type: "blob";
                media_type: string;
                sha256: string;
                bytes: number;
                width?: number;
                height?: number;
            };
        };
        StreamTicket: {
            /** @description The value of the query parameter `ticket` of the event stream. Valid once. */
            ticket: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            expiresAt: string;
        };
        /** @description A stored event, which is the field `data` of the stream, or a live event, which has no `id` there. */
        StreamedEvent: components["schemas"]["Event"] | components["schemas"]["LiveEvent"];
        Submission: {
            /** Format: uuid */
            promptId: string;
            /**
             * Format: uuid
             * @description Id of the turn that answers it.
             */
            turnId: string;
            /**
             * Format: uuid
             * @description Uuid of the user message.
             */
            uuid: string;
            /**
             * @description `compact`: requests a compaction; the input is the instructions for the summary.
             * @enum {string}
             */
            mode: "prompt" | "bash" | "compact";
            /** @description As it was sent; images and documents are stored blobs. */
            original: components["schemas"]["Content"];
            /** @description Trimmed, with paste references expanded, without files; absent when it equals `original`. */
            value?: components["schemas"]["Content"];
            /** @description By the number that the text refers to. */
            pastedContents?: {
                [key: string]: components["schemas"]["StoredPaste"];
            };
            readonly attachments?: components["schemas"]["Attachment"][];
            /** @description Text that begins with a slash is not a command. */
            skipSlashCommands?: boolean;
            /** @description From a remote-control client: like `skipSlashCommands`, except for commands that are safe there. */
            bridgeOrigin?: boolean;
            /** @description Absent in submissions stored before routes were recorded. */
            route?: {
                /** @constant */
                kind: "prompt";
            } | {
                /** @constant */
                kind: "bash";
            } | {
                /** @constant */
                kind: "exit";
            } | {
                /** @constant */
                kind: "command";
                /**
                 * @description `client`: answered at once, for the client to display; `local`: run on the server in a turn; `prompt`: expanded to a prompt for the model; `turn`: a special turn, such as a compaction.
                 * @enum {string}
                 */
                command: "client" | "local" | "prompt" | "turn";
                name: string;
            } | {
                /** @constant */
                kind: "rejected";
                name: string;
                /**
                 * @description The command does not exist, is not available over remote control, or only the model may call it.
                 * @enum {string}
                 */
                reason: "unknown" | "remote" | "model_only";
            };
            origin?: unknown;
            /** @description It is for the model only, such as that of a scheduled task: its message is hidden from the transcript. */
            isMeta?: boolean;
            /** @description IANA time zone of the user, in which the model is told the date. */
            timeZone?: string;
            /** @description Parameters of the requests of its turn; each takes precedence over that of the session. */
            modelOptions?: components["schemas"]["ModelOptions"];
            /**
             * Format: uuid
             * @description The token that it was submitted with, where that has limits of its own: its turn counts for it.
             */
            tokenId?: string;
            /** @description Tag that is attached to everything this prompt causes: job, model requests, hooks, logs, spans. */
            workload?: string;
            /** @description W3C Trace Context of the HTTP request that submitted it; absent when it was not traced. */
            traceparent?: string;
        };
        SubmittedPrompt: {
            version: number;
            prompt: components["schemas"]["Resubmission"];
        };
        /** @description The replay is complete; what follows is live. */
        SyncedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "synced";
            /** @description The replay is complete; what follows is live. */
            data: {
                version: number;
            };
        };
        /** @description A note of the server. */
        SystemMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "system";
            /** Format: uuid */
            uuid: string;
            /** @description The previous message on its branch; null for the first. */
            parentUuid: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            /** @description `local_command` reaches the model as user content; every other subtype is for readers only. */
            subtype: string;
            /** @enum {string} */
            level?: "info" | "warning" | "error";
            content: string;
            /** @description Of a `turn_duration`: milliseconds from the start to the end of the turn. */
            durationMs?: number;
            /** @description What a compaction did. An imported boundary may have only some of the members. */
            compactMetadata?: {
                /** @enum {string} */
                trigger?: "manual" | "auto";
                preTokens?: number | null;
                /** Format: uuid */
                compactionId?: string;
                keptFrom?: string | null;
                kept?: string[];
                /** Format: uuid */
                keptAfter?: string;
                omitted?: number;
            };
            /** @description Uuids of messages that are left out of later requests: those of a refused turn, or those whose place this answer took. */
            readonly withdraws?: string[];
        };
        /** @description What the operator of the session tells the model at this point: sent in the role `system` to models that take it in the middle of a conversation, to others as a reminder. Needs the right to configure the session. */
        SystemMessageAttachment: {
            /** @constant */
            type: "system_message";
            content?: string;
            /** @description Of one that a compaction has carried over: the message that said it first. */
            of?: string;
        };
        SystemMessageDraft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "system";
            /** Format: uuid */
            uuid: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            /** @description `local_command` reaches the model as user content; every other subtype is for readers only. */
            subtype: string;
            /** @enum {string} */
            level?: "info" | "warning" | "error";
            content: string;
            /** @description Of a `turn_duration`: milliseconds from the start to the end of the turn. */
            durationMs?: number;
            /** @description What a compaction did. An imported boundary may have only some of the members. */
            compactMetadata?: {
                /** @enum {string} */
                trigger?: "manual" | "auto";
                preTokens?: number | null;
                /** Format: uuid */
                compactionId?: string;
                keptFrom?: string | null;
                kept?: string[];
                /** Format: uuid */
                keptAfter?: string;
                omitted?: number;
            };
            /** @description Uuids of messages that are left out of later requests: those of a refused turn, or those whose place this answer took. */
            readonly withdraws?: string[];
        };
        /** @description A list of things to do. */
        TaskReminderAttachment: {
            /** @constant */
            type: "task_reminder";
            todos?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            items?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            content?: string | {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
        };
        TenantAudit: {
            /** @description Whether every session of this page is. */
            valid: boolean;
            data: {
                /** Format: uuid */
                sessionId: string;
                valid: boolean;
                events: number;
                rowMatches: boolean;
                /**
                 * @description The first thing that is wrong: with an event of the log, its row of the session list, its files, its requests, or its place in the transparency log. docs/proofs.md has a table.
                 * @enum {string}
                 */
                finding?: "missing" | "altered" | "content" | "erasure" | "parent" | "head" | "fold" | "archive" | "unreadable" | "row" | "file" | "request" | "set_back" | "transparency_log";
                firstInvalidSeq?: number;
            }[];
            /** @description The checkpoint that was compared with: the newest one. Null: there is none yet. */
            checkpoint: {
                size: number;
                /**
                 * Format: date-time
                 * @description RFC 3339.
                 */
                createdAt: string;
            } | null;
            nextCursor: string | null;
        };
        TextBlock: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            text: string;
            citations?: components["schemas"]["Citation"][] | null;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        TextDelta: {
            /** @constant */
            type: "text_delta";
            text: string;
        };
        TextDisplay: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            /** @enum {string} */
            level: "notice" | "error";
            text: string;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        TextEditorCodeExecutionToolResultBlock: {
            /** @constant */
            type: "text_editor_code_execution_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        TextSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            media_type: string;
            data: string;
        };
        /** @description Sent back to the model unchanged. */
        ThinkingBlock: {
            /** @constant */
            type: "thinking";
            thinking: string;
            signature: string;
        };
        ThinkingDelta: {
            /** @constant */
            type: "thinking_delta";
            thinking: string;
        };
        /** @description A list of things to do. */
        TodoAttachment: {
            /** @constant */
            type: "todo";
            todos?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            items?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            content?: string | {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
        };
        /** @description A list of things to do. */
        TodoListAttachment: {
            /** @constant */
            type: "todo_list";
            todos?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            items?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            content?: string | {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
        };
        /** @description A list of things to do. */
        TodoReminderAttachment: {
            /** @constant */
            type: "todo_reminder";
            todos?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            items?: {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
            content?: string | {
                content?: string;
                subject?: string;
                text?: string;
                status?: string;
            }[];
        };
        Token: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** Format: uuid */
            userId: string;
            /**
             * @description Counts as far as the user has it.
             * @enum {string}
             */
            role: "member" | "admin" | "auditor";
            /** @description What the token is limited to; null: it is not. */
            scopes: ("sessions:read" | "sessions:write" | "prompts:write" | "tools:write" | "audit:read" | "people:write" | "settings:write" | "usage:read")[] | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            expiresAt: string | null;
            /** @description The token that created it; revoking that one revokes this one. */
            parentId: string | null;
            /** @description Shown in this response only. */
            token: string;
        };
        TokenInfo: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** Format: uuid */
            userId: string;
            /**
             * @description Counts as far as the user has it.
             * @enum {string}
             */
            role: "member" | "admin" | "auditor";
            /** @description What the token is limited to; null: it is not. */
            scopes: ("sessions:read" | "sessions:write" | "prompts:write" | "tools:write" | "audit:read" | "people:write" | "settings:write" | "usage:read")[] | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            expiresAt: string | null;
            /** @description The token that created it; revoking that one revokes this one. */
            parentId: string | null;
        };
        Tokens: {
            data: components["schemas"]["TokenInfo"][];
            nextCursor: string | null;
        };
        /** @description Stands for messages that a rewind or a compaction removed. */
        TombstoneMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tombstone";
            /** Format: uuid */
            uuid: string;
            /** @description The previous message on its branch; null for the first. */
            parentUuid: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            readonly removed: string[];
            /**
             * @description Absent: a rewind.
             * @constant
             */
            cause?: "compaction";
        };
        TombstoneMessageDraft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tombstone";
            /** Format: uuid */
            uuid: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            readonly removed: string[];
            /**
             * @description Absent: a rewind.
             * @constant
             */
            cause?: "compaction";
        };
        ToolCall: {
            toolUseId: string;
            name: string;
            /** @description As it is run, or would be. */
            input: unknown;
            /** @description As the model wrote it, when a hook or a person changed it. */
            requestedInput?: unknown;
            /** @enum {string} */
            runBy: "server" | "client" | "none";
            /**
             * @description `awaiting_decision`: POST a decision to `tool-decisions`; `awaiting_client`: POST the result to `tool-results`; `awaiting_helper`: the session `helper` carries it out, and may itself wait for a decision; `settled`: it has its result.
             * @enum {string}
             */
            status: "pending" | "awaiting_decision" | "ready" | "running" | "awaiting_client" | "awaiting_helper" | "settled";
            decision: ("allow" | "deny" | "ask" | "reject" | "cancel") | null;
            decidedBy: components["schemas"]["DecidedBy"] | null;
            reason: string | null;
            startedAt: string | null;
            /** @description The session that carries it out; null: the server or the client does. */
            helper: string | null;
            endedAt: string | null;
            outcome: ("finished" | "interrupted" | "unknown") | null;
            isError: boolean | null;
            durationMs: number | null;
            /** @description The message that holds its result. */
            resultUuid: string | null;
        };
        /** @description A tool call has ended. */
        ToolCompletedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool.completed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A tool call has ended. */
            data: {
                /** Format: uuid */
                turnId: string;
                toolUseId: string;
                name: string;
                /** @enum {string} */
                outcome: "finished" | "interrupted" | "unknown";
                isError: boolean;
                durationMs: number;
                /** @description The messages of its result, which are appended once the calls before it have theirs. */
                readonly deferred?: components["schemas"]["MessageDraft"][];
                /** @description Why the turn ends once its calls have results. */
                endReason?: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        ToolDecided: {
            version: number;
            toolUseId: string;
            /** @enum {string} */
            decision: "allow" | "reject" | "cancel";
        };
        /** @description A tool call was decided. */
        ToolDecidedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool.decided";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A tool call was decided. */
            data: {
                /** Format: uuid */
                turnId: string;
                toolUseId: string;
                name: string;
                /** @enum {string} */
                decision: "allow" | "deny" | "ask" | "reject" | "cancel";
                by: components["schemas"]["DecidedBy"];
                reason?: string;
                /** @description Text for the model from the person who rejected the call. */
                feedback?: string;
                /** @description Replaces the input of the call. */
                updatedInput?: {
                    [key: string]: unknown;
                };
                /** @description The messages of its result, which are appended once the calls before it have theirs. */
                readonly deferred?: components["schemas"]["MessageDraft"][];
                /** @description Why the turn ends once its calls have results. */
                endReason?: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /**
         * @example {
         *       "toolUseId": "toolu_01",
         *       "decision": "reject",
         *       "feedback": "Use the other folder."
         *     }
         */
        ToolDecision: {
            toolUseId: string;
            /** @enum {string} */
            decision: "allow" | "reject" | "cancel";
            /** @description With `reject`: told to the model, which then continues. Without it the turn ends. */
            feedback?: string;
            /** @description With `allow`: run it with this input instead. */
            updatedInput?: {
                [key: string]: unknown;
            };
        };
        /** @description Progress by its `type`. */
        ToolProgress: components["schemas"]["BashProgress"] | components["schemas"]["McpProgress"] | components["schemas"]["OtherProgress"];
        /** @description Progress of a running tool call. */
        ToolProgressEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool.progress";
            /** @description Progress of a running tool call. */
            data: {
                /** Format: uuid */
                turnId: string;
                toolUseId: string;
                name: string;
                data: components["schemas"]["ToolProgress"];
            };
        };
        /** @description In the result of a tool search: a tool that was found. */
        ToolReferenceBlock: {
            /** @constant */
            type: "tool_reference";
            tool_name: string;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description Without `content`: the tool returned nothing. */
        ToolResultBlock: {
            /** @constant */
            type: "tool_result";
            tool_use_id: string;
            content?: string | components["schemas"]["ContentBlock"][];
            is_error?: boolean;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /**
         * @example {
         *       "results": [
         *         {
         *           "toolUseId": "toolu_01",
         *           "content": "4"
         *         }
         *       ]
         *     }
         */
        ToolResults: {
            results: {
                toolUseId: string;
                content: components["schemas"]["Content"];
                isError?: boolean;
                toolUseResult?: unknown;
            }[];
        };
        ToolResultsAccepted: {
            version: number;
            accepted: number;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        ToolSearchToolResultBlock: {
            /** @constant */
            type: "tool_search_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description A tool call is about to run. Without `tool.completed`, its effect is unknown, unless a helper carries it out. */
        ToolStartedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool.started";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description A tool call is about to run. Without `tool.completed`, its effect is unknown, unless a helper carries it out. */
            data: {
                /** Format: uuid */
                turnId: string;
                toolUseId: string;
                name: string;
                input: unknown;
                /**
                 * Format: uuid
                 * @description The session that carries the call out; it may not exist yet.
                 */
                helper?: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description A call of a tool. The user message after it contains the result. */
        ToolUseBlock: {
            /** @constant */
            type: "tool_use";
            id: string;
            name: string;
            /** @description Arguments of the call; their schema is `input_schema` of the tool. */
            input: {
                [key: string]: unknown;
            };
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description A summary of a sequence of tool calls, for readers. */
        ToolUseSummaryMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_use_summary";
            /** Format: uuid */
            uuid: string;
            /** @description The previous message on its branch; null for the first. */
            parentUuid: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            summary: string;
            readonly toolUseIds: string[];
        };
        ToolUseSummaryMessageDraft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_use_summary";
            /** Format: uuid */
            uuid: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            summary: string;
            readonly toolUseIds: string[];
        };
        Tools: {
            data: {
                /** @description As the model calls it. */
                name: string;
                /** @description Further names by which calls reach it. The model is not told of them. */
                aliases?: string[];
                description: string;
                /** @description A tool that the model API knows: it is sent by this type and its name. */
                type?: string;
                input_schema: {
                    [key: string]: unknown;
                };
                /** @description `builtin`, or `mcp:NAME` for a tool of the MCP server NAME. */
                source: string;
                /**
                 * @description What a call may do: `read` changes nothing that needs a decision, `edit` files of the session, `run` anything.
                 * @enum {string}
                 */
                effect: "read" | "edit" | "run";
            }[];
            /** @description MCP servers that cannot be used now, tools that are left out, and agents in the settings that name tools which helpers are not offered. */
            problems: {
                /** @description `builtin`, `mcp:NAME`, or `agent:NAME` for an agent in the settings. */
                source: string;
                problem: string;
            }[];
        };
        TraceEntry: {
            /** @description The stored block; null: a pass added the block. */
            source: {
                uuid: string;
                index: number;
            } | null;
            /** @enum {string} */
            action: "kept" | "changed" | "moved" | "merged" | "dropped" | "added";
            pass: string;
            reason: string;
            /** @description Position in the payload; null: the block is not sent. */
            target: {
                message: number;
                block: number;
            } | null;
        };
        Turn: {
            version: number;
            /** Format: uuid */
            turnId: string;
            /** Format: uuid */
            promptId: string;
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "completed" | "refused" | "interrupted" | "failed";
            startedAt: string | null;
            endedAt: string | null;
            stopReason: string | null;
            /** @description Of a refused turn: what the model API said about the refusal. */
            stopDetails: unknown | null;
            error: components["schemas"]["Failure"] | null;
            checkpoints: {
                label: string;
                at: number;
            }[];
            requests: components["schemas"]["RequestSummary"][];
            toolCalls: components["schemas"]["ToolCall"][];
            usage: components["schemas"]["UsageTotals"];
        };
        /** @description The turn has ended; after a refusal it is `refused`. */
        TurnCompletedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.completed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The turn has ended; after a refusal it is `refused`. */
            data: {
                /** Format: uuid */
                turnId: string;
                stopReason: string;
                /** @description Of a refusal: what the model API said about it. */
                stopDetails?: unknown;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The turn failed. */
        TurnFailedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.failed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The turn failed. */
            data: {
                /** Format: uuid */
                turnId: string;
                error: components["schemas"]["Failure"];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description An interrupt was requested; `turn.interrupted` follows. */
        TurnInterruptRequestedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.interrupt_requested";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description An interrupt was requested; `turn.interrupted` follows. */
            data: {
                /** Format: uuid */
                turnId: string;
                reason: string | null;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The turn was interrupted. */
        TurnInterruptedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.interrupted";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The turn was interrupted. */
            data: {
                /** Format: uuid */
                turnId: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The prompt was converted into messages. */
        TurnPreparedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.prepared";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The prompt was converted into messages. */
            data: {
                /** Format: uuid */
                turnId: string;
                /** @description false: the turn ends without a model request. */
                callsModel: boolean;
                checkpoints: components["schemas"]["Checkpoints"];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The turn runs again. */
        TurnResumedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.resumed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The turn runs again. */
            data: {
                /** Format: uuid */
                turnId: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The turn of a prompt runs. */
        TurnStartedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.started";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The turn of a prompt runs. */
            data: {
                /** Format: uuid */
                turnId: string;
                /** Format: uuid */
                promptId: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /** @description The turn waits: for results of the client of `toolUseIds`, for decisions on `decisions`, and for the ends of the helpers that carry out `helpers`. */
        TurnWaitingEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn.waiting";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The turn waits: for results of the client of `toolUseIds`, for decisions on `decisions`, and for the ends of the helpers that carry out `helpers`. */
            data: {
                /** Format: uuid */
                turnId: string;
                readonly toolUseIds: string[];
                readonly decisions?: string[];
                readonly helpers?: string[];
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
        /**
         * @example {
         *       "id": "a-chat",
         *       "messages": [
         *         {
         *           "id": "m1",
         *           "role": "user",
         *           "parts": [
         *             {
         *               "type": "text",
         *               "text": "Hello"
         *             }
         *           ]
         *         }
         *       ],
         *       "trigger": "submit-message"
         *     }
         */
        UiChat: {
            /** @description Id of the chat: that of a session, or one that the client chose, which names a session of the caller. */
            id: string;
            /** @description UI messages of the AI SDK. Only the newest one is read: a prompt, or the answers to approval requests and client tools. */
            messages: unknown[];
            /** @enum {string} */
            trigger?: "submit-message" | "regenerate-message";
            /** @description The message that is replaced or regenerated; as the AI SDK sends it. */
            messageId?: string | null;
            /** @description Settings of the session, if this message creates it. */
            session?: components["schemas"]["SessionSettings"];
            /** @description The user's time zone, such as `Europe/Berlin`: the model is told the date there. Default UTC. */
            timeZone?: string;
            /**
             * @description `continue`, the default: the turn continues when the client disconnects, and can be resumed. `interrupt`: it is interrupted.
             * @enum {string}
             */
            onDisconnect?: "continue" | "interrupt";
        };
        /** @description The conversation as UI messages of the AI SDK. */
        UiMessages: {
            /** @description The session of the chat; null: there is none yet. */
            sessionId: string | null;
            messages: {
                /** @description Of a prompt: the uuid of its message. Of an answer: the id of its turn. */
                id: string;
                /** @enum {string} */
                role: "user" | "assistant";
                metadata?: Record<string, never>;
                parts: {
                    type: string;
                }[];
            }[];
        };
        /**
         * @example {
         *       "path": "/memories/notes.md",
         *       "version": 1
         *     }
         */
        UndoMemory: {
            /**
             * @description Begins with /memories.
             * @example /memories/notes.md
             */
            path: string;
            /** @description The version of the file that it shall be again. */
            version: number;
        };
        UndoneMemory: {
            /**
             * @description Begins with /memories.
             * @example /memories/notes.md
             */
            path: string;
            /** @description The version that was made; the present one when there was nothing to change. */
            version: number;
        };
        UrlSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url";
            url: string;
        };
        UsageReport: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            /** @enum {string} */
            groupBy: "user" | "model" | "session" | "day" | "dayAndModel";
            /** @description Days in their order, and of one day the most expensive model first; otherwise the most expensive first. */
            data: {
                /** @description The day, the id of the user or session, or the model family; of `dayAndModel` the day. */
                key: string;
                /** @description Of `dayAndModel` only: the model family. */
                model?: string;
                prompts: number;
                /** @description Requests of the model that were answered. */
                requests: number;
                inputTokens: number;
                outputTokens: number;
                cacheReadTokens: number;
                cacheCreationTokens: number;
                /** @description US dollars, by the prices of the deployment when the requests were answered. */
                cost: number;
            }[];
            /** @description Of all entries, also those that `limit` leaves out. */
            total: {
                prompts: number;
                /** @description Requests of the model that were answered. */
                requests: number;
                inputTokens: number;
                outputTokens: number;
                cacheReadTokens: number;
                cacheCreationTokens: number;
                /** @description US dollars, by the prices of the deployment when the requests were answered. */
                cost: number;
            };
            hasMore: boolean;
        };
        /** @description Tokens and requests of the model, summed up. */
        UsageTotals: {
            inputTokens: number;
            outputTokens: number;
            cacheReadTokens: number;
            cacheCreationTokens: number;
            requests: number;
        };
        User: {
            /** Format: uuid */
            id: string;
            /** @description Empty: the user is deleted. */
            name: string;
            /** @enum {string} */
            role: "member" | "admin" | "auditor";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            createdAt: string;
            /** @description Not null: none of the user's credentials is accepted. */
            disabledAt: string | null;
            deletedAt: string | null;
            /** @description Number of their sessions, with archived ones. */
            sessions: number;
            /** @description Last change of one of their sessions; null: they have none. */
            lastActiveAt: string | null;
        };
        /**
         * @example {
         *       "disabled": true
         *     }
         */
        UserChange: {
            /** @enum {string} */
            role?: "member" | "admin" | "auditor";
            disabled?: boolean;
        };
        UserErasure: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            /** Format: uuid */
            requestedBy: string;
            reason: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            startedAt: string;
            /** @description null: sessions are left. */
            endedAt: string | null;
            /** @description Sessions erased so far. */
            sessions: number;
            /** @description Sessions that are still to be erased. */
            remaining: number;
            /** @description Sessions that are left because they are under a legal hold. */
            held: number;
        };
        UserErasures: {
            readonly data: components["schemas"]["UserErasure"][];
        };
        /** @description A prompt, a tool result, or context for the model. */
        UserMessage: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "user";
            /** Format: uuid */
            uuid: string;
            /** @description The previous message on its branch; null for the first. */
            parentUuid: string | null;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            content: components["schemas"]["Content"];
            /** @description Sent to the model; the transcript shows only its tool results, without this member. */
            isMeta?: boolean;
            /** @description Part of the transcript, never sent to the model. */
            isVirtual?: boolean;
            /** @description Where it came from; null or absent: typed by a person. */
            origin?: unknown;
            permissionMode?: components["schemas"]["PermissionMode"];
            /** @description Structured output of the tool; the model is sent `content`. */
            toolUseResult?: unknown;
            /** @description The name of the user who wrote it, as the model is told. */
            speaker?: string;
            /** @description The text before a hook rewrote it. */
            rewrittenFrom?: string;
            /** @description Paste numbers of its last images, in order; of a split part, the number of its own image. */
            readonly imagePasteIds?: number[];
            /** @description For each block of this message, the image that it describes: message and index of the block, and in a tool result the index in its content; null: none. */
            readonly describes?: ({
                /** Format: uuid */
                uuid: string;
                index: number;
                inner?: number;
            } | null)[];
            isCompactSummary?: boolean;
            /** @description The note that a user interrupted the turn. */
            isInterruption?: boolean;
        };
        UserMessageDraft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "user";
            /** Format: uuid */
            uuid: string;
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            timestamp: string;
            /** @description Only in the transcript. */
            by?: components["schemas"]["Author"];
            /**
             * @description Its content was erased.
             * @constant
             */
            erased?: true;
            content: components["schemas"]["Content"];
            /** @description Sent to the model; the transcript shows only its tool results, without this member. */
            isMeta?: boolean;
            /** @description Part of the transcript, never sent to the model. */
            isVirtual?: boolean;
            /** @description Where it came from; null or absent: typed by a person. */
            origin?: unknown;
            permissionMode?: components["schemas"]["PermissionMode"];
            /** @description Structured output of the tool; the model is sent `content`. */
            toolUseResult?: unknown;
            /** @description The name of the user who wrote it, as the model is told. */
            speaker?: string;
            /** @description The text before a hook rewrote it. */
            rewrittenFrom?: string;
            /** @description Paste numbers of its last images, in order; of a split part, the number of its own image. */
            readonly imagePasteIds?: number[];
            /** @description For each block of this message, the image that it describes: message and index of the block, and in a tool result the index in its content; null: none. */
            readonly describes?: ({
                /** Format: uuid */
                uuid: string;
                index: number;
                inner?: number;
            } | null)[];
            isCompactSummary?: boolean;
            /** @description The note that a user interrupted the turn. */
            isInterruption?: boolean;
        };
        Users: {
            data: components["schemas"]["User"][];
            nextCursor: string | null;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        WebFetchToolResultBlock: {
            /** @constant */
            type: "web_fetch_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        /** @description The result of a tool that the model API ran; `content` is as the API returned it. */
        WebSearchToolResultBlock: {
            /** @constant */
            type: "web_search_tool_result";
            tool_use_id: string;
            content: unknown;
            /** @description What called the tool, as the model API returned it. */
            caller?: unknown;
            cache_control?: components["schemas"]["CacheControl"] | null;
        };
        Withdrawn: {
            version: number;
            /** @enum {boolean} */
            withdrawn: true;
        };
        /** @description The files of the session's folder changed. Unless `base` is the current version, the current files stay as they were. */
        WorkspaceChangedEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workspace.changed";
            /**
             * Format: date-time
             * @description RFC 3339.
             */
            time: string;
            /** Format: uuid */
            sessionId: string;
            actor: components["schemas"]["Actor"];
            /** @description The files of the session's folder changed. Unless `base` is the current version, the current files stay as they were. */
            data: {
                /**
                 * Format: uuid
                 * @description Absent: it was imported.
                 */
                turnId?: string;
                /**
                 * Format: uuid
                 * @description Names the files of the folder after this change.
                 */
                version: string;
                /** @description The version that it changes; null: an empty folder. */
                base: string | null;
                /**
                 * @description `outside`: found in the folder before a step, so something else than a recorded step has made it.
                 * @enum {string}
                 */
                cause: "step" | "outside";
                /** @description The call after which it was found; absent: it was none. */
                toolUseId?: string;
                /** @description Files that are new or have changed. */
                readonly files: {
                    /** @constant */
                    type: "blob";
                    /** @description From the session's folder, with `/` between its parts. */
                    path: string;
                    /** @description As of stat: permissions, and for a symbolic link 0120777 (its content is its target). */
                    mode: number;
                    sha256: string;
                    /** @description Bytes. */
                    size: number;
                }[];
                /** @description Paths of files that are gone. */
                readonly deleted: string[];
                /** @description What is in the folder and is not recorded; the first of them. `missing`: an import had no content of it. */
                readonly skipped: {
                    path: string;
                    /** @enum {string} */
                    reason: "too_large" | "too_many" | "too_many_bytes" | "too_deep" | "special" | "link_outside" | "foreign" | "name" | "unreadable" | "quota" | "missing";
                }[];
                /**
                 * Format: uuid
                 * @description Of an import: the message of the prompt whose turn has made the change, without a call.
                 */
                prompt?: string;
                /** @description Of an import: the change had been erased, and these files of earlier changes, which it had replaced or deleted, are gone, too. */
                readonly removed?: {
                    /** Format: uuid */
                    version: string;
                    /** @description In `files` of the event. */
                    index: number;
                }[];
                /**
                 * Format: date-time
                 * @description When it was found, of an import; absent: when it was recorded.
                 */
                at?: string;
            };
            /**
             * @description Its content was erased: `data` is what is left of it.
             * @constant
             */
            erased?: true;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Access = components['schemas']['Access'];
export type Accesses = components['schemas']['Accesses'];
export type Activity = components['schemas']['Activity'];
export type ActivityEntry = components['schemas']['ActivityEntry'];
export type Actor = components['schemas']['Actor'];
export type AdvisorToolResultBlock = components['schemas']['AdvisorToolResultBlock'];
export type AgentMentionAttachment = components['schemas']['AgentMentionAttachment'];
export type Alive = components['schemas']['Alive'];
export type Anchors = components['schemas']['Anchors'];
export type AnyRequest = components['schemas']['AnyRequest'];
export type AppendedLines = components['schemas']['AppendedLines'];
export type AssistantMessage = components['schemas']['AssistantMessage'];
export type AssistantMessageDraft = components['schemas']['AssistantMessageDraft'];
export type Attachment = components['schemas']['Attachment'];
export type AttachmentMessage = components['schemas']['AttachmentMessage'];
export type AttachmentMessageDraft = components['schemas']['AttachmentMessageDraft'];
export type Audit = components['schemas']['Audit'];
export type Author = components['schemas']['Author'];
export type Base64Source = components['schemas']['Base64Source'];
export type BashCodeExecutionToolResultBlock = components['schemas']['BashCodeExecutionToolResultBlock'];
export type BashProgress = components['schemas']['BashProgress'];
export type BlobSource = components['schemas']['BlobSource'];
export type BlockDelta = components['schemas']['BlockDelta'];
export type Branch = components['schemas']['Branch'];
export type BranchRestored = components['schemas']['BranchRestored'];
export type Branches = components['schemas']['Branches'];
export type BreakGlass = components['schemas']['BreakGlass'];
export type BrokenGlass = components['schemas']['BrokenGlass'];
export type CacheControl = components['schemas']['CacheControl'];
export type CacheDiagnostics = components['schemas']['CacheDiagnostics'];
export type Checkpoints = components['schemas']['Checkpoints'];
export type Citation = components['schemas']['Citation'];
export type CitationsDelta = components['schemas']['CitationsDelta'];
export type ClientRequest = components['schemas']['ClientRequest'];
export type ClientRequestPart = components['schemas']['ClientRequestPart'];
export type ClientRequestSummary = components['schemas']['ClientRequestSummary'];
export type ClientRequestsReport = components['schemas']['ClientRequestsReport'];
export type ClientTool = components['schemas']['ClientTool'];
export type CodeExecutionToolResultBlock = components['schemas']['CodeExecutionToolResultBlock'];
export type Command = components['schemas']['Command'];
export type CommandPermissionsAttachment = components['schemas']['CommandPermissionsAttachment'];
export type Commands = components['schemas']['Commands'];
export type CompactFileReferenceAttachment = components['schemas']['CompactFileReferenceAttachment'];
export type Compaction = components['schemas']['Compaction'];
export type CompactionBlock = components['schemas']['CompactionBlock'];
export type ConfigDisplay = components['schemas']['ConfigDisplay'];
export type Consistency = components['schemas']['Consistency'];
export type ContainerUploadBlock = components['schemas']['ContainerUploadBlock'];
export type Content = components['schemas']['Content'];
export type ContentBlock = components['schemas']['ContentBlock'];
export type ContentErasedEvent = components['schemas']['ContentErasedEvent'];
export type ContentSource = components['schemas']['ContentSource'];
export type CurrentDateAttachment = components['schemas']['CurrentDateAttachment'];
export type DateChangeAttachment = components['schemas']['DateChangeAttachment'];
export type DecidedBy = components['schemas']['DecidedBy'];
export type DeletedMemoryFile = components['schemas']['DeletedMemoryFile'];
export type DiagnosticsAttachment = components['schemas']['DiagnosticsAttachment'];
export type DiffAttachment = components['schemas']['DiffAttachment'];
export type DirectoryAttachment = components['schemas']['DirectoryAttachment'];
export type Display = components['schemas']['Display'];
export type DoctorDisplay = components['schemas']['DoctorDisplay'];
export type DocumentBlock = components['schemas']['DocumentBlock'];
export type EditedTextFileAttachment = components['schemas']['EditedTextFileAttachment'];
export type Erased = components['schemas']['Erased'];
export type Erasure = components['schemas']['Erasure'];
export type Erasures = components['schemas']['Erasures'];
export type Event = components['schemas']['Event'];
export type Events = components['schemas']['Events'];
export type Failure = components['schemas']['Failure'];
export type Feedback = components['schemas']['Feedback'];
export type FeedbackRecordedEvent = components['schemas']['FeedbackRecordedEvent'];
export type FileAttachment = components['schemas']['FileAttachment'];
export type FileDiff = components['schemas']['FileDiff'];
export type FileSource = components['schemas']['FileSource'];
export type FileVersions = components['schemas']['FileVersions'];
export type Files = components['schemas']['Files'];
export type Fork = components['schemas']['Fork'];
export type GitDiffAttachment = components['schemas']['GitDiffAttachment'];
export type GitStatusAttachment = components['schemas']['GitStatusAttachment'];
export type GlassBrokenEvent = components['schemas']['GlassBrokenEvent'];
export type GlassRecord = components['schemas']['GlassRecord'];
export type Grant = components['schemas']['Grant'];
export type Grants = components['schemas']['Grants'];
export type HeldSession = components['schemas']['HeldSession'];
export type HelpDisplay = components['schemas']['HelpDisplay'];
export type Hold = components['schemas']['Hold'];
export type HoldPlacedEvent = components['schemas']['HoldPlacedEvent'];
export type HoldReleasedEvent = components['schemas']['HoldReleasedEvent'];
export type HookAdditionalContextAttachment = components['schemas']['HookAdditionalContextAttachment'];
export type HookCompletedEvent = components['schemas']['HookCompletedEvent'];
export type HookOutcomes = components['schemas']['HookOutcomes'];
export type HookRun = components['schemas']['HookRun'];
export type HookSecret = components['schemas']['HookSecret'];
export type Hooks = components['schemas']['Hooks'];
export type IdeSelectionAttachment = components['schemas']['IdeSelectionAttachment'];
export type ImageBlock = components['schemas']['ImageBlock'];
export type ImportRetainedEvent = components['schemas']['ImportRetainedEvent'];
export type Imported = components['schemas']['Imported'];
export type ImportedFiles = components['schemas']['ImportedFiles'];
export type InputJsonDelta = components['schemas']['InputJsonDelta'];
export type InputTransformation = components['schemas']['InputTransformation'];
export type Interrupted = components['schemas']['Interrupted'];
export type InvokedSkillsAttachment = components['schemas']['InvokedSkillsAttachment'];
export type LeftBranch = components['schemas']['LeftBranch'];
export type LinesAppendedEvent = components['schemas']['LinesAppendedEvent'];
export type Link = components['schemas']['Link'];
export type LinkInfo = components['schemas']['LinkInfo'];
export type Links = components['schemas']['Links'];
export type LiveEvent = components['schemas']['LiveEvent'];
export type Logged = components['schemas']['Logged'];
export type McpProgress = components['schemas']['McpProgress'];
export type McpResourceAttachment = components['schemas']['McpResourceAttachment'];
export type McpTest = components['schemas']['McpTest'];
export type McpTestResult = components['schemas']['McpTestResult'];
export type McpToolResultBlock = components['schemas']['McpToolResultBlock'];
export type McpToolUseBlock = components['schemas']['McpToolUseBlock'];
export type Me = components['schemas']['Me'];
export type Memory = components['schemas']['Memory'];
export type MemoryAttachment = components['schemas']['MemoryAttachment'];
export type MemoryContent = components['schemas']['MemoryContent'];
export type MemoryFile = components['schemas']['MemoryFile'];
export type MemoryListingAttachment = components['schemas']['MemoryListingAttachment'];
export type MemoryVersion = components['schemas']['MemoryVersion'];
export type MemoryVersions = components['schemas']['MemoryVersions'];
export type MentionAttachment = components['schemas']['MentionAttachment'];
export type Message = components['schemas']['Message'];
export type MessageAppendedEvent = components['schemas']['MessageAppendedEvent'];
export type MessageDeltaEvent = components['schemas']['MessageDeltaEvent'];
export type MessageDraft = components['schemas']['MessageDraft'];
export type Messages = components['schemas']['Messages'];
export type ModelAccess = components['schemas']['ModelAccess'];
export type ModelMessage = components['schemas']['ModelMessage'];
export type ModelOptions = components['schemas']['ModelOptions'];
export type ModelServerTool = components['schemas']['ModelServerTool'];
export type ModelUsage = components['schemas']['ModelUsage'];
export type NestedMemoryAttachment = components['schemas']['NestedMemoryAttachment'];
export type NewFeedback = components['schemas']['NewFeedback'];
export type NewGrant = components['schemas']['NewGrant'];
export type NewLink = components['schemas']['NewLink'];
export type NewSchedule = components['schemas']['NewSchedule'];
export type NewSettings = components['schemas']['NewSettings'];
export type NewSignIn = components['schemas']['NewSignIn'];
export type NewStreamTicket = components['schemas']['NewStreamTicket'];
export type NewToken = components['schemas']['NewToken'];
export type Normalize = components['schemas']['Normalize'];
export type NormalizeGates = components['schemas']['NormalizeGates'];
export type Normalized = components['schemas']['Normalized'];
export type Nothing = components['schemas']['Nothing'];
export type OpenedFileAttachment = components['schemas']['OpenedFileAttachment'];
export type OpenedFileInIdeAttachment = components['schemas']['OpenedFileInIdeAttachment'];
export type OtherAttachment = components['schemas']['OtherAttachment'];
export type OtherBlock = components['schemas']['OtherBlock'];
export type OtherDelta = components['schemas']['OtherDelta'];
export type OtherProgress = components['schemas']['OtherProgress'];
export type OutputStyleAttachment = components['schemas']['OutputStyleAttachment'];
export type PassedPayload = components['schemas']['PassedPayload'];
export type Payload = components['schemas']['Payload'];
export type PayloadProblem = components['schemas']['PayloadProblem'];
export type PayloadView = components['schemas']['PayloadView'];
export type People = components['schemas']['People'];
export type PermissionMode = components['schemas']['PermissionMode'];
export type PermissionModeAttachment = components['schemas']['PermissionModeAttachment'];
export type PermissionRules = components['schemas']['PermissionRules'];
export type PlanModeAttachment = components['schemas']['PlanModeAttachment'];
export type PlanModeExitAttachment = components['schemas']['PlanModeExitAttachment'];
export type Plugins = components['schemas']['Plugins'];
export type PrefixBreak = components['schemas']['PrefixBreak'];
export type Presence = components['schemas']['Presence'];
export type PresenceEvent = components['schemas']['PresenceEvent'];
export type PricedRequest = components['schemas']['PricedRequest'];
export type Problem = components['schemas']['Problem'];
export type Prompt = components['schemas']['Prompt'];
export type PromptAnswer = components['schemas']['PromptAnswer'];
export type PromptQueuedEvent = components['schemas']['PromptQueuedEvent'];
export type PromptSubmittedEvent = components['schemas']['PromptSubmittedEvent'];
export type PromptWithdrawnEvent = components['schemas']['PromptWithdrawnEvent'];
export type Proof = components['schemas']['Proof'];
export type Queue = components['schemas']['Queue'];
export type QueueChangedEvent = components['schemas']['QueueChangedEvent'];
export type QueuedCommandAttachment = components['schemas']['QueuedCommandAttachment'];
export type QuotaStates = components['schemas']['QuotaStates'];
export type Quotas = components['schemas']['Quotas'];
export type Ready = components['schemas']['Ready'];
export type Reason = components['schemas']['Reason'];
export type ReceivedThread = components['schemas']['ReceivedThread'];
export type RecordedSettings = components['schemas']['RecordedSettings'];
export type RedactedThinkingBlock = components['schemas']['RedactedThinkingBlock'];
export type Regenerate = components['schemas']['Regenerate'];
export type RelevantMemoriesAttachment = components['schemas']['RelevantMemoriesAttachment'];
export type Request = components['schemas']['Request'];
export type RequestCompletedEvent = components['schemas']['RequestCompletedEvent'];
export type RequestFailedEvent = components['schemas']['RequestFailedEvent'];
export type RequestOrigin = components['schemas']['RequestOrigin'];
export type RequestRepair = components['schemas']['RequestRepair'];
export type RequestSentEvent = components['schemas']['RequestSentEvent'];
export type RequestSummary = components['schemas']['RequestSummary'];
export type Requests = components['schemas']['Requests'];
export type Restored = components['schemas']['Restored'];
export type Resubmission = components['schemas']['Resubmission'];
export type Rewind = components['schemas']['Rewind'];
export type Rewinds = components['schemas']['Rewinds'];
export type Rewound = components['schemas']['Rewound'];
export type Schedule = components['schemas']['Schedule'];
export type ScheduleAnswer = components['schemas']['ScheduleAnswer'];
export type ScheduleChanges = components['schemas']['ScheduleChanges'];
export type ScheduleDeleted = components['schemas']['ScheduleDeleted'];
export type ScheduleDeletedEvent = components['schemas']['ScheduleDeletedEvent'];
export type ScheduleRanEvent = components['schemas']['ScheduleRanEvent'];
export type ScheduleSetEvent = components['schemas']['ScheduleSetEvent'];
export type ScheduleTiming = components['schemas']['ScheduleTiming'];
export type Schedules = components['schemas']['Schedules'];
export type SearchHit = components['schemas']['SearchHit'];
export type SearchResultBlock = components['schemas']['SearchResultBlock'];
export type SearchResults = components['schemas']['SearchResults'];
export type SelectedLinesInIdeAttachment = components['schemas']['SelectedLinesInIdeAttachment'];
export type SentBlock = components['schemas']['SentBlock'];
export type SentBody = components['schemas']['SentBody'];
export type ServerToolUseBlock = components['schemas']['ServerToolUseBlock'];
export type Session = components['schemas']['Session'];
export type SessionAccessedEvent = components['schemas']['SessionAccessedEvent'];
export type SessionChangedEvent = components['schemas']['SessionChangedEvent'];
export type SessionClosedEvent = components['schemas']['SessionClosedEvent'];
export type SessionCompactedEvent = components['schemas']['SessionCompactedEvent'];
export type SessionConfiguredEvent = components['schemas']['SessionConfiguredEvent'];
export type SessionCreatedEvent = components['schemas']['SessionCreatedEvent'];
export type SessionFile = components['schemas']['SessionFile'];
export type SessionFileLines = components['schemas']['SessionFileLines'];
export type SessionFiles = components['schemas']['SessionFiles'];
export type SessionForkedEvent = components['schemas']['SessionForkedEvent'];
export type SessionGrantRevokedEvent = components['schemas']['SessionGrantRevokedEvent'];
export type SessionGrantedEvent = components['schemas']['SessionGrantedEvent'];
export type SessionImportedEvent = components['schemas']['SessionImportedEvent'];
export type SessionList = components['schemas']['SessionList'];
export type SessionListItem = components['schemas']['SessionListItem'];
export type SessionReopenedEvent = components['schemas']['SessionReopenedEvent'];
export type SessionRestoredEvent = components['schemas']['SessionRestoredEvent'];
export type SessionRewoundEvent = components['schemas']['SessionRewoundEvent'];
export type SessionSettings = components['schemas']['SessionSettings'];
export type SessionTitledEvent = components['schemas']['SessionTitledEvent'];
export type SessionToolsChangedEvent = components['schemas']['SessionToolsChangedEvent'];
export type SessionsChange = components['schemas']['SessionsChange'];
export type SessionsSyncedEvent = components['schemas']['SessionsSyncedEvent'];
export type Settings = components['schemas']['Settings'];
export type SettingsChange = components['schemas']['SettingsChange'];
export type SettingsChanges = components['schemas']['SettingsChanges'];
export type Shared = components['schemas']['Shared'];
export type SignIn = components['schemas']['SignIn'];
export type SignInMethods = components['schemas']['SignInMethods'];
export type SignIns = components['schemas']['SignIns'];
export type SignatureDelta = components['schemas']['SignatureDelta'];
export type SkillListingAttachment = components['schemas']['SkillListingAttachment'];
export type Skills = components['schemas']['Skills'];
export type Snippet = components['schemas']['Snippet'];
export type StatusDisplay = components['schemas']['StatusDisplay'];
export type StoredPaste = components['schemas']['StoredPaste'];
export type StoredSource = components['schemas']['StoredSource'];
export type StreamTicket = components['schemas']['StreamTicket'];
export type StreamedEvent = components['schemas']['StreamedEvent'];
export type Submission = components['schemas']['Submission'];
export type SubmittedPrompt = components['schemas']['SubmittedPrompt'];
export type SyncedEvent = components['schemas']['SyncedEvent'];
export type SystemMessage = components['schemas']['SystemMessage'];
export type SystemMessageAttachment = components['schemas']['SystemMessageAttachment'];
export type SystemMessageDraft = components['schemas']['SystemMessageDraft'];
export type TaskReminderAttachment = components['schemas']['TaskReminderAttachment'];
export type TenantAudit = components['schemas']['TenantAudit'];
export type TextBlock = components['schemas']['TextBlock'];
export type TextDelta = components['schemas']['TextDelta'];
export type TextDisplay = components['schemas']['TextDisplay'];
export type TextEditorCodeExecutionToolResultBlock = components['schemas']['TextEditorCodeExecutionToolResultBlock'];
export type TextSource = components['schemas']['TextSource'];
export type ThinkingBlock = components['schemas']['ThinkingBlock'];
export type ThinkingDelta = components['schemas']['ThinkingDelta'];
export type TodoAttachment = components['schemas']['TodoAttachment'];
export type TodoListAttachment = components['schemas']['TodoListAttachment'];
export type TodoReminderAttachment = components['schemas']['TodoReminderAttachment'];
export type Token = components['schemas']['Token'];
export type TokenInfo = components['schemas']['TokenInfo'];
export type Tokens = components['schemas']['Tokens'];
export type TombstoneMessage = components['schemas']['TombstoneMessage'];
export type TombstoneMessageDraft = components['schemas']['TombstoneMessageDraft'];
export type ToolCall = components['schemas']['ToolCall'];
export type ToolCompletedEvent = components['schemas']['ToolCompletedEvent'];
export type ToolDecided = components['schemas']['ToolDecided'];
export type ToolDecidedEvent = components['schemas']['ToolDecidedEvent'];
export type ToolDecision = components['schemas']['ToolDecision'];
export type ToolProgress = components['schemas']['ToolProgress'];
export type ToolProgressEvent = components['schemas']['ToolProgressEvent'];
export type ToolReferenceBlock = components['schemas']['ToolReferenceBlock'];
export type ToolResultBlock = components['schemas']['ToolResultBlock'];
export type ToolResults = components['schemas']['ToolResults'];
export type ToolResultsAccepted = components['schemas']['ToolResultsAccepted'];
export type ToolSearchToolResultBlock = components['schemas']['ToolSearchToolResultBlock'];
export type ToolStartedEvent = components['schemas']['ToolStartedEvent'];
export type ToolUseBlock = components['schemas']['ToolUseBlock'];
export type ToolUseSummaryMessage = components['schemas']['ToolUseSummaryMessage'];
export type ToolUseSummaryMessageDraft = components['schemas']['ToolUseSummaryMessageDraft'];
export type Tools = components['schemas']['Tools'];
export type TraceEntry = components['schemas']['TraceEntry'];
export type Turn = components['schemas']['Turn'];
export type TurnCompletedEvent = components['schemas']['TurnCompletedEvent'];
export type TurnFailedEvent = components['schemas']['TurnFailedEvent'];
export type TurnInterruptRequestedEvent = components['schemas']['TurnInterruptRequestedEvent'];
export type TurnInterruptedEvent = components['schemas']['TurnInterruptedEvent'];
export type TurnPreparedEvent = components['schemas']['TurnPreparedEvent'];
export type TurnResumedEvent = components['schemas']['TurnResumedEvent'];
export type TurnStartedEvent = components['schemas']['TurnStartedEvent'];
export type TurnWaitingEvent = components['schemas']['TurnWaitingEvent'];
export type UiChat = components['schemas']['UiChat'];
export type UiMessages = components['schemas']['UiMessages'];
export type UndoMemory = components['schemas']['UndoMemory'];
export type UndoneMemory = components['schemas']['UndoneMemory'];
export type UrlSource = components['schemas']['UrlSource'];
export type UsageReport = components['schemas']['UsageReport'];
export type UsageTotals = components['schemas']['UsageTotals'];
export type User = components['schemas']['User'];
export type UserChange = components['schemas']['UserChange'];
export type UserErasure = components['schemas']['UserErasure'];
export type UserErasures = components['schemas']['UserErasures'];
export type UserMessage = components['schemas']['UserMessage'];
export type UserMessageDraft = components['schemas']['UserMessageDraft'];
export type Users = components['schemas']['Users'];
export type WebFetchToolResultBlock = components['schemas']['WebFetchToolResultBlock'];
export type WebSearchToolResultBlock = components['schemas']['WebSearchToolResultBlock'];
export type Withdrawn = components['schemas']['Withdrawn'];
export type WorkspaceChangedEvent = components['schemas']['WorkspaceChangedEvent'];
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Liveness probe */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Readiness probe: the database, the queue and the live bus respond */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the metrics in the Prometheus text format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description Only what is of this kind. `roles` are given and taken away. */
                kind?: "erasures" | "holds" | "roles" | "links" | "emergency_access";
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page, with the same `kind`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List what was erased, held, shared and opened in the sessions of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activity"];
                };
            };
        };
    };
    auditTenant: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before. */
                cursor?: string;
                /** @description Maximum number of sessions in the page; default 20. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Audit the tenant's sessions, a page at a time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantAudit"];
                };
            };
        };
    };
    listCommands: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the slash commands */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Commands"];
                };
            };
        };
    };
    streamSessions: {
        parameters: {
            query?: {
                /** @description Id of the last event received: report what has changed since. */
                after?: string;
                /** @description A ticket of POST /v1/stream-tickets without `sessionId`, in place of the Authorization header. */
                ticket?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stream the changes of all of your sessions (server-sent events) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 2026-01-01T00:00:00.000Z
                     *     event: session.changed
                     *     data: {"id":"…","version":7,"status":"running"}
                     *
                     *     event: sessions.synced
                     *     data: {}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    listGates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the feature gates, their state and its source */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NormalizeGates"];
                };
            };
        };
    };
    listHooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the hooks of the deployment and of the tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hooks"];
                };
            };
        };
    };
    importSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Create a session from a file */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imported"];
                };
            };
        };
    };
    listAnchors: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; default 20. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the newest time stamps and witness cosignatures of checkpoints */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Anchors"];
                };
            };
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the newest signed checkpoint of the transparency log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getConsistencyProof: {
        parameters: {
            query: {
                /** @description Size of the earlier checkpoint. */
                from: number;
                /** @description Size of the later checkpoint; default: the newest one. */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the proof that a checkpoint continues an earlier one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consistency"];
                };
            };
        };
    };
    getLogKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the public key that verifies the newest checkpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getTile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Level and index of the tile, as in `0/x001/234` or `0/x001/234.p/5` (C2SP tlog-tiles). */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a tile of the transparency log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the authenticated user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    normalizeMessages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Normalize"];
            };
        };
        responses: {
            /** @description Get the payload that the model would be sent for these messages; nothing is stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Normalized"];
                };
            };
        };
    };
    listPlugins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the installed plugins, and whether the tenant has enabled each */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugins"];
                };
            };
        };
    };
    listQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List your quotas and what you have used of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuotaStates"];
                };
            };
        };
    };
    searchSessions: {
        parameters: {
            query: {
                /** @description Words that must all occur, `"quoted phrases"`, `or`, and `-word` for what must not occur. */
                q: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Search titles and what people and the model wrote, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
        };
    };
    listSessionFiles: {
        parameters: {
            query: {
                /** @description What the program calls the project. */
                projectKey: string;
                /** @description All files of this session, those of subagents and archived ones too; left out: the main files of all sessions. */
                sessionId?: string;
                /** @description Also the summaries, for which each session is read. */
                summaries?: boolean;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List your session files of a project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionFiles"];
                };
            };
        };
    };
    appendSessionFile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Append lines to a session file of the Agent SDK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendedLines"];
                };
            };
        };
    };
    listSessionFileLines: {
        parameters: {
            query: {
                /** @description What the program calls the project. */
                projectKey: string;
                /** @description What the program calls its session. */
                sessionId: string;
                /** @description The file of a subagent, such as `subagents/agent-1`; left out: the main file. */
                subpath?: string;
                /** @description `next` of the previous page. */
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the lines of a session file as they were appended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionFileLines"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description Sessions of this owner only. */
                user?: string;
                /** @description `own` (the default), `shared`: by a grant to you or one of your groups, or `tenant`: of all users, without titles and texts (admin, auditor). */
                scope?: "own" | "shared" | "tenant";
                /** @description The helpers of this session; otherwise sessions that are no helpers. */
                parent?: string;
                /** @description Sessions with this status only. */
                status?: "idle" | "running" | "waiting" | "closed";
                /** @description `true`: sessions that you have pinned. */
                pinned?: boolean;
                /** @description `true`: the archived sessions; otherwise the others. */
                archived?: boolean;
                /** @description Sessions with this name as setting `model`. */
                model?: string;
                /** @description A JSON object that the metadata of the session must contain. */
                metadata?: string;
                /** @description Words that the title must contain, in the syntax of the search. */
                title?: string;
                /** @description Sessions that changed at this time or later. */
                updatedAfter?: string;
                /** @description Sessions last changed before this time. */
                updatedBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List sessions, most recent activity first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionSettings"];
            };
        };
        responses: {
            /** @description Create a session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    eraseSession: {
        parameters: {
            query?: {
                /** @description Why; kept with the receipt, also in the log of the session. Without content of the session. */
                reason?: string;
                /** @description `true`: erase it in the forks of the session as well; otherwise forks are a conflict. */
                includeForks?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase the content of the session */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionSettings"];
            };
        };
        responses: {
            /** @description Change settings; absent members keep their values */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    listAccesses: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List who has read the session without owning it, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accesses"];
                };
            };
        };
    };
    auditSession: {
        parameters: {
            query?: {
                /** @description Whether to include the proof that the session's newest event in the transparency log is there. */
                proof?: boolean;
                /** @description How many of the newest requests to rebuild and to compare with the digest that was recorded when they were sent; default 0. */
                requests?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Verify the hash chain of the log, and compare it with the transparency log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Audit"];
                };
            };
        };
    };
    getBlob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description SHA-256 of the bytes, hexadecimal. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the bytes of an image or a document of the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    listBranches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the branches that rewinds, edits, regenerations and restores have left, and the current one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branches"];
                };
            };
        };
    };
    restoreBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Uuid of the newest message of the branch. */
                tip: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Make another branch the current one */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchRestored"];
                };
            };
        };
    };
    breakGlass: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BreakGlass"];
            };
        };
        responses: {
            /** @description Get read access for a short time, with a reason that the owner sees (admin, auditor) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokenGlass"];
                };
            };
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description Close the session: it accepts no prompts until it is reopened */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    compactSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Compaction"];
            };
        };
        responses: {
            /** @description Compact the conversation so far into a summary */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptAnswer"];
                };
            };
        };
    };
    listErasures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the receipts of erasures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasures"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Sequence number of the last event received; 0 starts at the first event. */
                after?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
                /** @description Maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the events of the log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Events"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Sequence number of the last event received; 0 starts at the first event. */
                after?: number;
                /** @description A ticket of POST /v1/stream-tickets, in place of the Authorization header. */
                ticket?: string;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stream the events of the log (server-sent events) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: session.created
                     *     data: {"id":"…","seq":1}
                     *
                     *     event: synced
                     *     data: {"version":1}
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    exportSession: {
        parameters: {
            query?: {
                /** @description `jsonl`, the default: the conversation. `log`: the events, with what proves them. */
                format?: "jsonl" | "log";
                /** @description With `format=jsonl`: every branch with its rewinds and restores, the default, or the messages of the current branch alone. */
                branches?: "all" | "current";
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the conversation as a file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {"type":"session","format":"verbatim/2","title":"Sums"}
                     *     {"type":"user","uuid":"0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e","parentUuid":null,"content":"What is 2+2?"}
                     */
                    "application/x-ndjson": string;
                };
            };
        };
    };
    createFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFeedback"];
            };
        };
        responses: {
            /** @description Record feedback on an answer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description A version of the files, or a message: the files after it. Absent: the current files. */
                at?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the files of the session's folder, now or at any point */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Files"];
                };
            };
        };
    };
    getFile: {
        parameters: {
            query: {
                /** @description Path of the file from the session's folder. */
                path: string;
                /** @description A version of the files, or a message: the files after it. Absent: the current files. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the bytes of a file, now or at any point */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    diffFiles: {
        parameters: {
            query?: {
                /** @description A version of the files, or a message. Absent: the version before `to`. */
                from?: string;
                /** @description A version of the files, or a message: the files after it. Absent: the current files. */
                to?: string;
                /** @description A turn, instead of `from` and `to`: what was changed in it. */
                turn?: string;
                /** @description A message, instead of these: what a rewind of the files to before it would change in the current ones. */
                rewind?: string;
                /** @description Only this file. */
                path?: string;
                /** @description Whether texts are compared; default: yes. `false`: only which files differ. */
                patches?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Compare the files of two points, or what a turn changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileDiff"];
                };
            };
        };
    };
    listFileVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the changes of the files */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileVersions"];
                };
            };
        };
    };
    forkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Fork"];
            };
        };
        responses: {
            /** @description Fork the session at a message */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    listGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List who has a role in the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grants"];
                };
            };
        };
    };
    grantRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description `user:` and an id or a name, or `group:` and a name. */
                principal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGrant"];
            };
        };
        responses: {
            /** @description Give a user or a group a role in the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grants"];
                };
            };
        };
    };
    revokeGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description `user:` and an id or a name, or `group:` and a name. */
                principal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Take the role of a user or a group away; without being an owner, your own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grants"];
                };
            };
        };
    };
    placeHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Hold"];
            };
        };
        responses: {
            /** @description Put the session under a legal hold: nothing of it is erased (admin) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldSession"];
                };
            };
        };
    };
    releaseHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Release the legal hold (admin) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldSession"];
                };
            };
        };
    };
    runHooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookRun"];
            };
        };
        responses: {
            /** @description Run the matching hooks now */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookOutcomes"];
                };
            };
        };
    };
    interruptTurn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description Interrupt the running turn; idempotent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interrupted"];
                };
            };
        };
    };
    listLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the valid links of the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Links"];
                };
            };
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLink"];
            };
        };
        responses: {
            /** @description Create a link that shows the conversation up to a message */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    revokeLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the link. */
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a link */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    exportMarkdown: {
        parameters: {
            query?: {
                /** @description Also the thinking of the model, folded. */
                thinking?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the conversation as Markdown */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # Sums
                     *
                     *     ## User: Ada
                     *
                     *     *2026-01-02 03:04:05 UTC*
                     *
                     *     > What is 2+2?
                     */
                    "text/markdown": string;
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description `transcript` (default): what readers see; `full`: every message of the current path. */
                view?: "transcript" | "full";
                /** @description `blocks`: one content block per message, each with its own uuid. */
                split?: "blocks";
                /** @description Whether to include a tombstone for the messages that each rewind removed. */
                tombstones?: boolean;
                /** @description Whether the transcript has a `tool_use_summary` after each sequence of tool calls and a `turn_duration` after each turn that has ended. They are made from the log; the model never reads them. */
                notes?: boolean;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
                /** @description Whether to return the newest entries, up to `limit`, in place of those from `cursor` on. */
                newest?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the transcript, or every message */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Messages"];
                };
            };
        };
    };
    eraseMessage: {
        parameters: {
            query?: {
                /** @description Why; kept with the receipt, also in the log of the session. Without content of the session. */
                reason?: string;
                /** @description `true`: erase it in the forks of the session as well; otherwise forks are a conflict. */
                includeForks?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Uuid of the message, or of the prompt. */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase one message */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
        };
    };
    getPayload: {
        parameters: {
            query?: {
                /** @description Model to build the payload for; default: that of the session. */
                model?: string;
                /** @description Version of the session to build the payload at; default: the current one. */
                at?: number;
                /** @description `true`: what this release makes of the whole conversation; otherwise the payload begins with what was sent before, as it was sent. */
                fresh?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the payload that the model would be sent, now or at an earlier version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayloadView"];
                };
            };
        };
    };
    listPeople: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the people of a session with their names */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["People"];
                };
            };
        };
    };
    pinSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Pin the session: keep it on top of your list */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    unpinSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Unpin the session */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    announcePresence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Presence"];
            };
        };
        responses: {
            /** @description Tell the other readers of a session that you read or write */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    submitPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Prompt"];
            };
        };
        responses: {
            /** @description Submit a prompt */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 3,
                     *       "promptId": "7d1c3f0a-52c8-4a53-9d0e-5b7e8f2a6c11",
                     *       "disposition": "started",
                     *       "turnId": "1f0e6b9d-3a57-4c1f-8e26-90b4d7c5a312"
                     *     }
                     */
                    "application/json": components["schemas"]["PromptAnswer"];
                };
            };
        };
    };
    getPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the prompt, from the response to its submission. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a prompt as it can be sent again, to edit it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmittedPrompt"];
                };
            };
        };
    };
    listQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the queued prompts, in order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
        };
    };
    withdrawPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the prompt, from the response to its submission. */
                promptId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdraw a queued prompt */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Withdrawn"];
                };
            };
        };
    };
    regenerateAnswer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Regenerate"];
            };
        };
        responses: {
            /** @description Regenerate the answer to a prompt */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptAnswer"];
                };
            };
        };
    };
    reopenSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Reopen a closed session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the model requests */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requests"];
                };
            };
        };
    };
    getRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the model request. */
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a model request: the original messages, the payload, and the trace between them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyRequest"];
                };
            };
        };
    };
    listRewinds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the rewinds */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewinds"];
                };
            };
        };
    };
    rewindSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rewind"];
            };
        };
        responses: {
            /** @description Rewind the conversation, its files, or both to before or after a message */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewound"];
                };
            };
        };
    };
    restoreRewind: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the rewind. */
                rewindId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Undo a rewind */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the schedules of the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedules"];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSchedule"];
            };
        };
        responses: {
            /** @description Have a prompt submitted by time */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleAnswer"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the schedule. */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDeleted"];
                };
            };
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the schedule. */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleChanges"];
            };
        };
        responses: {
            /** @description Change, pause or resume a schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleAnswer"];
                };
            };
        };
    };
    listStructure: {
        parameters: {
            query?: {
                /** @description Sequence number of the last event received; 0 starts at the first event. */
                after?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
                /** @description Maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the events of the log without their content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Events"];
                };
            };
        };
    };
    decideToolCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolDecision"];
            };
        };
        responses: {
            /** @description Decide a tool call that requires a decision */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 12,
                     *       "toolUseId": "toolu_01",
                     *       "decision": "allow"
                     *     }
                     */
                    "application/json": components["schemas"]["ToolDecided"];
                };
            };
        };
    };
    submitToolResults: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolResults"];
            };
        };
        responses: {
            /** @description Submit the results of tool calls that the client runs */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResultsAccepted"];
                };
            };
        };
    };
    getTurn: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the turn to stop running; at most MAX_WAIT_SECONDS of the server. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
                /** @description Id of the turn. */
                turnId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a turn; with `wait`, after it has stopped running */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Turn"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the settings of the tenant, with secrets hidden */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    updateSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSettings"];
            };
        };
        responses: {
            /** @description Change settings of the tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    listSettingsChanges: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List who has changed which settings of the tenant, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsChanges"];
                };
            };
        };
    };
    rotateHookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Rotate the secret of the tenant's hooks; the response is the only place where it is shown */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookSecret"];
                };
            };
        };
    };
    testMcpServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpTest"];
            };
        };
        responses: {
            /** @description Connect to an MCP server once, before it is stored, and list its tools */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpTestResult"];
                };
            };
        };
    };
    readShared: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the conversation that a link shows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shared"];
                };
            };
        };
    };
    getSharedBlob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description SHA-256 of the bytes, hexadecimal. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the bytes of a file of a message that the link shows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the ways to sign in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSignIn"];
            };
        };
        responses: {
            /** @description Sign the browser in with the code of a one-time link, or with a token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    beginOidcSignIn: {
        parameters: {
            query?: {
                /** @description The page to show afterwards, a path of this origin. Absent: the console. */
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    completeOidcSignIn: {
        parameters: {
            query?: {
                /** @description As the identity provider sends it. */
                code?: string;
                /** @description As the identity provider sends it. */
                state?: string;
                /** @description As the identity provider sends it. */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    listSignIns: {
        parameters: {
            query?: {
                /** @description Only those of this user. Without it an admin gets those of the tenant; a member gets their own in any case. */
                userId?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the browsers that are signed in: those of the tenant for an admin, your own for a member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIns"];
                };
            };
        };
    };
    revokeSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the sign-in. */
                signInId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sign a browser out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Sign the browser out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSkills: {
        parameters: {
            query?: {
                /** @description Whether to list also the skills that the tenant has switched off. */
                disabled?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the enabled skills, and the problems of those that cannot be used */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Skills"];
                };
            };
        };
    };
    createStreamTicket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStreamTicket"];
            };
        };
        responses: {
            /** @description Create a ticket for the event stream of a session, or of all of your sessions */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamTicket"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the valid tokens: those of the tenant for an admin, your own for a member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description Create a token; the response is the only place where it is shown */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token; not the token itself. */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a token and every token created with it */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the server's tools for the tenant, and the problems of those that cannot be offered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tools"];
                };
            };
        };
    };
    sendUiMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UiChat"];
            };
        };
        responses: {
            /** @description Send the newest message of a chat and stream the answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example data: {"type":"start","messageId":"1f0e6b9d-3a57-4c1f-8e26-90b4d7c5a312"}
                     *
                     *     data: {"type":"start-step"}
                     *
                     *     data: {"type":"text-start","id":"0"}
                     *
                     *     data: {"type":"text-delta","id":"0","delta":"Hello"}
                     *
                     *     data: {"type":"text-end","id":"0"}
                     *
                     *     data: {"type":"finish-step"}
                     *
                     *     data: {"type":"finish","finishReason":"stop"}
                     *
                     *     data: [DONE]
                     */
                    "text/event-stream": string;
                };
            };
        };
    };
    listUiMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the chat: that of a session, or one that the client chose. */
                chatId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the conversation of a chat as UI messages, the initial messages of a page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UiMessages"];
                };
            };
        };
    };
    resumeUiStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the chat: that of a session, or one that the client chose. */
                chatId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stream the answer that is being written, from its beginning; 204 when there is none */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example data: {"type":"start","messageId":"1f0e6b9d-3a57-4c1f-8e26-90b4d7c5a312"}
                     *
                     *     data: {"type":"start-step"}
                     *
                     *     data: {"type":"text-start","id":"0"}
                     *
                     *     data: {"type":"text-delta","id":"0","delta":"Hello"}
                     *
                     *     data: {"type":"text-end","id":"0"}
                     *
                     *     data: {"type":"finish-step"}
                     *
                     *     data: {"type":"finish","finishReason":"stop"}
                     *
                     *     data: [DONE]
                     */
                    "text/event-stream": string;
                };
            };
            /** @description No answer is being written. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    stopUiStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the chat: that of a session, or one that the client chose. */
                chatId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Interrupt the running turn of a chat; idempotent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interrupted"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description First day, UTC; absent: 30 days before the last one. */
                from?: string;
                /** @description Last day, UTC; absent: today. */
                to?: string;
                /** @description What is summed up in one entry; `dayAndModel`: what each model was used for on each day; absent: day. */
                groupBy?: "user" | "model" | "session" | "day" | "dayAndModel";
                /** @description Only the usage of this user. */
                user?: string;
                /** @description Most entries; absent: 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the usage of the tenant by day, user, model, session, or day and model */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the users of the tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Users"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a user of the tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: {
                /** @description Why; kept with the receipt, also in the log of the session. Without content of the session. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a user: disable, remove the name, and erase the content */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasure"];
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description Change the role of a user, disable or enable a user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    eraseUserContent: {
        parameters: {
            query?: {
                /** @description Why; kept with the receipt, also in the log of the session. Without content of the session. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase the content of all sessions of a user */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasure"];
                };
            };
        };
    };
    listUserErasures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the erasures of the content of a user, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasures"];
                };
            };
        };
    };
    listMemory: {
        parameters: {
            query?: {
                /** @description Whether to list the paths of deleted files, too. */
                deleted?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the files that the model keeps for you */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
        };
    };
    eraseMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erase all that the model keeps for a user, with its history */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMemoryContent: {
        parameters: {
            query: {
                /** @description Begins with /memories. */
                path: string;
                /** @description An earlier version of the file; left out: the file as it is now. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a file of your memory, now or in an earlier version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryContent"];
                };
            };
        };
    };
    undoMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoMemory"];
            };
        };
        responses: {
            /** @description Make a file of your memory what it was in an earlier version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoneMemory"];
                };
            };
        };
    };
    listMemoryVersions: {
        parameters: {
            query: {
                /** @description Begins with /memories. */
                path: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the versions of a file of your memory, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryVersions"];
                };
            };
        };
    };
}

/** What each type of event changes for those who show a session; after any other type, everything may have changed. */
export const EVENTS: { readonly [T in Event['type']]: readonly ('list' | 'messages' | 'state')[] } = {
  'content.erased': ["list","messages","state"],
  'feedback.recorded': ["list"],
  'glass.broken': [],
  'hold.placed': ["list","state"],
  'hold.released': ["list","state"],
  'hook.completed': [],
  'import.retained': ["list"],
  'lines.appended': ["list"],
  'message.appended': ["list","messages","state"],
  'prompt.queued': ["list","state"],
  'prompt.submitted': ["list"],
  'prompt.withdrawn': ["list","state"],
  'request.completed': ["list","state"],
  'request.failed': ["list"],
  'request.sent': ["state"],
  'schedule.deleted': ["list"],
  'schedule.ran': ["list"],
  'schedule.set': ["list"],
  'session.accessed': [],
  'session.closed': ["list","state"],
  'session.compacted': ["list"],
  'session.configured': ["list","state"],
  'session.created': ["list","messages","state"],
  'session.forked': ["list"],
  'session.grant_revoked': ["list"],
  'session.granted': ["list"],
  'session.imported': ["list","messages","state"],
  'session.reopened': ["list","state"],
  'session.restored': ["list","messages","state"],
  'session.rewound': ["list","messages","state"],
  'session.titled': ["list","state"],
  'session.tools_changed': [],
  'tool.completed': ["state"],
  'tool.decided': ["state"],
  'tool.started': ["state"],
  'turn.completed': ["list","state"],
  'turn.failed': ["list","state"],
  'turn.interrupt_requested': ["list"],
  'turn.interrupted': ["list","state"],
  'turn.prepared': [],
  'turn.resumed': ["list","state"],
  'turn.started': ["list","state"],
  'turn.waiting': ["list","state"],
  'workspace.changed': [],
};

/** How each operation is called. `keyed`: takes an idempotency key. */
export const OPERATIONS = {
  getLiveness: {"method":"GET","path":"/health/live","keyed":false,"body":false,"answer":"json"},
  getReadiness: {"method":"GET","path":"/health/ready","keyed":false,"body":false,"answer":"json"},
  getMetrics: {"method":"GET","path":"/metrics","keyed":false,"body":false,"answer":"other"},
  listActivity: {"method":"GET","path":"/v1/activity","keyed":false,"body":false,"answer":"json"},
  auditTenant: {"method":"GET","path":"/v1/audit","keyed":false,"body":false,"answer":"json"},
  listCommands: {"method":"GET","path":"/v1/commands","keyed":false,"body":false,"answer":"json"},
  streamSessions: {"method":"GET","path":"/v1/events/stream","keyed":false,"body":false,"answer":"stream"},
  listGates: {"method":"GET","path":"/v1/gates","keyed":false,"body":false,"answer":"json"},
  listHooks: {"method":"GET","path":"/v1/hooks","keyed":false,"body":false,"answer":"json"},
  importSession: {"method":"POST","path":"/v1/imports","keyed":true,"body":true,"answer":"json"},
  listAnchors: {"method":"GET","path":"/v1/log/anchors","keyed":false,"body":false,"answer":"json"},
  getCheckpoint: {"method":"GET","path":"/v1/log/checkpoint","keyed":false,"body":false,"answer":"other"},
  getConsistencyProof: {"method":"GET","path":"/v1/log/consistency","keyed":false,"body":false,"answer":"json"},
  getLogKey: {"method":"GET","path":"/v1/log/key","keyed":false,"body":false,"answer":"other"},
  getTile: {"method":"GET","path":"/v1/log/tile/{path}","keyed":false,"body":false,"answer":"other"},
  getMe: {"method":"GET","path":"/v1/me","keyed":false,"body":false,"answer":"json"},
  normalizeMessages: {"method":"POST","path":"/v1/normalize","keyed":false,"body":true,"answer":"json"},
  listPlugins: {"method":"GET","path":"/v1/plugins","keyed":false,"body":false,"answer":"json"},
  listQuotas: {"method":"GET","path":"/v1/quotas","keyed":false,"body":false,"answer":"json"},
  searchSessions: {"method":"GET","path":"/v1/search","keyed":false,"body":false,"answer":"json"},
  listSessionFiles: {"method":"GET","path":"/v1/session-store","keyed":false,"body":false,"answer":"json"},
  appendSessionFile: {"method":"POST","path":"/v1/session-store","keyed":true,"body":true,"answer":"json"},
  listSessionFileLines: {"method":"GET","path":"/v1/session-store/lines","keyed":false,"body":false,"answer":"json"},
  listSessions: {"method":"GET","path":"/v1/sessions","keyed":false,"body":false,"answer":"json"},
  createSession: {"method":"POST","path":"/v1/sessions","keyed":true,"body":true,"answer":"json"},
  getSession: {"method":"GET","path":"/v1/sessions/{id}","keyed":false,"body":false,"answer":"json"},
  updateSession: {"method":"PATCH","path":"/v1/sessions/{id}","keyed":true,"body":true,"answer":"json"},
  eraseSession: {"method":"DELETE","path":"/v1/sessions/{id}","keyed":true,"body":false,"answer":"json"},
  listAccesses: {"method":"GET","path":"/v1/sessions/{id}/accesses","keyed":false,"body":false,"answer":"json"},
  auditSession: {"method":"GET","path":"/v1/sessions/{id}/audit","keyed":false,"body":false,"answer":"json"},
  getBlob: {"method":"GET","path":"/v1/sessions/{id}/blobs/{sha256}","keyed":false,"body":false,"answer":"other"},
  listBranches: {"method":"GET","path":"/v1/sessions/{id}/branches","keyed":false,"body":false,"answer":"json"},
  restoreBranch: {"method":"POST","path":"/v1/sessions/{id}/branches/{tip}/restore","keyed":true,"body":true,"answer":"json"},
  breakGlass: {"method":"POST","path":"/v1/sessions/{id}/break-glass","keyed":true,"body":true,"answer":"json"},
  closeSession: {"method":"POST","path":"/v1/sessions/{id}/close","keyed":true,"body":true,"answer":"json"},
  compactSession: {"method":"POST","path":"/v1/sessions/{id}/compactions","keyed":true,"body":true,"answer":"json"},
  listErasures: {"method":"GET","path":"/v1/sessions/{id}/erasures","keyed":false,"body":false,"answer":"json"},
  listEvents: {"method":"GET","path":"/v1/sessions/{id}/events","keyed":false,"body":false,"answer":"json"},
  streamEvents: {"method":"GET","path":"/v1/sessions/{id}/events/stream","keyed":false,"body":false,"answer":"stream"},
  exportSession: {"method":"GET","path":"/v1/sessions/{id}/export","keyed":false,"body":false,"answer":"other"},
  createFeedback: {"method":"POST","path":"/v1/sessions/{id}/feedback","keyed":true,"body":true,"answer":"json"},
  listFiles: {"method":"GET","path":"/v1/sessions/{id}/files","keyed":false,"body":false,"answer":"json"},
  getFile: {"method":"GET","path":"/v1/sessions/{id}/files/content","keyed":false,"body":false,"answer":"other"},
  diffFiles: {"method":"GET","path":"/v1/sessions/{id}/files/diff","keyed":false,"body":false,"answer":"json"},
  listFileVersions: {"method":"GET","path":"/v1/sessions/{id}/files/versions","keyed":false,"body":false,"answer":"json"},
  forkSession: {"method":"POST","path":"/v1/sessions/{id}/forks","keyed":true,"body":true,"answer":"json"},
  listGrants: {"method":"GET","path":"/v1/sessions/{id}/grants","keyed":false,"body":false,"answer":"json"},
  grantRole: {"method":"PUT","path":"/v1/sessions/{id}/grants/{principal}","keyed":true,"body":true,"answer":"json"},
  revokeGrant: {"method":"DELETE","path":"/v1/sessions/{id}/grants/{principal}","keyed":true,"body":false,"answer":"json"},
  placeHold: {"method":"POST","path":"/v1/sessions/{id}/hold","keyed":true,"body":true,"answer":"json"},
  releaseHold: {"method":"DELETE","path":"/v1/sessions/{id}/hold","keyed":true,"body":false,"answer":"json"},
  runHooks: {"method":"POST","path":"/v1/sessions/{id}/hook-runs","keyed":true,"body":true,"answer":"json"},
  interruptTurn: {"method":"POST","path":"/v1/sessions/{id}/interrupt","keyed":true,"body":true,"answer":"json"},
  listLinks: {"method":"GET","path":"/v1/sessions/{id}/links","keyed":false,"body":false,"answer":"json"},
  createLink: {"method":"POST","path":"/v1/sessions/{id}/links","keyed":false,"body":true,"answer":"json"},
  revokeLink: {"method":"DELETE","path":"/v1/sessions/{id}/links/{linkId}","keyed":false,"body":false,"answer":"none"},
  exportMarkdown: {"method":"GET","path":"/v1/sessions/{id}/markdown","keyed":false,"body":false,"answer":"other"},
  listMessages: {"method":"GET","path":"/v1/sessions/{id}/messages","keyed":false,"body":false,"answer":"json"},
  eraseMessage: {"method":"DELETE","path":"/v1/sessions/{id}/messages/{uuid}","keyed":true,"body":false,"answer":"json"},
  getPayload: {"method":"GET","path":"/v1/sessions/{id}/payload","keyed":false,"body":false,"answer":"json"},
  listPeople: {"method":"GET","path":"/v1/sessions/{id}/people","keyed":false,"body":false,"answer":"json"},
  pinSession: {"method":"PUT","path":"/v1/sessions/{id}/pin","keyed":false,"body":true,"answer":"none"},
  unpinSession: {"method":"DELETE","path":"/v1/sessions/{id}/pin","keyed":false,"body":false,"answer":"none"},
  announcePresence: {"method":"POST","path":"/v1/sessions/{id}/presence","keyed":false,"body":true,"answer":"none"},
  submitPrompt: {"method":"POST","path":"/v1/sessions/{id}/prompts","keyed":true,"body":true,"answer":"json"},
  getPrompt: {"method":"GET","path":"/v1/sessions/{id}/prompts/{promptId}","keyed":false,"body":false,"answer":"json"},
  listQueue: {"method":"GET","path":"/v1/sessions/{id}/queue","keyed":false,"body":false,"answer":"json"},
  withdrawPrompt: {"method":"DELETE","path":"/v1/sessions/{id}/queue/{promptId}","keyed":true,"body":false,"answer":"json"},
  regenerateAnswer: {"method":"POST","path":"/v1/sessions/{id}/regenerate","keyed":true,"body":true,"answer":"json"},
  reopenSession: {"method":"POST","path":"/v1/sessions/{id}/reopen","keyed":true,"body":true,"answer":"json"},
  listRequests: {"method":"GET","path":"/v1/sessions/{id}/requests","keyed":false,"body":false,"answer":"json"},
  getRequest: {"method":"GET","path":"/v1/sessions/{id}/requests/{requestId}","keyed":false,"body":false,"answer":"json"},
  listRewinds: {"method":"GET","path":"/v1/sessions/{id}/rewinds","keyed":false,"body":false,"answer":"json"},
  rewindSession: {"method":"POST","path":"/v1/sessions/{id}/rewinds","keyed":true,"body":true,"answer":"json"},
  restoreRewind: {"method":"POST","path":"/v1/sessions/{id}/rewinds/{rewindId}/restore","keyed":true,"body":true,"answer":"json"},
  listSchedules: {"method":"GET","path":"/v1/sessions/{id}/schedules","keyed":false,"body":false,"answer":"json"},
  createSchedule: {"method":"POST","path":"/v1/sessions/{id}/schedules","keyed":true,"body":true,"answer":"json"},
  updateSchedule: {"method":"PATCH","path":"/v1/sessions/{id}/schedules/{scheduleId}","keyed":true,"body":true,"answer":"json"},
  deleteSchedule: {"method":"DELETE","path":"/v1/sessions/{id}/schedules/{scheduleId}","keyed":true,"body":false,"answer":"json"},
  listStructure: {"method":"GET","path":"/v1/sessions/{id}/structure","keyed":false,"body":false,"answer":"json"},
  decideToolCall: {"method":"POST","path":"/v1/sessions/{id}/tool-decisions","keyed":true,"body":true,"answer":"json"},
  submitToolResults: {"method":"POST","path":"/v1/sessions/{id}/tool-results","keyed":true,"body":true,"answer":"json"},
  getTurn: {"method":"GET","path":"/v1/sessions/{id}/turns/{turnId}","keyed":false,"body":false,"answer":"json"},
  getSettings: {"method":"GET","path":"/v1/settings","keyed":false,"body":false,"answer":"json"},
  updateSettings: {"method":"PATCH","path":"/v1/settings","keyed":false,"body":true,"answer":"json"},
  listSettingsChanges: {"method":"GET","path":"/v1/settings/changes","keyed":false,"body":false,"answer":"json"},
  rotateHookSecret: {"method":"POST","path":"/v1/settings/hook-secret","keyed":false,"body":true,"answer":"json"},
  testMcpServer: {"method":"POST","path":"/v1/settings/mcp-tests","keyed":false,"body":true,"answer":"json"},
  readShared: {"method":"GET","path":"/v1/shared","keyed":false,"body":false,"answer":"json"},
  getSharedBlob: {"method":"GET","path":"/v1/shared/blobs/{sha256}","keyed":false,"body":false,"answer":"other"},
  getSignInMethods: {"method":"GET","path":"/v1/sign-in","keyed":false,"body":false,"answer":"json"},
  signIn: {"method":"POST","path":"/v1/sign-in","keyed":false,"body":true,"answer":"json"},
  beginOidcSignIn: {"method":"GET","path":"/v1/sign-in/oidc","keyed":false,"body":false,"answer":"none"},
  completeOidcSignIn: {"method":"GET","path":"/v1/sign-in/oidc/callback","keyed":false,"body":false,"answer":"none"},
  listSignIns: {"method":"GET","path":"/v1/sign-ins","keyed":false,"body":false,"answer":"json"},
  revokeSignIn: {"method":"DELETE","path":"/v1/sign-ins/{signInId}","keyed":false,"body":false,"answer":"none"},
  signOut: {"method":"POST","path":"/v1/sign-out","keyed":false,"body":true,"answer":"none"},
  listSkills: {"method":"GET","path":"/v1/skills","keyed":false,"body":false,"answer":"json"},
  createStreamTicket: {"method":"POST","path":"/v1/stream-tickets","keyed":false,"body":true,"answer":"json"},
  listTokens: {"method":"GET","path":"/v1/tokens","keyed":false,"body":false,"answer":"json"},
  createToken: {"method":"POST","path":"/v1/tokens","keyed":false,"body":true,"answer":"json"},
  revokeToken: {"method":"DELETE","path":"/v1/tokens/{tokenId}","keyed":false,"body":false,"answer":"none"},
  listTools: {"method":"GET","path":"/v1/tools","keyed":false,"body":false,"answer":"json"},
  sendUiMessage: {"method":"POST","path":"/v1/ui/chat","keyed":false,"body":true,"answer":"stream"},
  listUiMessages: {"method":"GET","path":"/v1/ui/chat/{chatId}","keyed":false,"body":false,"answer":"json"},
  resumeUiStream: {"method":"GET","path":"/v1/ui/chat/{chatId}/stream","keyed":false,"body":false,"answer":"stream"},
  stopUiStream: {"method":"DELETE","path":"/v1/ui/chat/{chatId}/stream","keyed":false,"body":false,"answer":"json"},
  getUsage: {"method":"GET","path":"/v1/usage","keyed":false,"body":false,"answer":"json"},
  listUsers: {"method":"GET","path":"/v1/users","keyed":false,"body":false,"answer":"json"},
  getUser: {"method":"GET","path":"/v1/users/{userId}","keyed":false,"body":false,"answer":"json"},
  changeUser: {"method":"PATCH","path":"/v1/users/{userId}","keyed":false,"body":true,"answer":"json"},
  deleteUser: {"method":"DELETE","path":"/v1/users/{userId}","keyed":false,"body":false,"answer":"json"},
  eraseUserContent: {"method":"DELETE","path":"/v1/users/{userId}/content","keyed":false,"body":false,"answer":"json"},
  listUserErasures: {"method":"GET","path":"/v1/users/{userId}/erasures","keyed":false,"body":false,"answer":"json"},
  listMemory: {"method":"GET","path":"/v1/users/{userId}/memory","keyed":false,"body":false,"answer":"json"},
  eraseMemory: {"method":"DELETE","path":"/v1/users/{userId}/memory","keyed":false,"body":false,"answer":"none"},
  getMemoryContent: {"method":"GET","path":"/v1/users/{userId}/memory/content","keyed":false,"body":false,"answer":"json"},
  undoMemory: {"method":"POST","path":"/v1/users/{userId}/memory/undo","keyed":false,"body":true,"answer":"json"},
  listMemoryVersions: {"method":"GET","path":"/v1/users/{userId}/memory/versions","keyed":false,"body":false,"answer":"json"},
} as const;
