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

# $me, whose memory has a file with two versions.
remembered() {
  conversation
  local call
  for call in '"command":"create","path":"/memories/notes.md","file_text":"Answers in French."' '"command":"str_replace","path":"/memories/notes.md","old_str":"French","new_str":"Latin"'; do
    ask "$(echo "{{tool memory {$call}}}" | sed 's/"/\\"/g')"
  done
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

# The same, with the program's own record of its request.
recorded_session() {
  claude_session "$1"
  cat >> "$1" << 'LINES'
{"type":"api-request-shape","sessionId":"5f7c1a0e-1111-4222-8333-444455556666","shapeHash":"4794d65703442692ccfab74e8b87137653cee2b8d53328960a582c808005c259","shape":{"system":[{"type":"text","text":"Be brief."}],"tools":[]}}
{"type":"api-request","sessionId":"5f7c1a0e-1111-4222-8333-444455556666","id":"request-1","timestamp":"2026-01-01T10:00:01.000Z","base":null,"keep":0,"tail":["13448845b677895beba52b43165a27b0484562c1ddde5360b76559bb427a2c4d"],"shapeHash":"4794d65703442692ccfab74e8b87137653cee2b8d53328960a582c808005c259","params":{"model":"claude-sonnet-5-5","max_tokens":128000},"cacheControl":[{"path":["messages",0,"content",0],"value":{"type":"ephemeral"}}],"querySource":"sdk"}
LINES
}
