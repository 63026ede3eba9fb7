-- Votes and reads of page 1 of the feed. Arguments: those of vote.lua, then the number of reads per vote, and the mean pause of
-- a connection between two requests, in milliseconds (0: none).
local folder = debug.getinfo(1, 'S').source:match('^@(.*)mix%.lua$')
dofile(folder .. 'vote.lua')
local vote, init_votes = request, init
-- `init_votes` also sets the variables of feed.lua, which have the same names: `users`, and `nth`, which both scripts count up.
dofile(folder .. 'feed.lua')
local read = request
local sent = 0

function init(args)
  init_votes(args)
  reads = tonumber(args[5])
  local pause = tonumber(args[6])
  if pause > 0 then
    math.randomseed(id)
    -- A random pause, so that the connections do not send in step.
    delay = function() return math.random(0, 2 * pause) end
  end
end

function request()
  sent = sent + 1
  if sent % (reads + 1) == 0 then return vote() end
  return read()
end
