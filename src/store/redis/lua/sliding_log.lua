-- Sliding log; the same as src/core/sliding_log.hpp. A timeline of microseconds.
-- A unit counts for a period.
--
-- limit:  flags (1) · limit (7) · period (7)
-- answer: granted · used after it · time until the newest unit leaves · time of the grant · wait
local sliding_log = {}

local function read(body, period)
    local as_new_us = timeline.as_new(body)
    return as_new_us and timeline.read(body, as_new_us - period)
end

function sliding_log.decide(args, at, body, cost, count, mode)
    local flags, limit, period = unpack('<I1I7I7', args, at)
    local line, t = read(body, period), now
    if line then t = max(now, line.newest) end
    local first = line and timeline.first_from(line, t - period + 1) or 1
    local used = line and timeline.units_from(line, first) or 0

    local granted, units = grant(flags, limit, used, cost, count, mode)
    if granted == 0 then units = min(units, limit) end

    local next
    if units > 0 then
        -- A lower limit than that of the grants forgives none of them.
        local most = max(limit, used)
        next = timeline.add(line, first, max(0, used + units - most), t, units, width_of(period), width_of(limit),
            t + period)
        line = timeline.read(next, t)
        first = 1
        used = min(most, used + units)
    end
    local reset = used > 0 and line.newest + period - t or 0
    local retry = 0
    if (granted < count or mode == CHARGE) and flags % 2 ~= NEVER and used + cost > limit then
        local place = timeline.pair(line, timeline.after_leaving(line, first, used + cost - limit))
        retry = place + period - t
    end
    return granted, next, t + period, used, reset, t, retry
end

function sliding_log.refund(args, at, body, moment, units)
    local _, _, period = unpack('<I1I7I7', args, at)
    local line = read(body, period)
    if not line then return nil end
    return timeline.remove(line, moment, units, function(time) return time + period end)
end
