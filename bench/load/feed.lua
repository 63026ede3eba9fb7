-- Reads page 1 of the feed as one user after another. Arguments: number of users. `id` is the number of a thread, from 0; each of
-- the two threads (bench/load/wrk.ts) makes every second request. User ids and session tokens are those of bench/load/load-ids.ts.
local threads = 0

function setup(thread)
  thread:set('id', threads)
  threads = threads + 1
end

function init(args)
  users, nth = tonumber(args[1]), id
end

function request()
  nth = nth + 2
  local user = nth % users
  return wrk.format('GET', '/api/questions?limit=24&includeCount=true', {
    ['Cookie'] = string.format('sid=%043d', user),
    ['X-Expected-User'] = tostring(1000 + user),
  })
end
