-- Votes through the API. No user votes twice on a poll within users × polls numbers, if users + 1 and polls have no common
-- divisor: a user's next vote is users + 1 polls further on. Arguments: number of users, number of polls (1 for a single hot
-- poll), the number from which votes are numbered (the first has this number + 2), number of the first poll. `id` is the
-- number of a thread, from 0; each of the two threads (bench/load/wrk.ts) casts every second vote. User ids and session tokens are
-- those of bench/load/load-ids.ts.
local threads = 0

function setup(thread)
  thread:set('id', threads)
  threads = threads + 1
end

function init(args)
  users, polls, nth, poll_offset = tonumber(args[1]), tonumber(args[2]), tonumber(args[3]) + id, tonumber(args[4])
end

function request()
  nth = nth + 2
  local user = nth % users
  local poll = poll_offset + (nth + math.floor(nth / users)) % polls
  return wrk.format('POST', string.format('/api/questions/00000000-0000-7000-8000-%012x/vote', poll), {
    ['Content-Type'] = 'application/json',
    ['Cookie'] = string.format('sid=%043d', user),
    ['Idempotency-Key'] = string.format('00000000-0000-4000-8000-%012x', nth),
    ['X-Expected-User'] = tostring(1000 + user),
  }, '{"option":' .. (1 + nth % 2) .. '}')
end
