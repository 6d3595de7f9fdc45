import type { Dialect } from './dialect.js';
import { SERVER_TOOL_USE_ID, block, caller, errorOf, toolReference, variant } from './parts.js';
import { either, flag, list, nullable, number, oneOf, onlyIf, repairedElsewhere, tagged, text, wholeList, type Shape } from './shape.js';
import { isObject } from '../../../protocol/message/unknown-json.js';

type Fields = Readonly<Record<string, Shape>>;

const ERRORS = ['invalid_tool_input', 'unavailable', 'too_many_requests', 'execution_time_exceeded'];

/** Results of server tools, in assistant turns (docs: Server tools). */
export function serverResults(dialect: Dialect, document: Shape): Fields {
  return {
    web_search_tool_result: result(webSearchContent, { caller }),
    web_fetch_tool_result: result(
      tagged({
        web_fetch_result: variant({ content: document, url: text() }, { retrieved_at: nullable(text()) }),
        ...errorOf('web_fetch_tool_result_error', [
          'invalid_tool_input',
          'url_too_long',
          'url_not_allowed',
          'url_not_in_prior_context',
          'url_not_accessible',
          'unsupported_content_type',
          'too_many_requests',
          'max_uses_exceeded',
          'unavailable',
          'content_too_large',
        ]),
      }),
      { caller },
    ),
    code_execution_tool_result: result(
      tagged({
        code_execution_result: variant({ ...ran('code_execution_output'), stdout: text() }),
        encrypted_code_execution_result: variant({ ...ran('code_execution_output'), encrypted_stdout: text() }),
        ...errorOf('code_execution_tool_result_error', ERRORS),
      }),
    ),
    bash_code_execution_tool_result: result(
      tagged({
        bash_code_execution_result: variant({ ...ran('bash_code_execution_output'), stdout: text() }),
        ...errorOf('bash_code_execution_tool_result_error', [...ERRORS, 'output_file_too_large']),
      }),
    ),
    text_editor_code_execution_tool_result: result(textEditorContent),
    tool_search_tool_result: result(
      tagged({
        tool_search_tool_search_result: variant({ tool_references: list(tagged({ tool_reference: toolReference })) }),
        ...errorOf('tool_search_tool_result_error', ERRORS, { error_message: nullable(text()) }),
      }),
    ),
    ...(dialect.advisor ? { advisor_tool_result: result(advisorContent) } : {}),
  };
}

const result = (content: Shape, optional: Fields = {}): Shape =>
  block({ tool_use_id: repairedElsewhere(text({ pattern: SERVER_TOOL_USE_ID })), content }, optional);

const ran = (output: string): Fields => ({
  content: list(tagged({ [output]: variant({ file_id: text() }) })),
  return_code: number({ integer: true }),
  stderr: text(),
});

const webSearchHit = variant({ encrypted_content: text(), title: text(), url: text() }, { page_age: nullable(text()) });
/** Whole: a list without some of its hits would tell the model of another search. An empty `encrypted_content` is not the API's own. */
const webSearchHits = wholeList(tagged({ web_search_result: onlyIf(webSearchHit, (value) => isObject(value) && value['encrypted_content'] !== '') }));
const webSearchError = tagged(
  errorOf('web_search_tool_result_error', [
    'invalid_tool_input',
    'unavailable',
    'max_uses_exceeded',
    'too_many_requests',
    'query_too_long',
    'request_too_large',
  ]),
);
const webSearchContent = either(Array.isArray, webSearchHits, webSearchError);

const count = nullable(number({ integer: true }));
const textEditorContent = tagged({
  text_editor_code_execution_view_result: variant(
    { content: text(), file_type: oneOf(['text', 'image', 'pdf']) },
    { num_lines: count, start_line: count, total_lines: count },
  ),
  text_editor_code_execution_create_result: variant({ is_file_update: flag }),
  text_editor_code_execution_str_replace_result: variant(
    {},
    { lines: nullable(list(text())), new_lines: count, new_start: count, old_lines: count, old_start: count },
  ),
  ...errorOf('text_editor_code_execution_tool_result_error', [...ERRORS, 'file_not_found'], {
    error_message: nullable(text()),
  }),
});

const advisorContent = tagged({
  advisor_result: variant({ text: text() }, { stop_reason: nullable(text()) }),
  advisor_redacted_result: variant({ encrypted_content: text() }, { stop_reason: nullable(text()) }),
  ...errorOf('advisor_tool_result_error', [
    'max_uses_exceeded',
    'prompt_too_long',
    'too_many_requests',
    'overloaded',
    'unavailable',
    'execution_time_exceeded',
    'model_not_found',
  ]),
});
