-- KEYS: the dead letter, the stream, the note of this move. ARGV: the entry, how long the note lasts in seconds.
-- All of it is one step to everybody else, and to a replica.
if redis.call('EXISTS', KEYS[3]) == 1 then return 'moved' end
local found = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])
if #found == 0 then return 'gone' end
-- A stream that is made here would have no group, and nobody would read it.
if redis.call('EXISTS', KEYS[2]) == 0 then return 'no stream' end
local id = redis.call('XADD', KEYS[2], '*', unpack(found[1][2]))
redis.call('XDEL', KEYS[1], ARGV[1])
redis.call('SET', KEYS[3], id, 'EX', ARGV[2])
return 'moved'
