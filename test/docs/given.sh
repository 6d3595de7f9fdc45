# What a page of the documentation takes for granted: `<!-- given: conversation -->` runs the function before the block.

# $id: a session with two prompts and their answers. $prompt, $answer: the second prompt and its answer. $turn: the turn of it.
conversation() {
  id=$(api "$v1/sessions" -d '{"title":"first"}' | field id)
  ask 'Hello there'
  ask 'What is a log?'
}

# A prompt, and its answer.
ask() {
  turn=$(api "$v1/sessions/$id/prompts" -d "{\"input\":\"$1\"}" | field turnId)
  api "$v1/sessions/$id/turns/$turn?wait=30" > /dev/null
  local messages; messages=$(api "$v1/sessions/$id/messages?limit=1000")
  prompt=$(echo "$messages" | field 'data.filter(({ type }) => type === "user").at(-1).uuid')
  answer=$(echo "$messages" | field 'data.filter(({ type }) => type === "assistant").at(-1).uuid')
}

# A small picture in photo.png.
photo() {
  echo iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC | base64 -d > photo.png
}

# A user with this name, with a token in the variable of the same name.
person() {
  local token_of; token_of=$(api "$v1/tokens" -d "{\"name\":\"laptop\",\"userName\":\"$1\"}" | field token)
  printf -v "$1" '%s' "$token_of"
}

# A session file of Claude Code.
claude_session() {
  cat > "$1" << 'LINES'
{"type":"user","uuid":"0b8a3c60-2f0e-4d4e-9a51-0a6f8f7c1a01","parentUuid":null,"sessionId":"5f7c1a0e-1111-4222-8333-444455556666","timestamp":"2026-01-01T10:00:00.000Z","message":{"role":"user","content":"Write a test."}}
{"type":"assistant","uuid":"0b8a3c60-2f0e-4d4e-9a51-0a6f8f7c1a02","parentUuid":"0b8a3c60-2f0e-4d4e-9a51-0a6f8f7c1a01","sessionId":"5f7c1a0e-1111-4222-8333-444455556666","timestamp":"2026-01-01T10:00:05.000Z","requestId":"req_1","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}}
LINES
}
