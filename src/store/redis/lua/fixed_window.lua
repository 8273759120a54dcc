-- Fixed window; the same as src/core/fixed_window.hpp.
--
-- limit:  flags (1) · limit (7) · period (7) · whether it is anchored to the
--         clock (1); a calendar has period 0 and four boundaries (7 each), of
--         the windows before, at and after the caller's clock
-- body:   end (7) · count (4), and for a calendar also start (7)
-- answer: granted · used after it · time until the window ends · end · wait
local fixed_window = {}

-- Returns: start and end of the calendar window at t, or nil.
local function calendar_window(args, at, t)
    local a, b, c, d = unpack('<I7I7I7I7', args, at)
    if t < a or t >= d then return nil end
    if t < b then return a, b end
    if t < c then return b, c end
    return c, d
end

function fixed_window.decide(args, at, body, cost, count, mode)
    local flags, limit, period, anchored, next_arg = unpack('<I1I7I7I1', args, at)
    local start, finish, used, t = nil, 0, 0, now
    if #body >= 11 then
        finish, used = unpack('<I7I4', body)
        if used == 0 or now >= finish then
            used = 0
        else
            start = period > 0 and finish - period or unpack('<I7', body, 12)
            t = max(now, start)
        end
    end
    local live = used > 0
    local next_start, next_finish
    if not live and period == 0 then
        next_start, next_finish = calendar_window(args, next_arg, t)
        if not next_start then return ASK_AGAIN end
    end
    local granted, units = grant(flags, limit, used, cost, count, mode)

    local next
    if units > 0 then
        if not live then
            if period == 0 then
                start, finish = next_start, next_finish
            elseif anchored == 1 then
                start = t - t % period
                finish = start + period
            else
                start, finish = t, t + period
            end
        end
        used = min(COUNT_MAX, used + min(units, COUNT_MAX))
        next = pack('<I7I4', finish, used)
        if period == 0 then next = next .. pack('<I7', start) end
        live = true
    end
    local left = live and finish - t or 0
    return granted, next, finish, used, left, live and finish or 0, left
end

function fixed_window.refund(args, at, body, moment, units)
    if #body < 11 then return nil end
    local finish, used = unpack('<I7I4', body)
    if finish ~= moment then return nil end
    if used <= units then return '', 0 end
    return pack('<I7I4', finish, used - units) .. sub(body, 12), finish
end
