-- A floating calculator in Neovim 0.7 or later: the keys 0-9 . + - * / = press, u undoes, q closes.
-- It shows: a pipe of libuv, frames in the event loop, what an action's "enabled" is for, the end of session and daemon.
-- Run it: VIEWMODELD_SOCKET=/path/to/vm.sock nvim -S calculator.lua
local daemon, picture, rest, last = (vim.uv or vim.loop).new_pipe(false), {}, "", 0
local buffer = vim.api.nvim_create_buf(false, true)
local place = { relative = "editor", row = 2, col = 4, width = 32, height = 10, style = "minimal", border = "rounded" }
local window = vim.api.nvim_open_win(buffer, true, place)

local function show(note)
  local lines = { ("%30s"):format(picture.led or ""), picture["undo.enabled"] and "u: undo" or "", note or "" }
  for _, row in ipairs(picture.operations or {}) do table.insert(lines, row.text) end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
end
local function call(method, params)
  last = last + 1
  daemon:write(vim.json.encode({ jsonrpc = "2.0", id = last, method = method, params = params }) .. "\n")
end
local function follow()
  call("session.attach", { session = "desk" })
  call("viewModel.bind", { id = "calculator", outputs = { "led", "operations", "undo.enabled" }, patches = false })
end
local function receive(failure, data)
  if not data then return show(failure or "The daemon has closed the connection.") end
  local lines = vim.split(rest .. data, "\n")
  rest = table.remove(lines) -- The beginning of the next line.
  for _, message in ipairs(vim.tbl_map(vim.json.decode, lines)) do
    if message.method == "session.closed" and message.params.reason ~= "moved" then follow() end
    local values = vim.tbl_get(message, "params", "values") or vim.tbl_get(message, "result", "values")
    picture = vim.tbl_extend("force", picture, values or {})
    show(vim.tbl_get(message, "error", "message"))
  end
end
local function map(key, run) vim.keymap.set("n", key, run, { buffer = buffer, nowait = true }) end
for key in ("0123456789.+-*/="):gmatch(".") do map(key, function() call("calculator.press", { key }) end) end
map("u", function() call("calculator.undo") end)
map("q", function() daemon:close() vim.api.nvim_win_close(window, true) end)
daemon:connect(vim.env.VIEWMODELD_SOCKET, vim.schedule_wrap(function(failure)
  if failure then show(failure) else daemon:read_start(vim.schedule_wrap(receive)) follow() end
end))
